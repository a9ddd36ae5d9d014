# What three external lists ask of a package like this one, and the tests that check each item:
# every name must be that of a test in this folder that expects something, or of a test of the core.

required <- list(
  "check_estimator of scikit-learn" = list(
    check_estimator_cloneable = "update() starts from the fit's own settings and takes others",
    check_estimator_repr = "fits print and summarise in words",
    check_no_attributes_set_in_init =
      "kernels, likelihoods and settings are made without random numbers",
    check_estimators_overwrite_params = "fitting changes none of its arguments, not even in place",
    check_dont_overwrite_parameters = "predicting and looking leave the object as it was",
    check_estimators_fit_returns_self = "a fit is of its model's class and the package's",
    check_mixin_order = "a fit is of its model's class and the package's",
    check_readonly_memmap_input = "it does not matter how a matrix is stored",
    check_f_contiguous_array_estimator = "it does not matter how a matrix is stored",
    check_estimators_unfitted = "accessors refuse what is no fit",
    check_do_not_raise_errors_in_init_or_set_params =
      "a control changed by hand is checked again, whatever the model",
    check_n_features_in_after_fitting = c(
      "newdata must be given and bring the training columns", "columns are found by name"
    ),
    check_positive_only_tag_during_fit = "likelihood and response must fit each other",
    check_estimators_dtypes = "integers, logicals and doubles are the same numbers",
    check_complex_data = "columns must be of a kind that numbers can be made of",
    check_dtype_object = "columns must be of a kind that numbers can be made of",
    check_estimators_empty_data_messages = "there must be rows and columns",
    check_sample_weights_pandas_series =
      "weights come as hardhat's classes, by every interface, and in recipes",
    check_sample_weights_not_an_array = "weights that cannot be are refused",
    check_sample_weights_list = "weights that cannot be are refused",
    check_sample_weights_shape = "weights that cannot be are refused",
    check_sample_weights_not_overwritten =
      "fitting changes none of its arguments, not even in place",
    check_all_zero_sample_weights_error =
      "weights must leave rows, and those of one class are fitted with a warning",
    check_classifiers_one_label_sample_weights =
      "weights must leave rows, and those of one class are fitted with a warning",
    check_sample_weight_equivalence_on_dense_data = c(
      "a row of weight w is w rows, in every model and with every likelihood",
      "weights of 1 change no bit, and a row of weight 0 is left out"
    ),
    check_pipeline_consistency = "a recipe's steps bring no environment into the fit",
    check_estimators_nan_inf = c(
      "training inputs must be finite", "newdata must be of the training kind",
      "a row with a missing value gives NA"
    ),
    check_nonsquare_error = "wrong values of a kernel function are an error",
    check_estimators_pickle = "a fit answers alike after saveRDS() in another process",
    check_estimator_sparse_array = "sparse inputs give the answers of dense ones, in every model",
    check_estimator_sparse_matrix =
      "every class of Matrix is taken, and a sparse matrix of any storage",
    check_estimator_sparse_tag = "what cannot be done with sparse inputs is refused in words",
    check_array_api_input = c(
      "tibble, data frame and matrix say the same", "the four interfaces describe the same model"
    ),
    check_methods_sample_order_invariance = "a prediction has the rows of newdata in their order",
    check_methods_subset_invariance = "a row's prediction does not depend on the others",
    check_fit2d_1sample = "two rows, one of each class, are enough",
    check_fit2d_1feature = "two rows, one of each class, are enough",
    check_fit_idempotent = "the same seed gives the same fit",
    check_classifiers_one_label = "the response must be of a kind some likelihood describes",
    check_classifiers_classes = c(
      "classes may be given as factor, character or logical", "level names may be anything",
      "exchanged levels exchange the probabilities"
    ),
    check_estimators_partial_fit_n_features =
      "later rows of the wrong form are an error and leave the fit unchanged",
    check_classifiers_train = c(
      "the response is a factor with the training levels, or numbers",
      "probabilities are probabilities, named by level", "the class is the most probable one"
    ),
    check_classifiers_regression_target = "likelihood and response must fit each other",
    check_supervised_y_no_nan = "the response must be complete, finite and one value a row",
    check_supervised_y_2d = "classes may be given as factor, character or logical",
    check_non_transformer_estimators_n_iter = "the accessors answer in their documented shapes",
    check_decision_proba_consistency = "a probit's probabilities follow from the latent moments",
    check_regressors_train = "the response is a factor with the training levels, or numbers",
    check_regressors_no_decision_function = "a type must be one the response has",
    check_regressors_int = "a matrix of flags or integers is a matrix of numbers"
  ),
  "rOpenSci's standards for statistical software" = list(
    "lengths and types of inputs are checked" = "settings must make sense",
    "choices are matched, others refused" = "a misspelt argument is an error",
    "ordered factors are treated as documented" = "text is a factor, an ordered factor",
    "tabular classes are equivalent" = "tibble, data frame and matrix say the same",
    "list columns are refused" = "columns must be of a kind that numbers can be made of",
    "missing and infinite values are checked before any work" = "training inputs must be finite",
    "missing values are treated alike in training and prediction" =
      "a row with a missing value gives NA",
    "messages of conditions are fixed by tests" = "the error for a misspelt argument",
    "outputs contain nothing missing or infinite" = "two rows, one of each class, are enough",
    "results agree with simple code in R" = "all rows active and refined without end: dense EP",
    "results agree with stored reference values" = "full search finds the reference machine",
    "parameters of simulated data are recovered" =
      "learning recovers the noise and a lengthscale",
    "the error falls as data are added" = "more rows give smaller errors",
    "rounding errors change nothing" =
      "a constant column and rounding errors change nothing",
    "seeds change nothing of substance" = "neither the order of the rows nor the seed matters",
    "constant columns and more columns than rows" = c(
      "constant and repeated columns", "more columns than rows"
    ),
    "transformations are stored and can be switched off" =
      "standardise = FALSE uses the numbers as they are",
    "a fit keeps its path" = "the accessors answer in their documented shapes",
    "optimisers are compared" = "every optimiser raises the evidence",
    "all combinations of likelihood and method" =
      "counts, heavy tails and a logistic link work with every power and schedule",
    "fits that have not converged warn, and say so afterwards" =
      "a fit that stops before it has converged warns and says so afterwards",
    "accessors of regression models" = c(
      "the accessors answer in their documented shapes",
      "residuals are the response minus its mean", "only a fit made from a formula has one"
    ),
    "errors grow away from the data" = "far from the data the prior is all there is",
    "row and column names" = "column names may be anything",
    "default pictures" = "every model has a default picture",
    "noiseless responses" = "online_is_accurate_with_very_small_noise",
    "priors and parameters are checked before use" = "an invalid prior is an error",
    "a run may start from an earlier one" =
      "an interrupted fit resumes from its checkpoint with the same bits",
    "the prior without data" = "noise without bound leaves the prior",
    "the exact posterior of the conjugate case" = c(
      "all rows active and Gaussian noise: the exact Gaussian process",
      "with all functions the fit is the exact Gaussian process",
      "every row an inducing input is the dense posterior"
    ),
    "predictions are on the scale of the response" =
      "the unit and the origin of a numeric response do not matter",
    "several optimisers and quadrature against closed forms" = c(
      "likelihood_override_equals_quadrature", "every_optimiser_maximises_a_quadratic"
    )
  ),
  "properties of sparse Gaussian processes" = list(
    "order of rows" = "neither the order of the rows nor the seed matters",
    "order of columns" = "the order of the columns does not matter",
    "duplicated rows" = "duplicated rows are no obstacle",
    "units of inputs" = c(
      "a lengthscale has the unit of its column",
      "standardised fits do not see an affine change of inputs or response"
    ),
    "labels" = "exchanged levels exchange the probabilities",
    "unit of the response" = "the unit and the origin of a numeric response do not matter",
    "rotation and translation" = "turned and shifted inputs change nothing",
    "constant column" = "a constant column and rounding errors change nothing",
    "kernel algebra" = "nested sums and products become one sum or product",
    "all rows as basis are the dense posterior" = c(
      "every row an inducing input is the dense posterior", "TAP, EP on all rows and EP one row"
    ),
    "assumed density filtering is the first sweep" = "one sweep of the online algorithm",
    "exact with Gaussian noise" = "with Gaussian noise neither order nor more sweeps",
    "small powers" = "small_powers_approach_a_limit",
    "stochastic EP of one row" = "stochastic_ep_of_one_row_is_ep",
    "noise without bound, far points" = c(
      "noise without bound leaves the prior", "far from the data the prior is all there is"
    ),
    "evidence of one and two rows" = "evidence_of_one_row_is_exact_and_of_two_nearly_so",
    "fixed precisions are ridge regression" = "with fixed precisions the fit is ridge regression",
    "mean field and expectation propagation" = "TAP, EP on all rows and EP one row",
    "leave-one-out" = c(
      "loo() is close to refits for classes", "leaving one out by cavities is close to doing it"
    ),
    "evidence as a product of predictions" = "an_update_reports_the_evidence_from_before",
    "evidence of classes" = "the evidence of classes is a log probability",
    "probabilities and variances" = c(
      "probabilities are probabilities, named by level",
      "the latent function comes with its standard deviation"
    ),
    "intervals" = c(
      "a confidence interval of the link is its normal quantiles",
      "a numeric response has quantiles in order around its mean"
    ),
    "more data, less variance" = "data narrow the posterior",
    "another positive row" =
      "one more row of a class makes the class more probable there",
    "no row, one row, two rows" = c(
      "there must be rows and columns", "two rows, one of each class, are enough"
    ),
    "classes without rows, many classes" = c(
      "a level without rows is kept, with probability zero", "fifty classes"
    ),
    "conflicting and separable labels" = c(
      "equal rows with conflicting labels: the probability is the frequency",
      "separable classes stay finite"
    ),
    "extreme values" = c(
      "denormal and huge single values", "inputs of any size give the predictions",
      "whole numbers beyond the integers"
    ),
    "factors" = "a factor predictor is an indicator for each level",
    "no new rows" = "no rows in, no rows out",
    "names" = "column names may be anything",
    "formulas" = "formulas transform, interact and abbreviate",
    "jitter" = "jitter_rescues_a_singular_matrix",
    "tails of the normal" = "normal_site_functions_survive_any_double",
    "sites of negative precision" = "online_ep_with_negative_sites_stays_a_posterior",
    "oscillation" = "a_fit_says_when_it_has_not_converged",
    "bounds of hyper-parameters" = "a learned value at its bound is a classed warning",
    "growing factors" = "growing_cholesky_equals_batch_cholesky",
    "indices beyond 32 bits" = "strides_beyond_two_to_the_31",
    "memory" = c(
      "a dense process on 60,000 rows is refused", "an address space bounded by ulimit"
    ),
    "blocks of rows" = "a source gives the bits that the rows in memory give",
    "interrupts" = "a computation stops within half a second after an interrupt",
    "threads" = "the number of threads changes no bit of a fit or prediction",
    "forks" = "a forked child can fit with threads after its parent did",
    "random numbers" = "learning leaves R's generator alone, whatever its kind",
    "recursion" = "a kernel function may fit a model of its own",
    "kernel functions that fail" = c(
      "a kernel function that fails gives a classed error", "kernels that give no covariances"
    ),
    "saved fits" = c(
      "a fit answers alike after saveRDS()", "a fit holds no environment, function or pointer",
      "random damage never escapes"
    ),
    "locale and options" = c("the locale changes no answer", "options change no answer")
  )
)

# What is not asked of this package, and why.
not_required <- c(
  "multi-output and multi-label checks" = "a response is one column",
  "check_sparsify_coefficients" = "coefficients are hyper-parameters, all different from zero",
  "check_array_api_same_namespace" = "there is one kind of array in R",
  "check_classifier_not_supporting_multiclass" = "every model takes several classes",
  "check_class_weight_classifiers" = "classes have no weights of their own",
  "labels named test and train" = "no function takes both kinds of rows in one table",
  "imputation" = "rows with missing values are refused in training, and the error says so",
  "computation on graphics processors" = "the core runs on the CPU",
  "samplers and chains" = "inference is deterministic"
)

# Every text in the call that makes a name, such as those of paste0("threads find it [", name, "]").
texts_in <- function(code) {
  if (is.call(code)) return(unlist(lapply(as.list(code)[-1], texts_in)))
  if (is.character(code)) code
}

# The tests in a piece of code: list(names, code) for each.
tests_in <- function(code) {
  if (!is.call(code)) return()
  makers <- c("test_that", "law", "conformance")
  made <- is.name(code[[1]]) && as.character(code[[1]]) %in% makers
  own <- if (made) list(list(names = texts_in(code[[2]]), code = code))
  parts <- lapply(as.list(code), function(part) if (!missing(part)) tests_in(part))
  c(own, do.call(c, parts))
}

# Does the code expect anything, by itself or by one of the functions named `by`?
expects <- function(code, by) {
  called <- all.names(code)
  any(startsWith(called, "expect_") | called %in% by)
}

# The functions of tests and helpers that expect something.
expecting_functions <- function(code) {
  is_definition <- function(e) {
    is.call(e) && identical(e[[1]], as.name("<-")) && is.name(e[[2]]) && is.call(e[[3]]) &&
      identical(e[[3]][[1]], as.name("function"))
  }
  definitions <- Filter(is_definition, code)
  names <- vapply(definitions, function(e) as.character(e[[2]]), "")
  known <- character()
  repeat {
    more <- unique(names[vapply(definitions, function(e) expects(e[[3]], known), NA)])
    if (setequal(more, known)) return(known)
    known <- more
  }
}

# The names of all tests of the package that expect something, and of those of the core that check
# something where its tests are at hand.
names_of_tests <- function() {
  files <- list.files(test_path(), "^(test|helper)-.*[.]R$", full.names = TRUE)
  code <- unlist(lapply(files, function(file) as.list(parse(file))))
  by <- expecting_functions(code)
  tests <- Filter(function(test) expects(test$code, by), do.call(c, lapply(code, tests_in)))
  core <- list.files(test_path("../core"), "[.]cpp$", full.names = TRUE)
  lines <- as.character(unlist(lapply(core, readLines)))
  blocks <- split(lines, cumsum(grepl("^TEST\\(", lines)))
  checks <- Filter(function(block) any(grepl("CHECK|check_", block[-1])), blocks)
  list(
    r = unlist(lapply(tests, `[[`, "names")),
    core = sub("^TEST\\((.*)\\).*", "\\1", vapply(checks, `[[`, "", 1))
  )
}

known_tests <- names_of_tests()

test_that("a test without an expectation is no test", {
  by <- expecting_functions(as.list(parse(text = c(
    "sane <- function(x) expect_true(x)", "fine <- function(x) sane(x)", "idle <- function(x) x"
  ))))
  expect_setequal(by, c("sane", "fine"))
  found <- tests_in(quote({
    test_that("one", fine(1))
    law("two", function(fit) idle(fit))
  }))
  expect_identical(lapply(found, `[[`, "names"), list("one", "two"))
  expect_identical(vapply(found, function(test) expects(test$code, by), NA), c(TRUE, FALSE))
})

test_that("every item of the external lists has a test that expects something", {
  skip_on_cran() # what R alone does is the same everywhere
  of_core <- "^[a-z0-9_]+$"
  for (list in names(required)) for (item in names(required[[list]])) {
    for (name in required[[list]][[item]]) {
      if (grepl(of_core, name)) {
        if (!length(known_tests$core)) next
        expect_true(name %in% known_tests$core, label = paste(item, "->", name))
      } else {
        found <- any(grepl(name, known_tests$r, fixed = TRUE))
        expect_true(found, label = paste(item, "->", name))
      }
    }
  }
  expect_true(all(nzchar(not_required)) && !anyDuplicated(names(not_required)))
})

test_that("every exception names a law, a model and a kind of response, and has a reason", {
  for (exception in conformance_exceptions) {
    expect_true(exception$law %in% known_tests$r, label = exception$law)
    expect_true(exception$model %in% names(model_specs()))
    expect_true(all(exception$on %in% tasks))
    expect_true(nzchar(exception$reason))
  }
})

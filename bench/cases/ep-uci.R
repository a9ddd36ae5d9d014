# Table 1 of Hernandez-Lobato et al. (2015): seven small sets, inducing inputs as many as 15, 25 and
# 50 % of the training rows, 250 iterations over all rows with sign-adaptive steps.

uci_sets <- c("australian", "breast", "crabs", "heart", "ionosphere", "pima", "sonar")

#' Random splits into 90 % training and 10 % test rows
uci_splits <- 20

uci_problems <- function(quick) {
  grid <- expand.grid(name = uci_sets, percent = c(15, 25, 50), stringsAsFactors = FALSE)
  Map(function(name, percent) {
    splits <- if (quick) 2 else uci_splits
    list(
      name = sprintf("%s, m = %d%%", name, percent), set = name, percent = percent, splits = splits
    )
  }, grid$name, grid$percent, USE.NAMES = FALSE)
}

#' A set with the response in the column `class`
#'
#' "australian, A1" has the first column of Australian as response and the 14 others, the class of
#' the set among them, as inputs. The log losses that the paper prints for Australian are near those
#' of this response.
uci_table <- function(set) {
  if (set != "australian, A1") return(read_uci(set))
  table <- read_uci("australian")
  names(table)[match(c("x1", "class"), names(table))] <- c("class", "approved")
  transform(table, class = factor(class), approved = as.numeric(approved))
}

#' Fits all splits of a set in one process, because starting a process takes longer than a fit
uci_data <- function(problem, seed) {
  table <- uci_table(problem$set)
  if (is.null(table)) return(NULL)
  x <- data.matrix(table[names(table) != "class"])
  y <- table$class
  set.seed(seed)
  held_out <- lapply(seq_len(problem$splits), function(split) sample(nrow(x), round(nrow(x) / 10)))
  rows <- unlist(held_out)
  list(
    x = x, y = y, held_out = held_out, test_y = y[rows],
    split = rep(seq_along(held_out), lengths(held_out))
  )
}

#' Start values of the paper: random rows as inducing inputs, the lengthscale from their distances
fit_split <- function(data, rows, percent, job, ...) {
  x <- data$x[-rows, ]
  chosen <- sample(nrow(x), round(percent / 100 * nrow(x)))
  start <- start_lengthscale(x, chosen)
  ep_gp(x, data$y[-rows],
    kernel = kernel_rbf(1, rep(start, ncol(x))) + kernel_white(1e-3), inducing = x[chosen, ],
    seed = job$seed, threads = job$threads, verbose = FALSE, ...
  )
}

uci_engine <- function(percent, method) {
  force(percent)
  force(method)
  new_engine(
    packages = "gpsieve",
    fit = function(data, job) {
      set.seed(job$seed)
      lapply(data$held_out, fit_split,
        data = data, percent = percent, job = job, method = method,
        learn_inducing = TRUE,
        control = paper_control(max_iter = 250, optimiser = "sign_adaptive")
      )
    },
    predict = function(fits, data) {
      of_split <- function(fit, rows) predict(fit, data$x[rows, ], type = "prob")
      probability <- do.call(rbind, Map(of_split, fits, data$held_out))
      list(class = colnames(probability)[max.col(probability)], probability = probability)
    },
    size = function(fits) nrow(inducing(fits[[1L]]))
  )
}

uci_case <- list(
  about = "Seven UCI sets, EP, stochastic EP and ADF on 15, 25 and 50 % inducing inputs",
  shows = paste(
    "Table 1 of Hernandez-Lobato et al. (2015): seven sets, m = 15, 25 and 50 % of the training",
    "rows, 250 iterations over all rows with sign-adaptive steps, random splits 90 / 10: 20",
    "splits; stored results with fewer say so. All splits of a set run in one process: size and",
    "time are sums over its fits, log loss has the standard deviation over splits."
  ),
  packages = "gpsieve",
  seeds = 1L,
  problems = uci_problems,
  data = uci_data,
  engines = function(problem) {
    engine <- function(method) uci_engine(problem$percent, method)
    list("adf" = engine("adf"), "ep" = engine("ep"), "sep" = engine("sep"))
  }
)

# --- comparison with gplite ---------------------------------------------------------------------

#' EP by gplite with the same number of inducing inputs and one lengthscale for all inputs
#'
#' The start values are gplite's defaults, as in its documentation.
gplite_engine <- function(percent, blas = NULL) {
  force(percent)
  new_engine(
    packages = "gplite", blas = blas,
    fit = function(data, job) {
      lapply(data$held_out, function(rows) {
        # gplite cannot scale a column whose values are all equal.
        varying <- apply(data$x[-rows, ], 2L, stats::sd) > 0
        x <- scale(data$x[-rows, varying])
        gp <- gp_init(
          cfs = cf_sexp(), lik = lik_bernoulli(link = "probit"),
          method = method_fitc(num_inducing = round(percent / 100 * nrow(x)), seed = job$seed),
          approx = approx_ep()
        )
        y <- as.integer(data$y[-rows]) - 1L
        list(
          gp = gp_optim(gp, x, y, verbose = FALSE), varying = varying,
          center = attr(x, "scaled:center"), spread = attr(x, "scaled:scale")
        )
      })
    },
    predict = function(fits, data) {
      of_split <- function(fit, rows) {
        x <- scale(data$x[rows, fit$varying], fit$center, fit$spread)
        p <- gp_pred(fit$gp, x, transform = TRUE)$mean
        two_columns(pmin(pmax(as.numeric(p), 1e-15), 1 - 1e-15), data$y)
      }
      probability <- do.call(rbind, Map(of_split, fits, data$held_out))
      list(class = colnames(probability)[max.col(probability)], probability = probability)
    },
    size = function(fits) fits[[1L]]$gp$method$num_inducing
  )
}

uci_peers_case <- list(
  about = "Four splits of the seven UCI sets at 15 %: EP and stochastic EP beside gplite's EP",
  shows = paste(
    "Four of those splits at 15 %: EP and stochastic EP beside EP by `gplite`, which has one",
    "lengthscale for all inputs. It runs with R's BLAS and with OpenBLAS. It compiles for some",
    "minutes; GPBoost, which takes far longer, is not compared."
  ),
  packages = c("gpsieve", "gplite"),
  seeds = 1L,
  problems = function(quick) {
    few <- Filter(function(problem) problem$percent == 15, uci_problems(quick))
    lapply(few, utils::modifyList, list(splits = if (quick) 1 else 4))
  },
  data = uci_data,
  engines = function(problem) {
    list(
      "ep" = uci_engine(problem$percent, "ep"), "sep" = uci_engine(problem$percent, "sep"),
      "gplite" = gplite_engine(problem$percent),
      "gplite, OpenBLAS" = gplite_engine(problem$percent, open_blas)
    )
  }
)

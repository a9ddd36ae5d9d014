# ep_gp() on hard data.

test_that("separable classes and 40 % flipped labels give an answer", {
  hard <- list(factor(ep_x[, 1] > 0), noisy_labels(ep_x, 0.4))
  for (y in hard) for (method in c("ep", "sep", "adf")) for (batch_size in list(NULL, 20)) {
    fit <- whatever_it_learns(ep_gp(ep_x, y,
      inducing = 10, method = method, batch_size = batch_size,
      epochs = if (!is.null(batch_size)) 30, seed = 1, verbose = FALSE,
      control = control_ep(max_iter = 80)
    ))
    expect_possible(fit)
    expect_true(all(is.finite(coef(fit))))
  }
})

test_that("likelihoods that are not log-concave give a finite evidence in minibatches", {
  outliers <- ep_y + ifelse(seq_along(ep_y) %% 7 == 0, 10, 0)
  for (batch_size in c(1, 7, 30)) for (scale in c(0.01, 0.1)) {
    fit <- ep_fixed(ep_x, outliers, kernel_rbf(100, 0.3), likelihood = lik_student(1, scale),
      inducing = 20, batch_size = batch_size, epochs = 2
    )
    expect_true(all(is.finite(unlist(evidence(fit, gradient = TRUE)[c("value", "gradient")]))))
    expect_true(all(is.finite(loo(fit))))
    expect_possible(fit)
  }
})

test_that("lengthscales driven to their bounds stay finite", {
  noise <- with_own_seed(12, factor(sample(c("a", "b"), 60, TRUE)))
  line <- factor(ep_x[, 1] > 0)
  with_large_steps <- function(code) {
    with_functions(list(learning_rate = function(control, minibatches) 5), whatever_it_learns(code))
  }
  for (y in list(noise, line)) for (method in c("ep", "sep")) {
    for (optimiser in c("adam", "adadelta", "sign_adaptive")) {
      fit <- with_large_steps(ep_gp(ep_x, y, kernel_rbf(1, c(1, 1)),
        inducing = 8, method = method, seed = 1, verbose = FALSE,
        control = control_ep(optimiser = optimiser, max_iter = 60)
      ))
      expect_possible(fit)
      expect_true(all(is.finite(coef(fit)) & coef(fit) > 0))
    }
  }
})

test_that("a kernel of one's own works as the built-in one does", {
  own <- kernel_function(function(x, z) rbf(x, z, 2, 0.8))
  for (method in c("ep", "sep")) {
    settings <- list(x = ep_x, y = ep_class, method = method)
    one <- do.call(ep_fixed, c(settings, kernel = list(own)))
    two <- do.call(ep_fixed, c(settings, kernel = list(kernel_rbf(2, 0.8))))
    expect_same_link(one, two)
    expect_equal(evidence(one)$value, evidence(two)$value, tolerance = 1e-8)
  }
  for (optimiser in c("adadelta", "nlminb")) {
    learned <- ep_gp(ep_x, ep_class, own * kernel_constant(1), inducing = ep_z, method = "ep",
      seed = 1, standardise = FALSE, verbose = FALSE,
      control = control_ep(optimiser = optimiser, max_iter = 50)
    )
    expect_possible(learned)
    expect_gt(abs(coef(learned)[[1]] - 1), 0.01)
    expect_equal(unname(inducing(learned)), unname(ep_z), tolerance = 1e-14)
  }
})

test_that("units of measurement mean nothing, however large or small", {
  for (size in c(1e-150, 1e-8, 1e8, 1e150)) {
    plain <- ep_fixed(ep_x, ep_y, standardise = TRUE, control = control_ep())
    scaled <- ep_fixed(ep_x * size, ep_y, inducing = ep_z * size, standardise = TRUE,
      control = control_ep()
    )
    expect_equal(ep_link(scaled, ep_new * size), ep_link(plain), tolerance = 1e-6)
    response <- ep_fixed(ep_x, ep_y * size, standardise = TRUE, control = control_ep())
    expect_equal(lapply(ep_link(response), `/`, size), ep_link(plain), tolerance = 1e-6)
  }
})

test_that("one row, one column, one inducing input are enough", {
  one <- ep_x[, 1, drop = FALSE]
  for (init in c("ivm", "kmeans", "random")) {
    fit <- ep_fixed(one, ep_class, inducing = 1, inducing_init = init)
    expect_identical(dim(inducing(fit)), c(1L, 1L))
    expect_possible(fit, ep_new[, 1, drop = FALSE])
  }
  # A single row is left where the other is held out.
  single <- ep_fixed(one[1:2, , drop = FALSE], factor(1:2), inducing = 1,
    control = control_ep(validation = 0.4)
  )
  expect_length(loo(single), 1)
  expect_possible(ep_fixed(ep_x[1:2, 1, drop = FALSE], factor(1:2), inducing = 1),
    ep_new[, 1, drop = FALSE]
  )
  expect_possible(ep_gp(ep_x, ep_y, inducing = 1, seed = 1, verbose = FALSE))
  constant <- cbind(ep_x, c = 1)
  expect_possible(ep_gp(constant, ep_class, inducing = 5, seed = 1, verbose = FALSE,
    control = control_ep(max_iter = 10)
  ), cbind(ep_new, c = 1))
})

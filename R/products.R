# Products of columns in a formula, a:b, where the columns are in the formula by themselves too.
# Such a product is no input of its own: where a column is moved, its products move with it.

# These products: list(columns, factors) for each, the numbers of its columns in the model matrix
# and, for each variable of the product, the numbers of the columns that it has by itself
product_terms <- function(fit) products_of_design(fit$blueprint$design)

products_of_design <- function(design) {
  if (all(lengths(design$terms) < 2L)) return(list())
  columns <- columns_of_design(design)
  alone <- which(lengths(design$terms) == 1L)
  place <- function(term) alone[match(term, unlist(design$terms[alone]))]
  products <- Filter(function(t) length(design$terms[[t]]) > 1L && !anyNA(place(design$terms[[t]])),
    seq_along(design$terms))
  lapply(products, function(t) {
    list(columns = columns[[t]], factors = columns[place(design$terms[[t]])])
  })
}

columns_of_products <- function(design) {
  unlist(lapply(products_of_design(design), `[[`, "columns"))
}

# The numbers of the columns of the model matrix that each term of a design makes
columns_of_design <- function(design) {
  widths <- vapply(design$encodings, encoding_width, 0L)
  sizes <- vapply(design$terms, function(term) as.integer(prod(widths[term])), 0L)
  Map(function(last, size) seq(last - size + 1L, length.out = size), cumsum(sizes), sizes)
}

# Rows of the model matrix whose products are those of their columns
with_products <- function(x, products) {
  for (product in products) {
    of <- lapply(product$factors, function(columns) x[, columns, drop = FALSE])
    x[, product$columns] <- Reduce(multiply_columns, lapply(of, `colnames<-`, NULL))
  }
  x
}

# Rows on the scale of computation with the products of their columns
with_scaled_products <- function(x, products, scales) {
  if (!length(products)) return(x)
  apply_scales(with_products(undo_scales(x, scales), products), scales)
}

# What happens when the package is loaded: models and methods for other packages are registered, and
# the instruction set is that of options(gpsieve.isa), where it is set.

.onLoad <- function(libname, pkgname) {
  if (isNamespaceLoaded("parsnip")) register_parsnip_models()
  else setHook(packageEvent("parsnip", "onLoad"), function(...) register_parsnip_models())
  register_with_mlr3()
  register_with_marginaleffects()
  isa <- getOption("gpsieve.isa")
  if (is.null(isa)) return(invisible())
  known <- call_core(core_isas)
  if (!is_string(isa) || !isa %in% known) {
    warning("options(gpsieve.isa) must be one of ", paste0('"', known, '"', collapse = ", "),
      "; it is ignored.",
      call. = FALSE)
  } else if (!call_core(core_set_isa, isa)) {
    warning("This processor or build does not have ", isa, "; options(gpsieve.isa) is ignored.",
      call. = FALSE)
  }
}

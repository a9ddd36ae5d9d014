#include "convert_online.h"

#include "convert.h"

namespace gpsieve {
namespace {

PendingRows pending_rows(const Rcpp::List& list) {
  return {vector(list["start"]), matrix(list["squares"]), vector(list["signs"]),
          matrix(list["own"])};
}

Rcpp::List wrap_pending_rows(const PendingRows& rows) {
  return Rcpp::List::create(
      Rcpp::_["start"] = wrap_vector(rows.start), Rcpp::_["squares"] = wrap_matrix(rows.squares),
      Rcpp::_["signs"] = wrap_vector(rows.signs), Rcpp::_["own"] = wrap_matrix(rows.own));
}

}  // namespace

std::vector<OnlineState> online_states(const Rcpp::List& list) {
  std::vector<OnlineState> out(static_cast<std::size_t>(list.size()));
  for (R_xlen_t c = 0; c < list.size(); ++c) {
    const Rcpp::List item = list[c];
    OnlineState& state = out[c];
    for (const int row : Rcpp::as<std::vector<int>>(item["basis"]))
      state.basis.push_back(static_cast<Index>(row) - 1);
    state.weights = vector(item["weights"]);
    state.form = matrix(item["form"]);
    state.whitening = matrix(item["whitening"]);
    state.mean = vector(item["mean"]);
    state.precision = matrix(item["precision"]);
    state.weight_variance = vector(item["leverage"]);
    state.stiffness = vector(item["stiffness"]);
    state.site_precision = vector(item["site_precision"]);
    state.site_shift = vector(item["site_shift"]);
    state.log_evidence = Rcpp::as<double>(item["log_evidence"]);
    state.since_refresh = Rcpp::as<int>(item["since_refresh"]);
    state.refreshed = Rcpp::as<int>(item["refreshed"]);
    state.pending = pending_rows(item["pending"]);
  }
  return out;
}

Rcpp::List wrap_online_states(const std::vector<OnlineState>& states) {
  Rcpp::List out(static_cast<R_xlen_t>(states.size()));
  for (R_xlen_t c = 0; c < out.size(); ++c) {
    const OnlineState& state = states[c];
    out[c] = Rcpp::List::create(Rcpp::_["mean"] = wrap_vector(state.mean),
                                Rcpp::_["precision"] = wrap_matrix(state.precision),
                                Rcpp::_["leverage"] = wrap_vector(state.weight_variance),
                                Rcpp::_["stiffness"] = wrap_vector(state.stiffness),
                                Rcpp::_["site_precision"] = wrap_vector(state.site_precision),
                                Rcpp::_["site_shift"] = wrap_vector(state.site_shift),
                                Rcpp::_["log_evidence"] = state.log_evidence,
                                Rcpp::_["since_refresh"] = static_cast<int>(state.since_refresh),
                                Rcpp::_["refreshed"] = static_cast<int>(state.refreshed),
                                Rcpp::_["pending"] = wrap_pending_rows(state.pending));
  }
  return out;
}

}  // namespace gpsieve

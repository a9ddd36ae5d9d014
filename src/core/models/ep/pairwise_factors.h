// Factors of a joint model of several classes, in which the class of a row is that of its largest
// latent function (Villacampa-Calvo and Hernandez-Lobato 2017; theory.md#several-classes):
//   p(y | f) = prod over k != y of Theta(f_y + e_y - f_k - e_k),  e ~ N(0, noise / 2).
// A row has one factor for every class k other than its own, a probit in f_y - f_k.
#ifndef GPSIEVE_MODELS_EP_PAIRWISE_FACTORS_H
#define GPSIEVE_MODELS_EP_PAIRWISE_FACTORS_H

#include <memory>

#include "sparse_ep/factors.h"

namespace gpsieve {

// label: class of each row, from 0. weight: case weight of each row, or empty.
std::unique_ptr<Factors> pairwise_factors(const Indices& label, Index classes, double noise,
                                          VectorIn prior_mean, Vector weight = {});

// Pairwise factors of rows whose responses come later, by Factors::hold(): indicators of the
// classes, of which the largest in a row is that of its class. class_rows: how many rows each class
// has.
std::unique_ptr<Factors> pairwise_factors(VectorIn class_rows, double noise, VectorIn prior_mean);

}  // namespace gpsieve

#endif

// Several classes at once: the class of a row is that of its largest latent function,
//   p(y | f) = prod over k != y of Theta(f_y + e_y - f_k - e_k),  e ~ N(0, noise / 2).
// One factor per row and other class, each a probit in two latent functions (Villacampa-Calvo and
// Hernandez-Lobato 2017; math: EP, section 11). For two classes it is the probit of the difference.
#ifndef GPSIEVE_MODELS_EP_PAIRWISE_FACTORS_H
#define GPSIEVE_MODELS_EP_PAIRWISE_FACTORS_H

#include <memory>

#include "sparse_ep/factors.h"

namespace gpsieve {

// label: 0-based class of each row.
std::unique_ptr<Factors> pairwise_factors(const Indices& label, Index classes, double noise,
                                          VectorIn prior_mean);

}  // namespace gpsieve

#endif

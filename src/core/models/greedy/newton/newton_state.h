// Newton's method for a log-concave model restricted to a span, in coordinates in which the prior
// is the identity, theory.md (17) to (19): f = prior mean + Z beta and
//   J(beta) = sum_i c_i(f_i) + |beta|^2 / 2,  c_i = -log p(y_i | f_i),
//   gradient Z'c1 + beta,  Hessian H = I + Z' diag(c2) Z.
#ifndef GPSIEVE_MODELS_GREEDY_NEWTON_NEWTON_STATE_H
#define GPSIEVE_MODELS_GREEDY_NEWTON_NEWTON_STATE_H

#include "base/context.h"
#include "likelihood/case_terms.h"
#include "likelihood/likelihood.h"

namespace gpsieve {

class NewtonState {
 public:
  NewtonState(const Likelihood& likelihood, MatrixIn y, double prior_mean,
              const CaseTerms& cases = {});

  double objective() const { return objective_; }      // J
  const Vector& coordinates() const { return beta_; }  // beta
  const Vector& latent() const { return latent_; }     // f
  const Vector& slope() const { return slope_; }       // c1, that of all copies of a row together
  // c2, where it is not negative; for a likelihood of numbers that is not log-concave a
  // majoriser's: then J still decreases at every full step, to a stationary point.
  const Vector& curvature() const { return curvature_; }
  // The factor of H, and the curvature c2 it was computed with.
  const Matrix& factor() const { return factor_; }
  const Vector& factored_curvature() const { return factored_; }

  void start_from(MatrixIn z, VectorIn beta, const Context& ctx);
  // z has a new last column, on which beta starts at 0.
  void extend();
  // Newton steps with backtracking until the decrement is below `tolerance` times max(1, |J|).
  void solve(MatrixIn z, double tolerance, const Context& ctx);
  // For a likelihood that is not log-concave solve() uses a majorising curvature and converges
  // linearly; polish() takes Newton steps with the true curvature from there. It does nothing for
  // log-concave likelihoods.
  void polish(MatrixIn z, double tolerance, const Context& ctx);
  // Borders the factor of H by z's last column with the frozen curvature, and takes one
  // quasi-Newton step: O(mn).
  void border_step(MatrixIn z, const Context& ctx);
  // The factor of I + Z' diag(true c2) Z at the present f. Throws NotPositiveDefinite where a
  // likelihood that is not log-concave has no maximum there.
  Matrix laplace_factor(MatrixIn z, const Context& ctx) const;
  Vector gradient(MatrixIn z, const Context& ctx) const;  // Z'c1 + beta

 private:
  // What a step depends on.
  struct Terms {
    Vector latent, slope, curvature;
    double objective;
  };
  double evaluate_rows(VectorIn f, Index begin, Index rows, Terms& terms) const;
  Terms terms_at(MatrixIn z, VectorIn beta, const Context& ctx) const;
  void move_to(Terms& terms, const Vector& beta);
  Vector factorise(MatrixIn z, const Context& ctx);
  bool step_along(MatrixIn z, VectorIn direction, double decrement, const Context& ctx);

  const Likelihood& likelihood_;
  Matrix y_;
  Vector prior_means_, weight_;
  Vector beta_, latent_, slope_, curvature_, factored_;
  Matrix factor_;
  double objective_ = 0.0;
};

// out += Z beta, and Z'v for columns v, in chunks of rows; the host is polled between some of them.
void add_along_span(MatrixIn z, VectorIn beta, VectorOut out, const Context& ctx);
Matrix onto_span(MatrixIn z, MatrixIn v, const Context& ctx);
// I + Z' diag(w) Z, lower triangle, and `also` Z'v; Z in chunks of rows, no second matrix of its
// size.
struct OntoSpan {
  const Vector& v;
  Vector& out;
};
Matrix identity_plus_gram(MatrixIn z, VectorIn w, const Context& ctx,
                          const OntoSpan* also = nullptr);

}  // namespace gpsieve

#endif

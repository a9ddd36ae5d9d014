// The mean-field equations and their solution (theory.md#mean-field-equations).
//
// For given cavity variances s the weights u solve
//
//   u_i = d log Z_i / d m_i,   m = (K - S) u,   Z_i = integral p(y_i | f) N(f | b + m_i, s_i) df,
//
// theory.md (3) and (4). Everything else comes from the factor of B, theory.md (8).
#ifndef GPSIEVE_MODELS_MEANFIELD_FIELDS_H
#define GPSIEVE_MODELS_MEANFIELD_FIELDS_H

#include "base/context.h"
#include "base/types.h"
#include "likelihood/likelihood.h"

namespace gpsieve {

struct FieldProblem {
  Eigen::Ref<const Matrix> k;  // full symmetric
  const Likelihood& likelihood;
  Matrix y;  // the responses of a latent function
  double prior_mean;
  Vector prior_means;  // of every row: its offset included
  Vector copies;       // case weights w
};

// Weights u and the values that follow from them. A row with a case weight stands for w equal rows,
// whose numbers are the same: each is that of one copy (theory.md#case-weights).
struct FieldPoint {
  Vector weights;         // u
  Vector mean;            // m
  Vector log_z, slope;    // log Z_i and its derivative by m_i
  Vector curvature;       // W, minus the second derivative
  double residual = 0.0;  // of the equations, see theory.md#newtons-method
  double slope_scale = 1.0;
};

// Solves the mean-field equations for given cavity variances, with one matrix of work space. The
// solution is unique for a log-concave likelihood.
class FieldSolver {
 public:
  // `work` is n x n; its lower triangle holds the factor of B or the inverse of that factor.
  FieldSolver(const FieldProblem& problem, MatrixOut work, const Context& ctx);

  const FieldProblem& problem() const { return problem_; }
  const FieldPoint& point() const { return point_; }
  const Vector& cavity_variance() const { return s_; }
  Vector variance_ratio() const;  // r of theory.md (6)

  void set_cavities(const Vector& s);
  void start_from(const Vector& weights);
  // Starts from the weights of the full Newton step from a point of these means. Where the kernel
  // has changed, means that solved the equations are much nearer the solution than weights.
  void start_from_means(const Vector& mean);

  // theory.md#newtons-method. Returns false if max_steps Newton steps did not suffice; with 0 only
  // chord steps are taken.
  bool solve(double tolerance, int max_steps);

  void factor();  // work = L, L L' = B at the current point
  bool is_factored() const { return holds_ != Work::unused && is_current(); }  // L or L^-1
  void invert();                                                               // work = L^-1
  void release();                       // declares the work space overwritten by its owner
  void apply_inverse(Vector& x) const;  // x = B^-1 x, from L or its inverse
  const Eigen::Ref<Matrix>& work() const { return work_; }
  Vector diagonal() const;  // of B when last factored, theory.md (8)

  double energy() const { return energy(point_); }               // F0 of theory.md (10)
  double half_log_determinant() const { return half_log_det_; }  // of B when last factored
  const Vector& root() const { return root_; }                   // (w W)^1/2 when last factored
  // The coefficients w u of the kernel functions.
  Vector coefficients() const { return problem_.copies.cwiseProduct(point_.weights); }

 private:
  enum class Work { unused, factor, inverse };

  Vector cavity_means(const Vector& u) const;  // (K - S) u
  void evaluate(FieldPoint& point) const;      // all but the weights and means of the point
  double energy(const FieldPoint& point) const;
  bool is_current() const;  // the last factor is that of B at the current point
  double rounding() const;
  Vector newton_target();  // the weights of the full Newton step, theory.md (16)
  bool newton_step();
  bool chord_step();
  bool independent_start();
  bool is_better_than(const FieldPoint& before) const;
  void coordinate_ascent(int sweeps);
  double solve_row(Index i, double rest, double start) const;

  const FieldProblem problem_;
  Eigen::Ref<Matrix> work_;
  const Context& ctx_;
  Vector s_;
  // 1 / W at the prior mean, and the scales c of f under Z_i (theory.md#newtons-method).
  Vector inverse_curvature_, scale_;
  FieldPoint point_;
  Vector root_;
  Vector factored_curvature_, factored_s_;  // W and s when B was last factored
  double half_log_det_ = 0.0;
  Work holds_ = Work::unused;
};

}  // namespace gpsieve

#endif

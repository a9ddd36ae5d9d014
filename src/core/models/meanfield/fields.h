// The fields of a mean-field approximation and the equations they satisfy.
//
// The model: f_i = prior_mean + a_i, a ~ N(0, K), y_i ~ p(y_i | f_i). Every method of the family
// gives row i a cavity variance s_i and solves for the weights u
//
//   u_i = d log Z_i / d m_i,   m = (K - S) u,   Z_i = integral p(y_i | f) N(f | m_i, s_i) df   (E)
//
// (m without the prior mean). With a probit of noise v this is the step likelihood on K + v I with
// cavity variances s_i + v (math: mean field, sections 0 and 1). With W_i = -d^2 log Z_i / d m_i^2
// and room_i = 1 - W_i s_i in [0, 1], everything else comes from the factor of
//
//   B = I + W^1/2 (K - S) W^1/2,  whose diagonal is room_i + W_i K_ii:
//   R = (K + T^-1)^-1 = W^1/2 B^-1 W^1/2 with the site precisions T = W / room.
#ifndef GPSIEVE_MODELS_MEANFIELD_FIELDS_H
#define GPSIEVE_MODELS_MEANFIELD_FIELDS_H

#include "base/context.h"
#include "base/types.h"
#include "likelihood/likelihood.h"

namespace gpsieve {

struct FieldProblem {
  const Matrix& k;  // full symmetric
  const Likelihood& likelihood;
  Vector y;
  double prior_mean;
};

// A point u with all that belongs to it.
struct FieldPoint {
  Vector weights;         // u
  Vector mean;            // m
  Vector log_z, slope;    // of Z_i, its first derivative
  Vector curvature;       // W
  double residual = 0.0;  // rms of (u - slope) times the unit of f
  double typical = 1.0;   // rms of the slopes times the unit, at least 1
};

// Solves (E) for given cavity variances, one matrix of work space. The solution is unique for a
// log-concave likelihood (section 1).
class FieldSolver {
 public:
  // `work` is n x n; its lower triangle holds the factor or its inverse.
  FieldSolver(const FieldProblem& problem, Matrix& work, const Context& ctx);

  const FieldProblem& problem() const { return problem_; }
  const FieldPoint& point() const { return point_; }
  const Vector& cavity_variance() const { return s_; }
  Vector room() const;  // 1 - W s

  void set_cavities(const Vector& s);
  void start_from(const Vector& weights);

  // Newton's method with step halving, cheap steps with an old factor where they contract, and
  // coordinate ascent where halving fails (section 3). False if max_steps did not suffice.
  bool solve(double tolerance, int max_steps);

  void factor();                        // work = L, L L' = B at the current point
  void invert();                        // work = L^-1
  void release();                       // the work space is used for something else now
  void apply_inverse(Vector& x) const;  // x = B^-1 x, from L or its inverse
  const Matrix& work() const { return work_; }

  double energy() const { return energy(point_); }  // F0 = -sum log Z + u'(K - S) u / 2
  double half_log_determinant() const { return half_log_det_; }  // of B when last factored
  const Vector& root() const { return root_; }                   // W^1/2 when last factored
  int factorisations() const { return factorisations_; }

 private:
  enum class Work { unused, factor, inverse };

  Vector linear(const Vector& u) const;    // (K - S) u
  void evaluate(FieldPoint& point) const;  // sites and residual from weights and mean
  static double energy(const FieldPoint& point);
  bool is_current() const;  // B is that of the current point
  double rounding() const;
  Vector newton_target();  // the weights of the full step
  bool newton_step();
  bool chord_step();
  bool independent_start();
  void coordinate_ascent(int sweeps);
  double solve_row(Index i, double rest, double start) const;

  const FieldProblem problem_;
  Matrix& work_;
  const Context& ctx_;
  Vector s_;
  Vector own_unit_, unit_;  // squared unit of f in the likelihood itself; unit of f under Z_i
  FieldPoint point_;
  Vector root_;
  Vector factored_curvature_, factored_s_;  // what B was made of
  double half_log_det_ = 0.0;
  Work holds_ = Work::unused;
  int factorisations_ = 0;
};

}  // namespace gpsieve

#endif

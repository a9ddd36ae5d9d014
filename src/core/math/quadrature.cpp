#include "math/quadrature.h"

#include <Eigen/Eigenvalues>
#include <algorithm>
#include <array>
#include <cmath>

#include "base/error.h"
#include "math/constants.h"

namespace gpsieve {
namespace {

// The orthonormal Hermite functions psi_k(x) = He_k(x) exp(-x^2 / 4) / sqrt(k!) of orders n and
// n - 1: bounded, where the polynomials overflow. 0 far outside the nodes.
struct HermitePair {
  double current, previous;
};
HermitePair hermite_functions(Index n, double x) {
  double previous = 0.0;
  double current = std::exp(-0.25 * x * x);
  for (Index k = 0; k < n; ++k) {
    const double next = (x * current - std::sqrt(static_cast<double>(k)) * previous) /
                        std::sqrt(static_cast<double>(k + 1));
    previous = current;
    current = next;
  }
  return {current, previous};
}

using Values = std::array<double, kMaxIntegrands>;

// QUADPACK's qk15: Kronrod nodes, every second of which is a Gauss node, on [-1, 1].
constexpr int kHalf = 8;
constexpr double kNodes[kHalf] = {
    0.991455371120812639206854697526329, 0.949107912342758524526189684047851,
    0.864864423359769072789712788640926, 0.741531185599394439863864773280788,
    0.586087235467691130294144838258730, 0.405845151377397166906606412076961,
    0.207784955007898467600689403773245, 0.0};
constexpr double kKronrod[kHalf] = {
    0.022935322010529224963732008058970, 0.063092092629978553290700663189204,
    0.104790010322250183839876322541518, 0.140653259715525918745189590510238,
    0.169004726639267902826583426598550, 0.190350578064785409913256402421014,
    0.204432940075298892414161999234649, 0.209482141084727828012999174891714};
constexpr double kGauss[kHalf] = {
    0.0, 0.129484966168869693270611432679082, 0.0, 0.279705391489276667901467771423780,
    0.0, 0.381830050505118944950369775488975, 0.0, 0.417959183673469387755102040816327};

struct Panel {
  double from, to;
  Values kronrod, gauss, magnitude;
};

Panel evaluate(const Integrands& integrands, int count, double from, double to) {
  Panel panel{from, to, {}, {}, {}};
  const double half = 0.5 * (to - from);
  const double middle = from + half;
  Values values{};
  auto add = [&](int i, double x) {
    integrands(x, values.data());
    for (int k = 0; k < count; ++k) {
      panel.kronrod[k] += half * kKronrod[i] * values[k];
      panel.gauss[k] += half * kGauss[i] * values[k];
      panel.magnitude[k] += half * kKronrod[i] * std::abs(values[k]);
    }
  };
  for (int i = 0; i < kHalf - 1; ++i) {
    add(i, middle - half * kNodes[i]);
    add(i, middle + half * kNodes[i]);
  }
  add(kHalf - 1, middle);
  return panel;
}

bool resolved(const Panel& panel, int count, double tolerance, const Values& magnitude) {
  for (int k = 0; k < count; ++k)
    if (std::abs(panel.kronrod[k] - panel.gauss[k]) > tolerance * magnitude[k]) return false;
  return true;
}

}  // namespace

GaussHermite gauss_hermite(Index order) {
  if (order < 1) throw InvalidSpec("a quadrature rule needs at least one node");
  const double n = static_cast<double>(order);
  // Starting points: eigenvalues of the Jacobi matrix (Golub & Welsch 1969).
  Vector nodes = Vector::Zero(order);
  if (order > 1) {
    const Vector off_diagonal =
        Vector::LinSpaced(order - 1, 1.0, static_cast<double>(order - 1)).cwiseSqrt();
    Eigen::SelfAdjointEigenSolver<Matrix> solver;
    solver.computeFromTridiagonal(nodes, off_diagonal, Eigen::EigenvaluesOnly);
    nodes = solver.eigenvalues();
  }
  GaussHermite rule{nodes, Vector(order), Vector(order)};
  for (Index i = 0; i < order; ++i) {
    double x = rule.nodes[i];
    // At a zero of psi_n its derivative is sqrt(n) psi_{n-1}. Two steps from 1e-13 are enough.
    for (int step = 0; step < 2; ++step) {
      const HermitePair psi = hermite_functions(order, x);
      x -= psi.current / (std::sqrt(n) * psi.previous);
    }
    const double psi = hermite_functions(order, x).previous;
    rule.nodes[i] = x;
    rule.line_weights[i] = kSqrt2Pi / (n * psi * psi);
    rule.weights[i] = std::exp(-0.5 * x * x) / (n * psi * psi);
  }
  return rule;
}

const GaussKronrod& gauss_kronrod() {
  static const GaussKronrod rule = [] {
    GaussKronrod out{};
    for (int i = 0; i < kKronrodNodes; ++i) {
      const int from = i < kHalf ? i : kKronrodNodes - 1 - i;
      out.nodes[i] = i < kHalf ? -kNodes[from] : kNodes[from];
      out.kronrod[i] = kKronrod[from];
      out.gauss[i] = kGauss[from];
    }
    return out;
  }();
  return rule;
}

void integrate_panels(const Integrands& integrands, int count, const std::vector<double>& breaks,
                      double tolerance, double* integrals) {
  constexpr std::size_t kMaxPanels = 1000;
  constexpr double kNarrowest = 1e-14;  // relative to the position: nodes would coincide
  constexpr double kGrading = 4.0;
  std::vector<Panel> panels, next;  // in ascending order
  for (std::size_t i = 1; i < breaks.size(); ++i)
    if (breaks[i] > breaks[i - 1])
      panels.push_back(evaluate(integrands, count, breaks[i - 1], breaks[i]));

  auto width = [&](std::size_t i) { return panels[i].to - panels[i].from; };
  auto coarse = [&](std::size_t i) {
    return (i > 0 && width(i) > kGrading * width(i - 1)) ||
           (i + 1 < panels.size() && width(i) > kGrading * width(i + 1));
  };
  for (bool refined = true; refined && panels.size() < kMaxPanels; panels.swap(next)) {
    refined = false;
    next.clear();
    Values magnitude{};
    for (const Panel& panel : panels)
      for (int k = 0; k < count; ++k) magnitude[k] += panel.magnitude[k];
    for (std::size_t i = 0; i < panels.size(); ++i) {
      const double from = panels[i].from, to = panels[i].to;
      const bool divisible = to - from > kNarrowest * std::max(std::abs(from), std::abs(to));
      if (divisible && (coarse(i) || !resolved(panels[i], count, tolerance, magnitude))) {
        const double middle = from + 0.5 * (to - from);
        next.push_back(evaluate(integrands, count, from, middle));
        next.push_back(evaluate(integrands, count, middle, to));
        refined = true;
      } else {
        next.push_back(panels[i]);
      }
    }
  }
  for (int k = 0; k < count; ++k) {
    integrals[k] = 0.0;
    for (const Panel& panel : panels) integrals[k] += panel.kronrod[k];
  }
}

}  // namespace gpsieve

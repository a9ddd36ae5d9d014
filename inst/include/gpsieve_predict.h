// Predictions from a file that export_model() of the R package gpsieve wrote. This header and the
// one beside it, which reads the file, need C++17 and its standard library, nothing else.
//
//   std::ifstream file("model.json");
//   const gpsieve_predict::Model model(file);
//   const auto p = model.predict({{"speed", 21.0}, {"make", "Volvo"}});
//   p.mean, p.variance;   p.probability[0] of model.levels()[0], ...
//
// Every model is a Gaussian process on basis points B. Its latent functions have at x
//   mean = prior_mean + k_B(x)' weights
//   variance = prior_scale k(x, x) - |D k_B(x)|^2 + |U k_B(x)|^2 + form.
// Whatever is wrong with the file or a row is a std::runtime_error. A Model does not change:
// several threads may predict from one.
#ifndef GPSIEVE_PREDICT_H
#define GPSIEVE_PREDICT_H

#include <algorithm>
#include <cmath>
#include <cstddef>
#include <istream>
#include <map>
#include <string>
#include <utility>
#include <vector>

#include "gpsieve_predict_json.h"
#include "gpsieve_predict_kernel.h"

namespace gpsieve_predict {

// log of the standard normal distribution function; below -8 by Laplace's continued fraction.
inline double log_normal_cdf(double z) {
  if (z > 0.0) return std::log1p(-0.5 * std::erfc(z / std::sqrt(2.0)));
  if (z > -8.0) return std::log(0.5 * std::erfc(-z / std::sqrt(2.0)));
  double mills = -z;
  for (int k = 80; k > 0; --k) mills = -z + k / mills;
  return -0.5 * z * z - 0.5 * std::log(2.0 * kPi) - std::log(mills);
}

// log of the integral of exp(log_p(f)) N(f | mean, var) df by the trapezoidal rule, for a concave
// log_p, about the mode of the integrand, which lies within `reach` of the mean.
template <class LogP>
double log_expectation(const LogP& log_p, double mean, double var, double reach) {
  if (!(var > 0.0)) return log_p(mean);
  const auto at = [&](double f) { return log_p(f) - 0.5 * (f - mean) * (f - mean) / var; };
  double low = mean - reach, high = mean + reach;
  for (int step = 0; step < 120; ++step) {
    const double a = low + (high - low) / 3.0, b = high - (high - low) / 3.0;
    (at(a) < at(b) ? low : high) = at(a) < at(b) ? a : b;
  }
  const double mode = 0.5 * (low + high), top = at(mode);
  double last = kNaN, total = 0.0;
  for (double h = 0.5 * std::sqrt(var); h > 1e-5 * std::sqrt(var); h *= 0.5) {
    total = h;
    for (const double side : {-h, h})
      for (double t = side, w = 1.0; w > 1e-18; t += side)
        total += h * (w = std::exp(at(mode + t) - top));
    if (std::abs(total - last) < 1e-15 * total) break;
    last = total;
  }
  return top + std::log(total) - 0.5 * std::log(2.0 * kPi * var);
}

// What a row of the data has in a column: a number (of days for a date, of seconds for a time, 0 or
// 1 for a flag) or the text of a level. A missing one is Cell().
struct Cell {
  Cell() = default;
  Cell(double value) : number(value) {}
  Cell(std::string level) : text(std::move(level)) {}
  Cell(const char* level) : text(level) {}
  double number = kNaN;
  std::string text;
};
using Row = std::map<std::string, Cell>;

// As predict() in R has it, NaN where the row lacks something or the response has no such answer.
struct Prediction {
  Numbers latent_mean, latent_variance;  // type = "link": of the latent functions
  double mean = kNaN, variance = kNaN;   // type = "response": of a new numeric response
  Numbers probability;                   // type = "prob": of every level
  int level = -1;                        // the predicted one, as a number of levels()
};

class Model {
 public:
  explicit Model(std::istream& in) {
    const Json json = Parser(in).value();
    if (json.at("format").text != "gpsieve model" || json.number("version") != 1.0)
      fail("this is no model of version 1");
    const Json &response = json.at("response"), &inputs = json.at("inputs");
    kind_ = response.at("kind").text;
    levels_ = response.texts("levels");
    present_ = indices(response.at("present").numbers, levels_.size());
    center_ = response.number("center"), scale_ = response.number("scale");
    temperature_ = response.number("temperature");
    joint_ = response.number("joint") > 0.0, offset_ = json.number("offset") > 0.0;
    type_ = json.at("likelihood").at("type").text;
    values_ = json.at("likelihood").at("values");
    inputs_ = inputs.texts("names");
    input_center_ = inputs.at("center").numbers, input_scale_ = inputs.at("scale").numbers;
    for (const Json& v : json.at("variables").items)
      variables_.push_back(
          {v.at("name").text, v.at("kind").text, v.texts("levels"), v.texts("columns")});
    for (const Json& term : json.at("terms").items)
      terms_.push_back(indices(term.numbers, variables_.size()));
    const std::size_t width = inputs_.size();
    kernel_ = make_kernel(json.at("kernel"), width);
    for (const Json& row : json.at("basis").items) basis_.push_back(row.numbers);
    for (const Json& p : json.at("posteriors").items) {
      const auto map = [&](const char* name) {
        return Map{p.at(name).at("factor").numbers, p.at(name).at("scale").numbers};
      };
      posteriors_.push_back({indices(p.at("basis").numbers, basis_.size()), p.at("weights").numbers,
                             p.at("form").numbers, p.at("whitening").numbers, map("down"),
                             map("up"), p.number("prior_scale"), p.number("prior_mean"),
                             p.number("intercept") > 0.0});
      posteriors_.back().check();
    }
    bool fits = input_center_.size() == width && input_scale_.size() == width;
    for (const Numbers& row : basis_) fits = fits && row.size() == width;
    if (!fits || posteriors_.empty()) fail("the parts of the model do not fit together");
  }

  const std::vector<std::string>& levels() const { return levels_; }
  const std::vector<std::string>& inputs() const { return inputs_; }

  // `offset`: that of the row, if the model was fitted with offsets.
  Prediction predict(const Row& row, double offset = kNaN) const {
    return predict(encode(row), offset);
  }
  // The same for the numbers of inputs(), before they are standardised.
  Prediction predict(Numbers x, double offset = kNaN) const {
    if (x.size() != inputs_.size()) fail("a row has a wrong number of inputs");
    if (std::isnan(offset) == offset_)
      fail(offset_ ? "the model needs the offset of the row" : "the model has no offset");
    Prediction out;
    for (std::size_t d = 0; d < x.size(); ++d) x[d] = (x[d] - input_center_[d]) / input_scale_[d];
    Numbers k(basis_.size());
    for (std::size_t i = 0; i < k.size(); ++i) k[i] = kernel_(basis_[i], x, false);
    const double own = kernel_(x, x, true);
    const bool missing = std::any_of(x.begin(), x.end(), [](double v) { return std::isnan(v); });
    for (const Posterior& posterior : posteriors_) {
      const auto moments = posterior.at(k, own);
      out.latent_mean.push_back(missing ? kNaN : moments.first + (offset_ ? offset / scale_ : 0.0));
      out.latent_variance.push_back(missing ? kNaN : moments.second);
    }
    if (levels_.empty())
      finish_number(out);
    else
      finish_classes(out, missing);
    for (double& mean : out.latent_mean) mean = mean * scale_ + center_;
    for (double& variance : out.latent_variance) variance *= scale_ * scale_;
    return out;
  }
  // The numbers of inputs() from the columns of a row: products of what the variables become.
  Numbers encode(const Row& row) const {
    Numbers out;
    for (const auto& term : terms_) {
      Numbers product = {1.0};
      for (const std::size_t v : term) {
        Numbers longer;
        for (const double b : encode(variables_[v], row))
          for (const double a : product) longer.push_back(a * b);
        product = std::move(longer);
      }
      out.insert(out.end(), product.begin(), product.end());
    }
    return out;
  }

 private:
  struct Map {  // v = factor^-1 diag(scale) k; the lower triangle is packed by columns
    Numbers factor, scale;
    double squared_norm(Numbers k) const {
      double total = 0.0;
      std::size_t at = 0;
      for (std::size_t j = 0; !factor.empty() && j < k.size(); ++j) {
        if (j == 0 && !scale.empty())
          for (std::size_t i = 0; i < k.size(); ++i) k[i] *= scale[i];
        k[j] /= factor[at++];
        for (std::size_t i = j + 1; i < k.size(); ++i) k[i] -= factor[at++] * k[j];
        total += k[j] * k[j];
      }
      return total;
    }
  };
  struct Posterior {
    Indices basis;
    Numbers weights, form, whitening;  // matrices by columns
    Map down, up;
    double prior_scale, prior_mean;
    bool intercept;

    void check() const {
      const std::size_t m = weights.size(), triangle = m * (m + 1) / 2;
      const auto is = [](const Numbers& x, std::size_t size) {
        return x.empty() || x.size() == size;
      };
      if (m != basis.size() + intercept || !is(form, m * m) || !is(whitening, m * m) ||
          !is(down.factor, triangle) || !is(up.factor, triangle) || !is(down.scale, m) ||
          !is(up.scale, m))
        fail("a posterior of the model has parts of wrong sizes");
    }
    // Mean and variance on the scale of computation.
    std::pair<double, double> at(const Numbers& all, double own) const {
      Numbers k(intercept ? 1 : 0, 1.0);
      for (const std::size_t i : basis) k.push_back(all[i]);
      double variance = prior_scale * own - down.squared_norm(k) + up.squared_norm(k);
      if (!form.empty()) {
        Numbers v = whitening.empty() ? k : times(whitening, k);
        if (!whitening.empty()) variance -= dot(v, v);
        variance += dot(v, times(form, v));
      }
      return {prior_mean + dot(k, weights), std::max(variance, 0.0)};
    }
    static double dot(const Numbers& a, const Numbers& b) {
      double total = 0.0;
      for (std::size_t i = 0; i < a.size(); ++i) total += a[i] * b[i];
      return total;
    }
    static Numbers times(const Numbers& matrix, const Numbers& v) {
      Numbers out(v.size(), 0.0);
      for (std::size_t j = 0, at = 0; j < v.size(); ++j)
        for (double& sum : out) sum += matrix[at++] * v[j];
      return out;
    }
  };
  struct Variable {
    std::string name, kind;
    std::vector<std::string> levels, columns;  // columns: what is added to the name, "" for one
  };

  static Numbers encode(const Variable& variable, const Row& row) {
    const auto cell = [&](const std::string& name) -> const Cell& {
      const auto found = row.find(name);
      return found == row.end() ? (fail("the row lacks the column " + name), found->second)
                                : found->second;
    };
    Numbers out;
    if (variable.levels.empty()) {
      for (const auto& column : variable.columns)
        out.push_back(cell(variable.name + column).number);
      return out;
    }
    const auto& levels = variable.levels;
    const auto at = std::find(levels.begin(), levels.end(), cell(variable.name).text);
    const auto position = at - levels.begin();
    if (variable.kind == "order") return {at == levels.end() ? kNaN : position + 1.0};
    out.assign(levels.size(), at == levels.end() ? kNaN : 0.0);
    if (at != levels.end()) out[static_cast<std::size_t>(position)] = 1.0;
    return out;
  }

  double value(const char* name) const { return values_.number(name); }
  // Moments of a new response: f plus noise, or, through a logarithmic link, exp(f) times `factor`
  // with the variance per_mean m + spread m^2 about its mean m, and zero with probability `zero`.
  void finish_number(Prediction& out) const {
    const double m = out.latent_mean[0], v = out.latent_variance[0];
    if (!values_.find("factor")) {
      const double noise = values_.find("noise") ? value("noise") : HUGE_VAL;
      out.mean = m * scale_ + center_;
      out.variance = (v + noise) * scale_ * scale_;
      return;
    }
    const double mean = value("factor") * std::exp(m + 0.5 * v), zero = value("zero");
    const double square = value("spread") * std::exp(v) + std::expm1(v);
    out.mean = (1.0 - zero) * mean;
    out.variance = out.mean * (value("per_mean") + mean * (square + zero));
  }
  // log P(y = side) of a machine of two classes.
  double log_side(double side, double mean, double var) const {
    if (type_ == "logit")
      return log_expectation(
          [side](double f) { return std::min(side * f, 0.0) - std::log1p(std::exp(-std::abs(f))); },
          mean, var, var);
    const double log_p = log_normal_cdf(side * mean / std::sqrt(value("noise") + var));
    if (type_ == "probit") return log_p;
    return std::log(value("flip") + (1.0 - 2.0 * value("flip")) * std::exp(log_p));
  }
  void finish_classes(Prediction& out, bool missing) const {
    const Numbers &m = out.latent_mean, &v = out.latent_variance;
    out.probability.assign(levels_.size(), missing ? kNaN : 0.0);
    if (missing) return;
    Numbers log_p;
    if (kind_ == "ordinal") {
      const Numbers& cuts = values_.at("cuts").numbers;
      for (std::size_t k = 0; k <= cuts.size(); ++k) {
        const auto z = [&](std::size_t c) { return (cuts[c] - m[0]) / std::sqrt(1.0 + v[0]); };
        double a = k > 0 ? z(k - 1) : -HUGE_VAL, b = k < cuts.size() ? z(k) : HUGE_VAL;
        if (a > 0.0) a = -std::exchange(b, -a);
        log_p.push_back(
            std::log(0.5 * (std::erfc(-b / std::sqrt(2.0)) - std::erfc(-a / std::sqrt(2.0)))));
      }
    } else if (kind_ == "binary") {
      log_p = {log_side(-1.0, m[0], v[0]), log_side(1.0, m[0], v[0])};
    } else {
      for (std::size_t c = 0; c < m.size(); ++c)
        log_p.push_back(joint_ ? log_largest(c, m, v)
                               : (log_side(1.0, m[c], v[c]) - log_side(-1.0, m[c], v[c])) /
                                     temperature_);
    }
    const double top = *std::max_element(log_p.begin(), log_p.end());
    double total = 0.0;
    for (const double p : log_p) total += std::exp(p - top);
    const bool odds = kind_ == "multiclass" && !joint_;
    for (std::size_t c = 0; c < log_p.size(); ++c)
      out.probability[present_[c]] = odds ? std::exp(log_p[c] - top) / total : std::exp(log_p[c]);
    const auto best = std::max_element(log_p.begin(), log_p.end()) - log_p.begin();
    out.level = static_cast<int>(present_[kind_ == "binary" ? m[0] > 0.0 : best]);
  }
  // log of the probability that latent function c plus its noise is the largest of all.
  double log_largest(std::size_t c, const Numbers& m, Numbers v) const {
    for (double& variance : v) variance += 0.5 * value("noise");
    const auto others = [&](double f) {
      double total = 0.0;
      for (std::size_t k = 0; k < m.size(); ++k)
        if (k != c) total += log_normal_cdf((f - m[k]) / std::sqrt(v[k]));
      return total;
    };
    const double reach = *std::max_element(m.begin(), m.end()) - m[c] + 10.0 * std::sqrt(v[c]);
    return log_expectation(others, m[c], v[c], reach);
  }

  Json values_;
  std::string kind_, type_;
  std::vector<std::string> inputs_, levels_;
  Numbers input_center_, input_scale_;
  std::vector<Variable> variables_;
  std::vector<Indices> terms_;
  std::vector<Numbers> basis_;
  std::vector<Posterior> posteriors_;
  Kernel kernel_;
  Indices present_;
  double center_, scale_, temperature_;
  bool joint_, offset_;
};

}  // namespace gpsieve_predict

#endif

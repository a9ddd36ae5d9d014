#include "learning/step_rules.h"

#include <algorithm>
#include <cmath>

#include "base/error.h"

namespace gpsieve {
namespace {

// Kingma and Ba (2015): theory.md (2).
class Adam final : public Optimiser {
 public:
  Adam(double rate, Index size, AdamDecays decays)
      : rate_(rate), decays_(decays), mean_(Vector::Zero(size)), square_(mean_) {}
  Vector step(VectorIn gradient) override {
    constexpr double kSmall = 1e-8;
    const double of = decays_.gradient, of_squares = decays_.square;
    mean_ = of * mean_ + (1.0 - of) * gradient;
    square_ = of_squares * square_.array() + (1.0 - of_squares) * gradient.array().square();
    ++count_;
    const double of_mean = 1.0 - std::pow(of, count_);
    const double of_square = 1.0 - std::pow(of_squares, count_);
    return scale_ * rate_ / of_mean * mean_.array() /
           ((square_.array() / of_square).sqrt() + kSmall);
  }
  void visit(Archive& archive) override {
    Optimiser::visit(archive);
    archive.visit(mean_);
    archive.visit(square_);
    archive.visit(count_);
  }

 private:
  double rate_;
  AdamDecays decays_;
  Vector mean_, square_;
  double count_ = 0.0;
};

// Zeiler (2012): theory.md (1).
class Adadelta final : public Optimiser {
 public:
  Adadelta(double rate, Index size)
      : rate_(rate), gradients_(Vector::Zero(size)), steps_(gradients_) {}
  Vector step(VectorIn gradient) override {
    constexpr double kDecay = 0.9, kSmall = 1e-5;
    constexpr Index kTogether = 512;  // parameters, whose numbers stay in the cache meanwhile
    Vector out(gradient.size());
    for (Index begin = 0; begin < out.size(); begin += kTogether) {
      const Index count = std::min(kTogether, out.size() - begin);
      const auto own = gradient.segment(begin, count).array();
      auto gradients = gradients_.segment(begin, count).array();
      auto steps = steps_.segment(begin, count).array(), step = out.segment(begin, count).array();
      gradients = kDecay * gradients + (1.0 - kDecay) * own.square();
      step = own * ((steps + kSmall) / (gradients + kSmall)).sqrt();
      steps = kDecay * steps + (1.0 - kDecay) * step.square();
      step *= scale_ * rate_;
    }
    return out;
  }
  void visit(Archive& archive) override {
    Optimiser::visit(archive);
    archive.visit(gradients_);
    archive.visit(steps_);
  }

 private:
  double rate_;
  Vector gradients_, steps_;
};

// The gradient times step sizes that grow by 2 % while the sign of a group's gradient stays the
// same and are halved when it changes: theory.md (3) and (4).
class SignAdaptive final : public Optimiser {
 public:
  SignAdaptive(double start, Indices group) : group_(std::move(group)) {
    Index groups = 0;
    for (const Index g : group_) groups = std::max(groups, g + 1);
    size_.setConstant(groups, start);
    sign_.setZero(groups);
  }
  Vector step(VectorIn gradient) override {
    constexpr double kGrow = 1.02, kShrink = 0.5;
    Vector total = Vector::Zero(size_.size());
    for (Index i = 0; i < gradient.size(); ++i) total[group_[i]] += gradient[i];
    for (Index g = 0; g < total.size(); ++g) {
      const double sign = total[g] > 0.0 ? 1.0 : (total[g] < 0.0 ? -1.0 : 0.0);
      if (sign_[g] != 0.0) size_[g] *= sign == sign_[g] ? kGrow : kShrink;
      sign_[g] = sign;
    }
    Vector step(gradient.size());
    for (Index i = 0; i < gradient.size(); ++i) step[i] = scale_ * size_[group_[i]] * gradient[i];
    return step;
  }
  void visit(Archive& archive) override {
    Optimiser::visit(archive);
    archive.visit(size_);
    archive.visit(sign_);
  }

 private:
  Indices group_;
  Vector size_, sign_;
};

}  // namespace

std::unique_ptr<Optimiser> make_adam(double rate, Index size, AdamDecays decays) {
  return std::make_unique<Adam>(rate, size, decays);
}

std::unique_ptr<Optimiser> make_optimiser(StepRule rule, double rate, const Indices& group) {
  const Index size = static_cast<Index>(group.size());
  switch (rule) {
    case StepRule::adadelta:
      return std::make_unique<Adadelta>(rate, size);
    case StepRule::adam:
      return make_adam(rate, size, {});
    case StepRule::sign_adaptive:
      return std::make_unique<SignAdaptive>(rate, group);
  }
  throw InvalidSpec("unknown step rule");
}

}  // namespace gpsieve

#include "models/ep/shards.h"

#include <array>

#include "base/error.h"

namespace gpsieve {

void ShardQuestion::visit(Archive& archive) {
  archive.visit(kind);
  archive.visit(keep_new_sites);
  archive.visit(kernel);
  archive.visit(likelihood);
  archive.visit(inducing);
  archive.visit(natural);
  archive.visit(damping);
  archive.visit(scale);
  archive.visit(form);
  archive.visit(by_inputs);
  archive.visit(sites.precision);
  archive.visit(sites.shift);
}

EpShard::EpShard(Kernel& kernel, Factors& factors, Points x, Schedule schedule, Index m,
                 double jitter)
    : kernel_(kernel),
      factors_(factors),
      source_(x),
      jitter_(jitter),
      ep_(schedule, factors, m, false, x.cols()) {}

// Kernel, inducing inputs and q as the question gives them; the new sites of the last update become
// the sites if they were accepted.
void EpShard::move_to(const ShardQuestion& question, const Context& ctx) {
  if (question.keep_new_sites) ep_.keep_new_sites();
  kernel_.set_params(question.kernel);
  factors_.set_params(question.likelihood);
  rows_.reset();
  const bool for_gradients =
      question.kind == ShardQuestion::Kind::evidence && question.form != GradientForm::none;
  inducing_ =
      std::make_unique<Inducing>(kernel_, question.inducing, jitter_, ctx.threads, for_gradients);
  ep_.set_natural(question.natural, ctx.threads);
  rows_ = std::make_unique<WhitenedRows>(*inducing_, source_, RowSet::range(0, source_.rows()));
}

Numbers EpShard::answer(Numbers numbers, const Context& ctx) {
  ShardQuestion question;
  Archive asked(std::move(numbers));
  question.visit(asked);
  asked.expect_end();
  move_to(question, ctx);
  Archive out;
  switch (question.kind) {
    case ShardQuestion::Kind::new_sites:
      ep_.new_sites(*rows_, {question.damping, false}, ctx).visit(out);
      break;
    case ShardQuestion::Kind::evidence:
      evidence_sums(ep_, *rows_, question.scale, question.form, question.by_inputs, ctx).visit(out);
      break;
    case ShardQuestion::Kind::product_of_sites:
      ep_.product_of_sites(*rows_, ctx).visit(out);
      break;
    case ShardQuestion::Kind::site_table:
      site_table(ep_, *rows_, ctx).visit(out);
      break;
    case ShardQuestion::Kind::fetch_sites: {
      Sites sites = ep_.sites();
      out.visit(sites.precision);
      out.visit(sites.shift);
      break;
    }
    case ShardQuestion::Kind::hand_out_sites:
      if (question.sites.precision.cols() != source_.rows())
        throw InvalidSpec("the sites do not fit the rows of the shard");
      ep_.set_sites(std::move(question.sites));
      break;
  }
  rows_.reset();
  return out.take();
}

ShardedPasses::ShardedPasses(ShardLink& link, Indices sizes, const Factors& factors)
    : link_(link), sizes_(std::move(sizes)), factors_(factors) {
  Index total = 0;
  for (const Index size : sizes_) total += size;
  if (total != factors.rows()) throw InvalidSpec("the shards do not have the rows of the data");
}

void ShardedPasses::start(const Inducing& inducing, const RowSet& rows) {
  if (rows.size != factors_.rows()) throw InvalidSpec("a pass over shards is one over all rows");
  inducing_ = &inducing;
  repeats_ = false;
}

ShardQuestion ShardedPasses::question(ShardQuestion::Kind kind, const SparseEp& ep) {
  ShardQuestion question;
  question.kind = kind;
  question.keep_new_sites = kind != ShardQuestion::Kind::new_sites || !repeats_;
  repeats_ = kind == ShardQuestion::Kind::new_sites;
  question.kernel = inducing_->kernel().params();
  question.likelihood = factors_.params();
  question.inducing = inducing_->inputs();
  for (Index k = 0; k < factors_.latents(); ++k) question.natural.push_back(ep.natural(k));
  return question;
}

std::vector<Numbers> ShardedPasses::ask(ShardQuestion question) {
  Archive numbers;
  question.visit(numbers);
  std::vector<Numbers> answers = link_.ask({numbers.take()});
  if (answers.size() != sizes_.size()) throw InvalidSpec("a shard has not answered");
  return answers;
}

template <class Sums>
Sums ShardedPasses::sum(ShardQuestion question) {
  Sums total;
  bool first = true;
  for (Numbers& numbers : ask(std::move(question))) {
    Archive answer(std::move(numbers));
    Sums part;
    part.visit(answer);
    answer.expect_end();
    if (first)
      total = std::move(part);
    else
      total.add(part);
    first = false;
  }
  return total;
}

SiteSums ShardedPasses::new_sites(SparseEp& ep, const EpUpdate& options, const Context&) {
  ShardQuestion asked = question(ShardQuestion::Kind::new_sites, ep);
  asked.damping = options.damping;
  return sum<SiteSums>(std::move(asked));
}

EpEvidence ShardedPasses::evidence(const SparseEp& ep, double scale, GradientForm form,
                                   bool by_inputs, const Context& ctx) {
  ShardQuestion asked = question(ShardQuestion::Kind::evidence, ep);
  asked.scale = scale;
  asked.form = form;
  asked.by_inputs = by_inputs;
  return finish_evidence(ep, *inducing_, sum<EvidenceSums>(std::move(asked)), scale, form,
                         by_inputs, ctx);
}

SiteSums ShardedPasses::product_of_sites(const SparseEp& ep, const Context&) {
  return sum<SiteSums>(question(ShardQuestion::Kind::product_of_sites, ep));
}

SiteTable ShardedPasses::site_table(const SparseEp& ep, const Context&) {
  const std::vector<Numbers> answers = ask(question(ShardQuestion::Kind::site_table, ep));
  SiteTable all;
  const auto each = [](SiteTable& of) {
    return std::array<Matrix*, 4>{&of.cavity.mean, &of.cavity.variance, &of.precision, &of.shift};
  };
  for (Matrix* matrix : each(all)) matrix->resize(factors_.rows(), factors_.latents());
  Index begin = 0;
  for (std::size_t s = 0; s < sizes_.size(); begin += sizes_[s++]) {
    Archive answer(answers[s]);
    SiteTable some;
    some.visit(answer);
    for (std::size_t i = 0; i < each(all).size(); ++i)
      each(all)[i]->middleRows(begin, sizes_[s]) = *each(some)[i];
  }
  return all;
}

void ShardedPasses::fetch_sites(SparseEp& ep) {
  if (ep.schedule() != Schedule::ep) return;
  const std::vector<Numbers> answers = ask(question(ShardQuestion::Kind::fetch_sites, ep));
  Sites all = Sites::uniform(factors_.sites_per_row(), factors_.rows());
  Index begin = 0;
  for (std::size_t s = 0; s < sizes_.size(); begin += sizes_[s++]) {
    Archive answer(answers[s]);
    Sites some;
    answer.visit(some.precision);
    answer.visit(some.shift);
    all.precision.middleCols(begin, sizes_[s]) = some.precision;
    all.shift.middleCols(begin, sizes_[s]) = some.shift;
  }
  ep.set_sites(std::move(all));
}

void ShardedPasses::hand_out_sites(const SparseEp& ep) {
  if (ep.schedule() != Schedule::ep) return;
  std::vector<Numbers> questions;
  Index begin = 0;
  for (const Index size : sizes_) {
    ShardQuestion asked = question(ShardQuestion::Kind::hand_out_sites, ep);
    asked.sites = {ep.sites().precision.middleCols(begin, size),
                   ep.sites().shift.middleCols(begin, size)};
    Archive numbers;
    asked.visit(numbers);
    questions.push_back(numbers.take());
    begin += size;
  }
  link_.ask(questions);
}

}  // namespace gpsieve

// The rows of a fit divided into shards of consecutive rows, which may be held by other processes
// (theory.md#shards). The process that fits sends the same question to all shards; each answers
// with sums over its rows, which are added in the order of the shards.
#ifndef GPSIEVE_MODELS_EP_SHARDS_H
#define GPSIEVE_MODELS_EP_SHARDS_H

#include "models/ep/passes.h"

namespace gpsieve {

// What a shard is asked, as numbers that can be sent to another process.
struct ShardQuestion {
  enum class Kind {
    new_sites,
    evidence,
    product_of_sites,
    site_table,
    fetch_sites,
    hand_out_sites
  };

  void visit(Archive& archive);

  Kind kind = Kind::new_sites;
  bool keep_new_sites = true;  // whether the new sites of the last update have been accepted
  Vector kernel, likelihood;   // log parameters
  Matrix inducing;
  std::vector<NaturalFactor> natural;
  double damping = 1.0, scale = 1.0;
  GradientForm form = GradientForm::none;
  bool by_inputs = false;
  Sites sites;  // Kind::hand_out_sites
};

// One shard: its rows, with their sites if the schedule is EP.
class EpShard {
 public:
  // `factors` are those of all rows and hold the responses of this shard's rows, numbered from 0.
  EpShard(Kernel& kernel, Factors& factors, Points x, Schedule schedule, Index m, double jitter);

  Numbers answer(Numbers question, const Context& ctx);

 private:
  void move_to(const ShardQuestion& question, const Context& ctx);

  Kernel& kernel_;
  Factors& factors_;
  MemoryRows source_;
  double jitter_;
  SparseEp ep_;
  std::unique_ptr<Inducing> inducing_;
  std::unique_ptr<WhitenedRows> rows_;
};

// The way to the shards.
class ShardLink {
 public:
  virtual ~ShardLink() = default;
  // The answers of all shards, in their order. One question is for all of them; otherwise there is
  // one for each.
  virtual std::vector<Numbers> ask(const std::vector<Numbers>& questions) = 0;
};

class ShardedPasses final : public EpPasses {
 public:
  // sizes: how many rows each shard has. `factors` are those of all rows; they hold no responses.
  ShardedPasses(ShardLink& link, Indices sizes, const Factors& factors);

  Index rows() const override { return factors_.rows(); }
  void start(const Inducing& inducing, const RowSet& rows) override;
  SiteSums new_sites(SparseEp& ep, const EpUpdate& options, const Context& ctx) override;
  EpEvidence evidence(const SparseEp& ep, double scale, GradientForm form, bool by_inputs,
                      const Context& ctx) override;
  SiteSums product_of_sites(const SparseEp& ep, const Context& ctx) override;
  SiteTable site_table(const SparseEp& ep, const Context& ctx) override;
  void fetch_sites(SparseEp& ep) override;
  void hand_out_sites(const SparseEp& ep) override;

 private:
  ShardQuestion question(ShardQuestion::Kind kind, const SparseEp& ep);
  std::vector<Numbers> ask(ShardQuestion question);
  template <class Sums>
  Sums sum(ShardQuestion question);

  ShardLink& link_;
  Indices sizes_;
  const Factors& factors_;
  const Inducing* inducing_ = nullptr;
  bool repeats_ = false;  // whether an update would repeat the last one
};

}  // namespace gpsieve

#endif

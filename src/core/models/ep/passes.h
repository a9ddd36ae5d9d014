// The passes over rows that an iteration makes: sums that q, the evidence and its gradient depend
// on. The rows are visited in this process, or in parts elsewhere (models/ep/shards.h).
#ifndef GPSIEVE_MODELS_EP_PASSES_H
#define GPSIEVE_MODELS_EP_PASSES_H

#include <memory>

#include "sparse_ep/evidence.h"

namespace gpsieve {

class EpPasses {
 public:
  virtual ~EpPasses() = default;
  virtual Index rows() const = 0;
  // The rows of the following passes. `inducing` and the list behind `rows` must outlive them.
  virtual void start(const Inducing& inducing, const RowSet& rows) = 0;
  virtual SiteSums new_sites(SparseEp& ep, const EpUpdate& options, const Context& ctx) = 0;
  virtual EpEvidence evidence(const SparseEp& ep, double scale, GradientForm form, bool by_inputs,
                              const Context& ctx) = 0;
  // EP: the product of the sites, and cavities and sites of all rows.
  virtual SiteSums product_of_sites(const SparseEp& ep, const Context& ctx) = 0;
  virtual SiteTable site_table(const SparseEp& ep, const Context& ctx) = 0;
  // EP: where the sites are kept elsewhere, copies them to `ep`, or takes over those of `ep`.
  virtual void fetch_sites(SparseEp&) {}
  virtual void hand_out_sites(const SparseEp&) {}
};

// Passes of this process over the rows of a source.
class LocalPasses final : public EpPasses {
 public:
  explicit LocalPasses(RowSource& source) : source_(source) {}

  Index rows() const override { return source_.rows(); }
  void start(const Inducing& inducing, const RowSet& rows) override {
    rows_ = std::make_unique<WhitenedRows>(inducing, source_, rows);
  }
  SiteSums new_sites(SparseEp& ep, const EpUpdate& options, const Context& ctx) override {
    return ep.new_sites(*rows_, options, ctx);
  }
  EpEvidence evidence(const SparseEp& ep, double scale, GradientForm form, bool by_inputs,
                      const Context& ctx) override {
    return sparse_ep_evidence(ep, *rows_, scale, form, by_inputs, ctx);
  }
  SiteSums product_of_sites(const SparseEp& ep, const Context& ctx) override {
    return ep.product_of_sites(*rows_, ctx);
  }
  SiteTable site_table(const SparseEp& ep, const Context& ctx) override {
    return gpsieve::site_table(ep, *rows_, ctx);
  }

 private:
  RowSource& source_;
  std::unique_ptr<WhitenedRows> rows_;
};

}  // namespace gpsieve

#endif

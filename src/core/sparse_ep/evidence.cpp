#include "sparse_ep/evidence.h"

#include "kernel/point_blocks.h"
#include "linalg/products.h"
#include "linalg/scratch_matrix.h"

namespace gpsieve {
namespace {

constexpr Index kCrossBlock = 128;     // rows of G_uf that one thread computes together
constexpr Index kBlocksTogether = 16;  // blocks of rows whose gradient is finished together

// What the gradient needs of one latent function; the cavity is that of SEP, q for EP and ADF.
struct LatentParts {
  WhitenedPosterior cavity;
  Matrix covariance;         // Psi
  Matrix cavity_covariance;  // Psi_cav
};

class Gradient {
 public:
  Gradient(const SparseEp& ep, const Inducing& inducing, double scale, GradientForm form,
           bool by_inputs, const Context& ctx)
      : ep_(ep), inducing_(inducing), scale_(scale), form_(form), ctx_(ctx) {
    const Index m = inducing.size();
    sums_.kernel.setZero(inducing.kernel().n_params());
    sums_.likelihood.setZero(ep.factors().n_params());
    if (by_inputs) sums_.inputs.setZero(inducing.inputs().rows(), m);
    const Index latents = ep.factors().latents();
    sums_.by_variance.assign(latents, NaturalFactor::uniform(m));
    sums_.by_weight.assign(latents, NaturalFactor::uniform(m));
    parts_.resize(latents);
    for_each_latent(latents, ctx.threads, [&](Index k, int threads) {
      LatentParts& part = parts_[k];
      part.cavity = ep.cavity(k);
      part.covariance = ep.q(k).covariance(threads);
      part.cavity_covariance =
          ep.schedule() == Schedule::sep ? part.cavity.covariance(threads) : part.covariance;
    });
  }

  // G_uf of the chunk, theory.md (25), handed to the kernel's reverse mode; the sums over rows that
  // G_w needs are accumulated.
  void add(const WhitenedRows::Chunk& chunk, Points x, const RowMoments& moments) {
    const Matrix& v = chunk.v;
    for_each_latent(ep_.factors().latents(), ctx_.threads, [&](Index k, int threads) {
      sums_.by_variance[k].add_sites(v, moments.gamma.col(k), moments.slope.col(k), threads);
      if (ep_schedule())
        sums_.by_weight[k].add_sites(v, moments.weight.col(k), Vector::Zero(v.cols()), threads);
    });
    ScratchMatrix cross(v.rows(), v.cols());
    cross.setZero();
    parallel_blocks(ctx_.threads, v.cols(), kCrossBlock, [&](Index begin, Index end) {
      add_cross(v, moments, begin, end - begin, cross.middleCols(begin, end - begin));
    });
    through_kernel(chunk, x, cross, scale_ * moments.gamma.rowwise().sum());
    if (moments.want_parameters) sums_.likelihood += scale_ * moments.parameters.rowwise().sum();
  }

  EvidenceSums& sums() { return sums_; }

  void finish(EpEvidence& out) {
    const Index m = inducing_.size();
    std::vector<Matrix> weights(parts_.size());
    for_each_latent(ep_.factors().latents(), ctx_.threads,
                    [&](Index k, int threads) { weights[k] = whitened_weight(k, threads); });
    Matrix weight = Matrix::Zero(m, m);
    for (const Matrix& of_latent : weights) weight += of_latent;
    // theory.md (27)
    trsm(Side::left, Triangle::lower, Op::transposed, inducing_.factor(), weight, ctx_.threads);
    trsm(Side::right, Triangle::lower, Op::plain, inducing_.factor(), weight, ctx_.threads);
    weight = 0.5 * (weight + weight.transpose()).eval();

    const Kernel& kernel = inducing_.kernel();
    const Matrix& z = inducing_.inputs();
    // The jitter is a multiple of the mean of the diagonal.
    Vector prior(m);
    kernel.diagonal(z, prior);
    const Vector by_jitter = Vector::Constant(m, inducing_.jitter() / prior.sum() * weight.trace());
    const Vector by_diagonal = weight.diagonal() + by_jitter;
    kernel.diagonal_gradient(z, by_diagonal, sums_.kernel);
    // z_i stands in row i and in column i of K_uu: its gradient is that of the rows by twice the
    // weights. The gradient by the kernel's parameters has the weights once.
    weight *= 2.0;
    weight.diagonal().setZero();
    Vector by_kernel = Vector::Zero(sums_.kernel.size());
    inducing_.gram_block()->add_gradients(weight, by_kernel, sums_.inputs, kernel_threads());
    sums_.kernel += 0.5 * by_kernel;
    if (sums_.inputs.size() > 0) kernel.diagonal_input_gradient(z, by_diagonal, sums_.inputs);
    out.kernel = std::move(sums_.kernel);
    out.likelihood = std::move(sums_.likelihood);
    out.inputs = std::move(sums_.inputs);
  }

 private:
  // Some rows of the chunk's G_uf.
  void add_cross(const Matrix& all_v, const RowMoments& moments, Index begin, Index rows,
                 Eigen::Ref<Matrix> cross) const {
    const auto v = all_v.middleCols(begin, rows);
    Matrix scaled;
    for (Index k = 0; k < ep_.factors().latents(); ++k) {
      const auto of_rows = [&](const Matrix& m) { return m.col(k).segment(begin, rows); };
      const auto gamma = of_rows(moments.gamma).transpose().array();
      if (ep_schedule()) {
        scaled = v.array().rowwise() * of_rows(moments.weight).transpose().array();
        gemm(1.0, parts_[k].covariance, Op::plain, scaled, Op::plain, 1.0, cross);
        cross.array() -= 2.0 * (v.array().rowwise() * gamma);
      } else {
        scaled = v.array().rowwise() * gamma;
        gemm(2.0, parts_[k].cavity_covariance, Op::plain, scaled, Op::plain, 1.0, cross);
        cross -= 2.0 * scaled;
      }
      cross.noalias() += mean_of(k) * of_rows(moments.slope).transpose();
    }
    trsm(Side::left, Triangle::lower, Op::transposed, inducing_.factor(), cross);
    cross *= scale_;
  }

  bool ep_schedule() const { return ep_.schedule() == Schedule::ep; }
  const Vector& mean_of(Index k) const {
    return ep_schedule() ? ep_.q(k).mean : parts_[k].cavity.mean;
  }

  // G_w: theory.md (26), plus theory.md (29) for the exact gradient of a shared factor.
  Matrix whitened_weight(Index k, int threads) {
    LatentParts& part = parts_[k];
    const Index m = inducing_.size();
    const Vector& by_mean = sums_.by_variance[k].r;  // V h
    Matrix& by_variance = sums_.by_variance[k].t;
    symmetrise_from_lower(by_variance);
    Matrix weight = by_variance;
    weight.noalias() -= mean_of(k) * by_mean.transpose();
    if (ep_schedule()) {
      symmetrise_from_lower(sums_.by_weight[k].t);
      gemm(-1.0, part.covariance, Op::plain, sums_.by_weight[k].t, Op::plain, 1.0, weight, threads);
    } else {
      gemm(-2.0, part.cavity_covariance, Op::plain, by_variance, Op::plain, 1.0, weight, threads);
    }
    weight *= 0.5 * scale_;
    weight = (weight + weight.transpose()).eval();
    const Vector& mean = ep_.q(k).mean;
    const Matrix second = part.covariance + mean * mean.transpose();
    weight += 0.5 * second;
    weight.diagonal().array() -= 0.5;
    if (form_ != GradientForm::exact || ep_schedule()) return weight;

    const Vector& mean_c = part.cavity.mean;
    const Matrix& covariance_c = part.cavity_covariance;
    weight +=
        0.5 * ep_.factors().n_factors(k) * (covariance_c + mean_c * mean_c.transpose() - second);
    const Vector moved = covariance_c * by_mean;
    Matrix half(m, m), change(m, m);
    gemm(1.0, covariance_c, Op::plain, by_variance, Op::plain, 0.0, half, threads);
    gemm(2.0, half, Op::plain, covariance_c, Op::plain, 0.0, change, threads);
    change += mean_c * moved.transpose() + moved * mean_c.transpose();
    weight += 0.5 * scale_ * change;
    return weight;
  }

  // The chain rule through the kernel, which passes over the inducing inputs once for every
  // kBlocksTogether blocks of rows. Blocks that are not kept are made here, so that this number
  // bounds their memory; kept ones are taken in the same order, for the same bits.
  void through_kernel(const WhitenedRows::Chunk& chunk, Points x, MatrixIn cross,
                      const Vector& diagonal) {
    inducing_.kernel().diagonal_gradient(x, diagonal, sums_.kernel);
    const Index together = kBlocksTogether * chunk.block;
    for (Index begin = 0; begin < x.cols(); begin += together) {
      const Index rows = std::min(together, x.cols() - begin);
      WhitenedRows::Blocks made;
      if (chunk.blocks.empty()) made = new_blocks(x.middleCols(begin, rows), chunk.block);
      EvaluatedBlock::Row row;
      for (Index i = 0; i < rows; i += chunk.block) {
        const auto& block =
            made.empty() ? chunk.blocks[(begin + i) / chunk.block] : made[i / chunk.block];
        row.push_back(block.get());
      }
      row.front()->add_gradients_of(row, cross.middleCols(begin, rows), sums_.kernel, sums_.inputs,
                                    kernel_threads());
      ctx_.check();
    }
  }

  WhitenedRows::Blocks new_blocks(Points x, Index size) const {
    WhitenedRows::Blocks blocks((x.cols() + size - 1) / size);
    parallel_blocks(kernel_threads(), x.cols(), size, [&](Index begin, Index end) {
      ScratchMatrix values(inducing_.size(), end - begin);
      blocks[begin / size] = inducing_.cross_block(x.middleCols(begin, end - begin), values);
    });
    return blocks;
  }

  int kernel_threads() const { return inducing_.kernel().usable_threads(ctx_.threads); }

  const SparseEp& ep_;
  const Inducing& inducing_;
  double scale_;
  GradientForm form_;
  const Context& ctx_;
  std::vector<LatentParts> parts_;
  EvidenceSums sums_;
};

// Null if no gradient is wanted.
std::unique_ptr<Gradient> gradient_of(const SparseEp& ep, const Inducing& inducing, double scale,
                                      GradientForm form, bool by_inputs, const Context& ctx) {
  if (form == GradientForm::none) return nullptr;
  return std::make_unique<Gradient>(ep, inducing, scale, form, by_inputs, ctx);
}

// The sums over rows; with a gradient they are those that it holds.
void sum_evidence(const SparseEp& ep, WhitenedRows& rows, Gradient* gradient, EvidenceSums& out,
                  const Context& ctx) {
  const Factors& factors = ep.factors();
  const std::vector<WhitenedPosterior>& cavities = ep.cavities();  // EP does not use them
  Projections projections;
  SiteProjections of_sites;
  RowMoments moments;
  moments.want_parameters = gradient && factors.n_params() > 0;
  for (Index c = 0; c < rows.chunks(); ++c) {
    const WhitenedRows::Chunk& chunk = rows.chunk(c, ctx);
    const RowSet part = rows.rows().part(chunk.begin, chunk.size);
    if (ep.schedule() == Schedule::ep) {
      ep.project(chunk, ctx.threads, projections);
      ep.project_sites(rows, chunk, projections, ctx.threads, of_sites);
      Sites sites = ep.sites_of(rows.rows(), chunk);
      factors.update_sites(part, projections, of_sites, chunk.s, ctx.threads, sites, moments);
    } else {
      project_all(cavities, chunk.v, ctx.threads, projections);
      factors.sites_from_cavity(part, projections, chunk.s, ctx.threads, moments);
    }
    out.log_z += moments.log_z.sum();
    if (gradient) gradient->add(chunk, rows.points(chunk), moments);
    ctx.check();
  }
}

}  // namespace

EpEvidence sparse_ep_evidence(const SparseEp& ep, WhitenedRows& rows, double scale,
                              GradientForm form, bool by_inputs, const Context& ctx) {
  EpEvidence out;
  std::unique_ptr<Gradient> gradient =
      gradient_of(ep, rows.inducing(), scale, form, by_inputs, ctx);
  EvidenceSums plain;
  EvidenceSums& sums = gradient ? gradient->sums() : plain;
  sum_evidence(ep, rows, gradient.get(), sums, ctx);
  out.log_z = ep.log_normalisers() + scale * sums.log_z;
  if (gradient) gradient->finish(out);
  return out;
}

EvidenceSums evidence_sums(const SparseEp& ep, WhitenedRows& rows, double scale, GradientForm form,
                           bool by_inputs, const Context& ctx) {
  std::unique_ptr<Gradient> gradient =
      gradient_of(ep, rows.inducing(), scale, form, by_inputs, ctx);
  EvidenceSums plain;
  EvidenceSums& sums = gradient ? gradient->sums() : plain;
  sum_evidence(ep, rows, gradient.get(), sums, ctx);
  return std::move(sums);
}

EpEvidence finish_evidence(const SparseEp& ep, const Inducing& inducing, EvidenceSums sums,
                           double scale, GradientForm form, bool by_inputs, const Context& ctx) {
  EpEvidence out;
  out.log_z = ep.log_normalisers() + scale * sums.log_z;
  if (auto gradient = gradient_of(ep, inducing, scale, form, by_inputs, ctx)) {
    gradient->sums() = std::move(sums);
    gradient->finish(out);
  }
  return out;
}

}  // namespace gpsieve

#include "mercer/methods/nystroem/lloyd.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <limits>
#include <utility>

#include "mercer/base/context.h"
#include "mercer/base/error.h"
#include "mercer/base/infinity.h"
#include "mercer/base/state_number.h"

namespace mercer {
namespace {

class lloyd_run {
public:
    lloyd_run(const lloyd_rows& x, matrix<double> start, const lloyd_options& o)
        : x_(x),
          o_(o),
          k_(o.clusters),
          m_(start.cols()),
          n_(std::ssize(x.self)),
          means_(o.clusters, start.cols()),
          sums_(o.clusters, start.cols()),
          there_(static_cast<std::size_t>(o.clusters)),
          labels_(x.self.size(), -1),
          next_(x.self.size()),
          cost_(x.self.size()) {
        for (index c = 0; c < std::min(k_, start.rows()); ++c) {
            std::copy_n(start.row(c), m_, means_.row(c));
            there_[at(c)] = true;
        }
        for (std::size_t i = 0; i < x.self.size(); ++i) {
            size_ = std::max(size_, std::abs(x.self[i]));
            total_ += x.weight[i] * std::abs(x.self[i]);
        }
    }

    lloyd_result run() {
        bool rough = x_.rough != nullptr && o_.max_rounds > 1, near = false;
        index round = 0;
        if (!o_.start.empty()) take(o_.start, round, rough, near);
        for (;; ++round) {
            // What a step limit leaves is measured in double, too.
            if (round + 1 == o_.max_rounds) rough = false;
            if (!unless_stopped([&] { rough ? pass(*x_.rough) : pass(*x_.exact); })) return stopped();
            ++out_.passes;
            if (!std::isfinite(objective_))
                fail(errc::data, fmt::format("k-means: kernel values must be finite, their sum is {}", objective_));
            const bool first_exact = !rough && x_.rough && !std::exchange(exact_, true);
            if (first_exact) near = near && std::abs(last() - objective_) <= o_.tol * objective_;
            // What float measured below this was never reached.
            while (first_exact && !out_.history.empty() && out_.history.back() < objective_) out_.history.pop_back();
            if (objective_ > last()) {
                if (rough) {
                    rough = near = false, means_ = out_.means;
                    continue;
                }
                out_.status = objective_ - last() <= 1e-12 * total_ ? fit_status::converged : fit_status::stalled;
                return finished();
            }
            const bool little = first_exact ? near : last() - objective_ <= o_.tol * objective_;
            keep();
            if (o_.progress && !o_.progress(round, objective_)) return stopped();
            const bool done = !advance() && (moved_ == 0 || little);
            if (done && !rough) return finished();
            if (round + 1 == o_.max_rounds) {
                out_.status = fit_status::step_limit;
                return finished();
            }
            if (done) rough = false, near = true;
            if (o_.keep) o_.keep(state(round + 1, rough, near));
        }
    }

private:
    static std::size_t at(index i) { return static_cast<std::size_t>(i); }
    double last() const { return out_.history.empty() ? infinity : out_.history.back(); }

    // f(number) for every number that the next round depends on.
    void each_number(auto&& f) {
        f(out_.passes), f(exact_);
        for (matrix<double>* each : {&means_, &out_.means})
            for (index i = 0; i < k_ * m_; ++i) f(each->data()[i]);
        for (char& each : there_) f(each);
        for (double& each : out_.norms) f(each);
        for (double& each : out_.weights) f(each);
        for (index& each : labels_) f(each);
        for (double& each : out_.history) f(each);
    }
    std::vector<double> state(index round, bool rough, bool near) {
        std::vector<double> out{static_cast<double>(round), rough ? 1.0 : 0.0, near ? 1.0 : 0.0,
                                static_cast<double>(out_.history.size())};
        each_number([&](auto& number) { out.push_back(static_cast<double>(number)); });
        return out;
    }
    void take(const std::vector<double>& from, index& round, bool& rough, bool& near) {
        const std::size_t fixed = 4 + 2 + 2 * at(k_ * m_) + 3 * at(k_) + labels_.size();
        if (from.size() < fixed || from.size() - fixed != at(count_in_state(from[3])))
            fail(errc::invalid_argument, "a state of another problem");
        for (std::size_t i = 0; i < labels_.size(); ++i) whole_in_state(from[fixed - labels_.size() + i], -1, k_ - 1);
        for (std::size_t c = 0; c < there_.size(); ++c) whole_in_state(from[6 + 2 * at(k_ * m_) + c], 0, 1);
        round = whole_in_state(from[0], 0, o_.max_rounds - 1),
        rough = whole_in_state(from[1], 0, x_.rough ? 1 : 0) != 0, near = from[2] != 0;
        out_.means = matrix<double>(k_, m_);
        out_.norms.resize(at(k_)), out_.weights.resize(at(k_)), out_.history.resize(from.size() - fixed);
        count_in_state(from[4]);  // passes
        const double* next = from.data() + 4;
        each_number([&]<class T>(T& number) { number = static_cast<T>(*next++); });
    }

    // One round: the nearest mean of every row, what that costs, and the sums of each cluster's features.
    template <class T>
    void pass(const gram_batches<T>& k) {
        matrix<double> beta = means_;
        if (x_.basis) x_.basis->to_coefficients(beta.view());
        // ⟨φ, μ⟩ = k(Z, x)ᵀβ is a sum of numbers up to size·|β|₁, each rounded.
        norms_.assign(at(k_), infinity);
        double longest = 0;
        for (index c = 0; c < k_; ++c) {
            if (!there_[at(c)]) continue;
            double sum = 0, square = 0;
            for (index j = 0; j < m_; ++j) sum += std::abs(beta(c, j)), square += means_(c, j) * means_(c, j);
            norms_[at(c)] = square, longest = std::max(longest, sum);
        }
        const double values = std::max(size_, x_.basis ? x_.basis->largest() : 0.0);
        rounding_ = 8 * std::numeric_limits<double>::epsilon() * (size_ + values * longest);

        matrix<double> columns(m_, k_), out(m_, k_);
        for (index c = 0; c < k_; ++c)
            for (index j = 0; j < m_; ++j) columns(j, c) = beta(c, j);
        std::vector<double> totals(at(k_ + 2));
        round_trip<T>(
            k, columns.view(), [&](index first, matrix_view<double> f, double* add) { assign(first, f, add); },
            out.view(), totals);
        for (index c = 0; c < k_; ++c)
            for (index j = 0; j < m_; ++j) sums_(c, j) = out(j, c);
        if (x_.basis) x_.basis->to_gradient(sums_.view());
        objective_ = std::isnan(totals[at(k_)]) ? totals[at(k_)] : std::max(0.0, totals[at(k_)]);
        moved_ = totals[at(k_ + 1)];
        totals.resize(at(k_));
        weights_ = std::move(totals);
    }

    // f(i, :) = Φμ becomes wᵢ in the column of the nearest mean. Adds up weights, J and how many rows moved.
    void assign(index first, matrix_view<double> f, double* add) {
        for (index i = 0; i < f.rows; ++i) {
            const index row = first + i, before = labels_[at(row)];
            const double* product = f.row(i);
            const auto from = [&](index c) { return norms_[at(c)] - 2 * product[c]; };
            const bool stay = before >= 0 && there_[at(before)];
            index best = stay ? before : -1;
            double least = stay ? from(before) - rounding_ : infinity;
            for (index c = 0; c < k_; ++c)
                if (const double d = from(c); d < least) least = d, best = c;
            if (best < 0) best = 0, least = from(0);  // NaN: J says so
            const double w = x_.weight[at(row)], d = x_.self[at(row)] + (best == before ? from(best) : least);
            next_[at(row)] = best;
            cost_[at(row)] = w * d;
            add[k_] += w * d;
            if (w > 0 && best != before) add[k_ + 1] += 1;
            std::fill_n(f.row(i), k_, 0.0);
            f(i, best) = w;
            add[best] += w;
        }
    }

    // The round that was made is what there is.
    void keep() {
        out_.history.push_back(objective_);
        out_.means = means_, out_.norms = norms_, out_.weights = weights_;
        std::swap(labels_, next_);
    }

    // Means to the middle of their rows; true where an empty cluster got a row.
    bool advance() {
        bool filled = false;
        index empty = -1;
        for (index c = k_ - 1; c >= 0; --c)
            if (there_[at(c)] = weights_[at(c)] > 0; !there_[at(c)]) empty = c;
        std::vector<double> phi;
        if (const index row = empty < 0 ? -1 : costliest(phi); row >= 0) {
            const double w = x_.weight[at(row)];
            const index gave = labels_[at(row)];
            for (index j = 0; j < m_; ++j) sums_(gave, j) -= w * phi[at(j)], sums_(empty, j) = w * phi[at(j)];
            weights_[at(gave)] -= w, weights_[at(empty)] = w;
            there_[at(empty)] = filled = true;
        }
        for (index c = 0; c < k_; ++c)
            for (index j = 0; j < m_; ++j) means_(c, j) = there_[at(c)] ? sums_(c, j) / weights_[at(c)] : 0.0;
        return filled;
    }

    // The row that costs most, the first of equals, of those that are not alone in their cluster, and its features; -1
    // where none is away from its mean by more than rounding. What a row costs may be out of reach of all means, so
    // some are looked at; equal rows cost the same.
    index costliest(std::vector<double>& phi) const {
        std::vector<index> members(at(k_));
        for (index i = 0; i < n_; ++i) members[at(labels_[at(i)])] += x_.weight[at(i)] > 0;
        double below = infinity;
        for (int look = 0; look < 64; ++look) {
            index best = -1;
            for (index i = 0; i < n_; ++i)
                if (cost_[at(i)] > 0 && cost_[at(i)] < below && members[at(labels_[at(i)])] > 1 &&
                    (best < 0 || cost_[at(i)] > cost_[at(best)]))
                    best = i;
            if (best < 0) return -1;
            phi = exact_ || !x_.rough ? features_of(*x_.exact, best) : features_of(*x_.rough, best);
            double away = 0;
            const double* mean = means_.row(labels_[at(best)]);
            for (index j = 0; j < m_; ++j) away += (phi[at(j)] - mean[j]) * (phi[at(j)] - mean[j]);
            if (away > std::max(2 * rounding_, 1e-14 * size_)) return best;
            below = cost_[at(best)];
        }
        return -1;
    }

    template <class T>
    std::vector<double> features_of(const gram_batches<T>& k, index row) const {
        matrix<T> values(1, m_);
        k.each([&](index first, const gram<T>& rows) {
            if (first <= row && row < first + rows.rows())
                rows.block(selection(row - first, 1), selection(0, m_), values.view());
        });
        std::vector<double> phi(values.data(), values.data() + m_);
        if (x_.basis) x_.basis->to_gradient(matrix_view<double>(phi.data(), 1, m_));
        return phi;
    }

    lloyd_result stopped() {
        if (out_.history.empty()) fail(errc::cancelled, "k-means: stopped by the caller before there was a model");
        out_.status = fit_status::cancelled;
        return finished();
    }

    // Without the clusters that have no rows.
    lloyd_result finished() {
        std::vector<index> place(at(k_), -1), kept;
        for (index c = 0; c < k_; ++c)
            if (out_.weights[at(c)] > 0) place[at(c)] = std::ssize(kept), kept.push_back(c);
        if (std::ssize(kept) < k_) leave_out(place, kept);
        out_.labels = std::move(labels_);
        return std::move(out_);
    }
    void leave_out(const std::vector<index>& place, const std::vector<index>& kept) {
        const auto lost = [&](index label) { return place[at(label)] < 0; };
        if (std::ranges::any_of(labels_, lost)) {  // rows without weight: to the nearest that is left
            means_ = out_.means;
            for (index c = 0; c < k_; ++c) there_[at(c)] = place[at(c)] >= 0;
            pass(*x_.exact);
            for (index i = 0; i < n_; ++i)
                if (lost(labels_[at(i)])) labels_[at(i)] = next_[at(i)];
        }
        matrix<double> means(std::ssize(kept), m_);
        for (index c = 0; c < means.rows(); ++c) {
            const index from = kept[at(c)];
            std::copy_n(out_.means.row(from), m_, means.row(c));
            out_.norms[at(c)] = out_.norms[at(from)], out_.weights[at(c)] = out_.weights[at(from)];
        }
        out_.means = std::move(means);
        out_.norms.resize(kept.size()), out_.weights.resize(kept.size());
        for (index& each : labels_) each = place[at(each)];
    }

    const lloyd_rows& x_;
    const lloyd_options& o_;
    index k_, m_, n_;
    matrix<double> means_, sums_;
    std::vector<char> there_;  // clusters that have a mean
    std::vector<index> labels_, next_;
    std::vector<double> cost_, norms_, weights_;
    double size_ = 0, total_ = 0, rounding_ = 0, objective_ = 0, moved_ = 0;
    bool exact_ = false;  // where there is a K in float: whether a round was made in double
    lloyd_result out_;
};

}  // namespace

lloyd_result lloyd_rounds(const lloyd_rows& x, matrix<double> start, const lloyd_options& o) {
    if (o.clusters < 1 || start.rows() < 1 || start.rows() > o.clusters)
        fail(errc::invalid_argument,
             fmt::format("k-means: the first means must satisfy 1 <= means <= clusters, got {} with clusters = {}",
                         start.rows(), o.clusters));
    return lloyd_run(x, std::move(start), o).run();
}

}  // namespace mercer

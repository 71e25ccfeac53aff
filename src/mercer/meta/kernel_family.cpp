#include "mercer/meta/kernel_family.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <optional>

#include "mercer/base/error.h"
#include "mercer/base/threads.h"
#include "mercer/gram/gram_views.h"
#include "mercer/gram/make_gram.h"
#include "mercer/kernels/expression/algebra.h"
#include "mercer/model_selection/search_space.h"

namespace mercer {

namespace {

void collect_summands(const std::shared_ptr<const kernel_node>& node, std::vector<kernel>& out) {
    const kernel_form form = node->form();
    if (form.operation == "sum") {
        for (const auto& part : form.parts) collect_summands(part, out);
    } else if (form.operation == "scale") {
        collect_summands(form.parts[0], out);
    } else {
        out.emplace_back(node);
    }
}

// tr K/n - 1ᵀK1/n²: the variance of the objects in the feature space.
double variance_of(const kernel& k, const gram<double>& K) {
    const index n = K.rows();
    std::vector<double> self(static_cast<std::size_t>(n));
    K.diagonal(self);
    matrix<double> ones(n, 1), sums(n, 1);
    std::fill_n(ones.data(), n, 1.0);
    K.multiply(ones.view(), sums.view());
    const auto count = static_cast<double>(n);
    double trace = 0, total = 0;
    for (index i = 0; i < n; ++i) trace += self[static_cast<std::size_t>(i)], total += sums(i, 0);
    const double variance = trace / count - total / count / count;
    if (!std::isfinite(variance))
        fail(errc::data, fmt::format("learn: {} has values on these data that are not finite", k.text()));
    // If all objects have the same image, only rounding remains; the mean of the diagonal is used instead.
    return variance > 1e-12 * std::abs(trace / count) ? variance : std::max(std::abs(trace / count), 1e-300);
}

// The variance of at most 2000 evenly spaced objects; a divisor need not be precise.
double sampled_variance(const kernel& k, const dataset& x) {
    constexpr index most = 2000;
    std::vector<index> rows;
    const index n = std::min(most, x.size());
    for (index i = 0; i < n; ++i) rows.push_back(i * x.size() / n);
    return variance_of(k, *make_gram<double>(k, n < x.size() ? gather(x, std::span<const index>(rows)) : x));
}

// Σ weights·matrices
template <class T>
matrix<T> weighted_matrix_sum(const std::vector<matrix<T>>& parts, std::span<const double> weights) {
    const index n = parts.front().rows();
    matrix<T> all(n, n);
    parallel_chunks(n, 16, [&](index first, index end) {
        for (index i = first; i < end; ++i) {
            T* to = all.row(i);
            for (std::size_t m = 0; m < parts.size(); ++m) {
                if (weights[m] == 0) continue;
                const T* from = parts[m].row(i);
                const auto d = static_cast<T>(weights[m]);
                for (index j = 0; j < n; ++j) to[j] += d * from[j];
            }
        }
    });
    return all;
}

}  // namespace

std::vector<kernel> summands(const kernel& k) {
    std::vector<kernel> out;
    collect_summands(k.shared(), out);
    return out;
}

std::vector<kernel> summands(std::string_view text) {
    const open_text open(text);
    std::vector<double> ones;
    for (const free_parameter& each : open.free_parameters()) {
        if (!each.name.empty())
            fail(errc::invalid_argument,
                 fmt::format("learn: only the factors of a sum are learnt, so {}=? must be a number: write several "
                             "kernels for several values, {}(...) + {}(...)",
                             each.name, each.owner, each.owner));
        ones.push_back(1);
    }
    return summands(kernel::parse(open.filled(ones)));
}

kernel weighted_sum(std::span<const kernel> parts, std::span<const double> factors) {
    std::optional<kernel> sum;
    for (std::size_t m = 0; m < parts.size(); ++m) {
        if (factors[m] == 0) continue;
        const kernel term = factors[m] == 1 ? parts[m] : factors[m] * parts[m];
        sum = sum ? *sum + term : term;
    }
    return sum ? *sum : parts.front();
}

kernel_family::kernel_family(std::vector<kernel> parts, dataset x, bool balance, std::size_t memory_bytes)
    : parts_(std::move(parts)), x_(std::move(x)) {
    if (parts_.empty()) fail(errc::invalid_argument, "learn: the expression has no kernel whose weight can be learnt");
    if (x_.size() == 0) fail(errc::data, "learn: the data have no examples");
    require_finite(x_);
    for (const kernel& k : parts_) {
        if (!k.proof().valid)
            fail(errc::invalid_argument,
                 fmt::format("learn: every part of the sum must be a kernel, but {} is not proven to be a kernel",
                             k.text()));
    }
    // Float and double values of all parts and of their sum.
    const double numbers = static_cast<double>(size()) * static_cast<double>(size()) * static_cast<double>(count() + 1);
    const bool stores = 4 * numbers <= static_cast<double>(memory_bytes),
               stores_exact = 12 * numbers <= static_cast<double>(memory_bytes);
    for (const kernel& k : parts_) {
        if (stores_exact) {
            stored_exact_.emplace_back(size(), size());
            make_gram<double>(k, x_, std::size_t{64} << 20)->fill(stored_exact_.back().view());
        }
        scales_.push_back(!balance ? 1.0
                          : stores_exact
                              ? variance_of(k, precomputed<double>(std::as_const(stored_exact_.back()).view()))
                              : sampled_variance(k, x_));
        if (stores) store(k);
    }
}

// Stores the float values, and the double values, of the newest part divided by its scale.
void kernel_family::store(const kernel& k) {
    const double scale = scales_.back();
    stored_.emplace_back(size(), size());
    if (stored_exact_.empty())
        make_gram<float>(k, x_, {std::size_t{64} << 20, std::size_t{64} << 20, true})->fill(stored_.back().view());
    parallel_chunks(size(), 64, [&](index first, index end) {
        for (index i = first; i < end; ++i)
            for (index j = 0; j < size(); ++j) {
                float& value = stored_.back()(i, j);
                if (stored_exact_.empty())
                    value *= static_cast<float>(1 / scale);
                else
                    value = static_cast<float>(stored_exact_.back()(i, j) /= scale);
            }
    });
}

kernel kernel_family::sum(std::span<const double> weights) const {
    std::vector<double> factors(weights.begin(), weights.end());
    for (std::size_t m = 0; m < factors.size(); ++m) factors[m] /= scales_[m];
    return weighted_sum(parts_, factors);
}

std::unique_ptr<gram<float>> kernel_family::fast(std::span<const double> weights) const {
    if (stored_.empty())
        return make_gram<float>(sum(weights), x_, {std::size_t{64} << 20, std::size_t{64} << 20, true});
    return std::make_unique<precomputed<float>>(weighted_matrix_sum(stored_, weights));
}

std::unique_ptr<gram<double>> kernel_family::exact(std::span<const double> weights) const {
    if (stored_exact_.empty()) return make_gram<double>(sum(weights), x_);
    return std::make_unique<precomputed<double>>(weighted_matrix_sum(stored_exact_, weights));
}

void kernel_family::multiply(index m, matrix_view<const double> v, matrix_view<double> out, bool exact) const {
    const auto part = static_cast<std::size_t>(m);
    if (!exact && !stored_.empty()) return precomputed<float>(stored_[part].view()).multiply(v, out);
    if (!stored_exact_.empty()) return precomputed<double>(stored_exact_[part].view()).multiply(v, out);
    // Rows of v that are 0 need no columns of K.
    std::vector<index> used;
    for (index i = 0; i < v.rows; ++i)
        if (std::any_of(v.row(i), v.row(i) + v.cols, [](double each) { return each != 0; })) used.push_back(i);
    if (used.empty()) {
        for (index i = 0; i < out.rows; ++i) std::fill_n(out.row(i), out.cols, 0.0);
        return;
    }
    matrix<double> some(static_cast<index>(used.size()), v.cols);
    for (index i = 0; i < some.rows(); ++i) std::copy_n(v.row(used[static_cast<std::size_t>(i)]), v.cols, some.row(i));
    make_gram<double>(parts_[part], x_, gather(x_, std::span<const index>(used)))->multiply(some.view(), out);
    for (index i = 0; i < out.rows; ++i)
        for (index c = 0; c < out.cols; ++c) out(i, c) /= scales_[part];
}

}  // namespace mercer

#include "mercer/kernels/strings/subsequences.h"

#include <numeric>

#include "mercer/base/context.h"
#include "mercer/base/simd_level.h"
#include "mercer/base/workspace.h"
#include "mercer/kernels/object_pairs.h"

namespace mercer {

const string_ops& best_string_ops() {
    static const string_ops& best = []() -> const string_ops& {
#if defined(MERCER_SIMD_X86)
        if (best_simd() == simd_level::avx512) return avx512::string_ops_table();
        if (best_simd() == simd_level::avx2) return avx2::string_ops_table();
#endif
        return baseline::string_ops_table();
    }();
    return best;
}

namespace {

double letter(char c) { return static_cast<unsigned char>(c); }

void all_values(const subsequences& kernel, std::string_view s, std::span<const std::string_view* const> others,
                double* out) {
    const string_ops& ops = best_string_ops();
    const auto lanes = static_cast<std::size_t>(ops.lanes);
    std::vector<double> first, t, work, found(lanes);
    workspace held(s.size() * sizeof(double));
    first.reserve(s.size());
    for (const char c : s) first.push_back(letter(c));
    // Strings of similar length are processed together, because the shorter ones are padded.
    std::vector<std::size_t> order(others.size());
    std::iota(order.begin(), order.end(), std::size_t{0});
    std::ranges::stable_sort(order, {}, [&](std::size_t p) { return others[p]->size(); });
    // The letters of the two subsequences themselves contribute decay^(2k).
    const double least = std::pow(kernel.decay, 2.0 * kernel.k);
    for (std::size_t p = 0; p < order.size(); p += lanes) {
        const std::size_t count = std::min(lanes, order.size() - p), m = others[order[p + count - 1]]->size();
        const std::size_t cells = static_cast<std::size_t>(kernel.k) * (m + 2) * lanes;
        held.grow_to((s.size() + m * lanes + cells) * sizeof(double));
        t.assign(m * lanes, -1.0);
        for (std::size_t q = 0; q < count; ++q) {
            const std::string_view one = *others[order[p + q]];
            for (std::size_t j = 0; j < one.size(); ++j) t[j * lanes + q] = letter(one[j]);
        }
        work.resize(cells);
        ops.subsequences(first.data(), static_cast<index>(first.size()), t.data(), static_cast<index>(m), kernel.k,
                         kernel.decay, work.data(), found.data(), throw_if_cancelled);
        for (std::size_t q = 0; q < count; ++q) out[order[p + q]] = least * found[q];
    }
}

}  // namespace

int subsequences::emit(plan_builder& code) const {
    if (k > 20) code.check_range();  // for k <= 20, C(n, k)² < 10^308 for any string that fits into memory
    return emit_ordered_pairs<strings>(
        code, "subsequences", [](std::string_view s) { return s; },
        [*this](std::string_view s, std::span<const std::string_view* const> others, double* out) {
            all_values(*this, s, others, out);
        });
}

}  // namespace mercer

#include "mercer/kernels/strings/weighted_degree.h"

#include <fmt/format.h>

#include <bit>
#include <cmath>
#include <cstring>

#include "mercer/base/context.h"
#include "mercer/kernels/object_pairs.h"
#include "mercer/kernels/strings/string_features.h"
#include "mercer/kernels/word_counts.h"

#if defined(__SSE2__)
#include <emmintrin.h>
#endif

namespace mercer {
namespace {

// A substring and its position.
struct positioned_substring {
    std::size_t at = 0;
    std::string_view letters;
    bool operator==(const positioned_substring&) const = default;
};

}  // namespace
}  // namespace mercer

template <>
struct std::hash<mercer::positioned_substring> {
    std::size_t operator()(const mercer::positioned_substring& word) const noexcept {
        return std::hash<std::string_view>()(word.letters) ^ word.at * 0x9e3779b97f4a7c15u;
    }
};

namespace mercer {
namespace {

// b_l, l = 1 … d
std::vector<double> degree_weights(int d) {
    std::vector<double> weight;
    for (int l = 1; l <= d; ++l) weight.push_back(2.0 * (d - l + 1) / (static_cast<double>(d) * (d + 1)));
    return weight;
}

// Compares 64 bytes; bit i of the result is a[i] == b[i].
std::uint64_t equal_bits(const char* a, const char* b) {
    std::uint64_t bits = 0;
#if defined(__SSE2__)
    for (std::ptrdiff_t part = 0; part < 4; ++part) {
        const __m128i x = _mm_loadu_si128(reinterpret_cast<const __m128i*>(a + 16 * part)),
                      y = _mm_loadu_si128(reinterpret_cast<const __m128i*>(b + 16 * part));
        bits |= static_cast<std::uint64_t>(static_cast<std::uint16_t>(_mm_movemask_epi8(_mm_cmpeq_epi8(x, y))))
                << 16 * part;
    }
#else
    for (int i = 0; i < 64; ++i) bits |= std::uint64_t{a[i] == b[i]} << i;
#endif
    return bits;
}

// Counts the positions of common substrings, by length.
class match_counter {
public:
    explicit match_counter(int d) : counts_(static_cast<std::size_t>(d)) {}

    // Adds to counts[l-1] the number of positions at which a and b have the same l bytes.
    void add(std::string_view a, std::string_view b) {
        const std::size_t length = std::min(a.size(), b.size()), whole = length / 64;
        bits_.resize(whole + 1);
        for (std::size_t w = 0; w < whole; ++w) bits_[w] = equal_bits(a.data() + 64 * w, b.data() + 64 * w);
        char left[64] = {}, right[64] = {};
        const std::size_t rest = length % 64;
        if (rest) std::memcpy(left, a.data() + 64 * whole, rest), std::memcpy(right, b.data() + 64 * whole, rest);
        bits_[whole] = equal_bits(left, right) & ((std::uint64_t{1} << rest) - 1);
        // a and b agree in l letters at i if they agree in l-1 letters at i and at i+1.
        for (auto& count : counts_) {
            index found = 0;
            for (const std::uint64_t each : bits_) found += std::popcount(each);
            if (found == 0) return;
            count += found;
            for (std::size_t w = 0; w < bits_.size(); ++w)
                bits_[w] &= bits_[w] >> 1 | (w + 1 < bits_.size() ? bits_[w + 1] << 63 : 0);
        }
    }
    // Returns Σ weight[l-1]·counts[l-1] and sets all counts to 0.
    double take_sum(const std::vector<double>& weight) {
        double sum = 0;
        for (std::size_t l = 0; l < counts_.size(); ++l) sum += weight[l] * static_cast<double>(counts_[l]);
        std::ranges::fill(counts_, 0);
        return sum;
    }

private:
    std::vector<index> counts_;
    std::vector<std::uint64_t> bits_;
};

}  // namespace

int emit_weighted_degree(plan_builder& code, const char* owner, int d, int shifts) {
    const std::vector<double> weight = degree_weights(d);
    return emit_ordered_pairs<strings>(
        code, owner, [](std::string_view s) { return s; },
        [=](std::string_view s, std::span<const std::string_view* const> others, double* out) {
            match_counter same(d);
            cancellation_check stop_check;
            for (std::size_t p = 0; p < others.size(); ++p) {
                const std::string_view t = *others[p];
                same.add(s, t);
                out[p] = same.take_sum(weight);
                const std::size_t most = std::min(static_cast<std::size_t>(shifts), std::max(s.size(), t.size()));
                for (std::size_t r = 1; r <= most; ++r) {
                    stop_check.count(10 + std::min(s.size(), t.size()) / 8);
                    if (r < s.size()) same.add(s.substr(r), t);
                    if (r < t.size()) same.add(s, t.substr(r));
                    out[p] += same.take_sum(weight) / (2.0 * static_cast<double>(r + 1));
                }
            }
        });
}

named_embedding weighted_degree::features() const {
    std::vector<double> root = degree_weights(d);
    for (double& each : root) each = std::sqrt(each);
    return word_counts<positioned_substring, strings>(
        fmt::format("placed substrings {}", d),
        [root](const strings& from, index i, auto add) {
            const std::string_view s = from[i];
            for (std::size_t at = 0; at < s.size(); ++at)
                for (std::size_t l = 1; l <= root.size() && at + l <= s.size(); ++l)
                    add({at, s.substr(at, l)}, root[l - 1], masked_range{at, l});
        },
        [](const positioned_substring& word, const known_names&) {
            return fmt::format("{} at {}", printable_text(word.letters), word.at);
        });
}

}  // namespace mercer

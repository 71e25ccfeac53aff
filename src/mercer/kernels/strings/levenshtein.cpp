#include "mercer/kernels/strings/levenshtein.h"

#include <array>

#include "mercer/base/context.h"
#include "mercer/base/workspace.h"
#include "mercer/kernels/object_pairs.h"

namespace mercer {
namespace {

// Computes the table of edit distances between the prefixes of s (rows) and of t (columns) column by column. A column
// is stored as the differences of vertical neighbours: a bit of `up` for +1, a bit of `down` for -1, 64 rows per word.
class edit_distance {
public:
    explicit edit_distance(std::string_view s) : length_(s.size()), blocks_((s.size() + 63) / 64) {
        for (const char c : s)
            if (auto& row = row_[static_cast<unsigned char>(c)]; row == 0) row = ++letters_;
        held_.grow_to((letters_ + 3) * blocks_ * sizeof(std::uint64_t));
        places_.resize((letters_ + 1) * blocks_);
        for (std::size_t i = 0; i < s.size(); ++i)
            places_[row_[static_cast<unsigned char>(s[i])] * blocks_ + i / 64] |= std::uint64_t{1} << i % 64;
        up_.resize(blocks_);
        down_.resize(blocks_);
    }
    index to(std::string_view t) {
        if (length_ == 0) return static_cast<index>(t.size());
        std::ranges::fill(up_, ~std::uint64_t{0});
        std::ranges::fill(down_, 0);
        const std::uint64_t last = std::uint64_t{1} << (length_ - 1) % 64;
        auto distance = static_cast<index>(length_);
        cancellation_check stop_check;
        for (const char c : t) {
            stop_check.count(blocks_);
            const std::uint64_t* same = &places_[row_[static_cast<unsigned char>(c)] * blocks_];
            int carry = 1;  // the horizontal difference above the block; in the first row of the table it is 1
            for (std::size_t b = 0; b < blocks_; ++b) carry = next(b, same[b], carry, b + 1 < blocks_ ? top : last);
            distance += carry;
        }
        return distance;
    }

private:
    static constexpr std::uint64_t top = std::uint64_t{1} << 63;

    // Advances one block by one letter of t. `same` has a bit for every letter of s in the block that equals it, `in`
    // is the horizontal difference above the block; returns the horizontal difference in the row of the bit `out`.
    int next(std::size_t b, std::uint64_t same, int in, std::uint64_t out) {
        const std::uint64_t up = up_[b], down = down_[b], vertical = same | down;
        if (in < 0) same |= 1;
        const std::uint64_t diagonal = (((same & up) + up) ^ up) | same;
        std::uint64_t plus = down | ~(diagonal | up), minus = up & diagonal;
        const int difference = (plus & out ? 1 : 0) - (minus & out ? 1 : 0);
        plus = plus << 1 | (in > 0 ? 1 : 0);
        minus = minus << 1 | (in < 0 ? 1 : 0);
        up_[b] = minus | ~(vertical | plus);
        down_[b] = plus & vertical;
        return difference;
    }

    workspace held_;
    std::size_t length_, blocks_, letters_ = 0;
    std::array<std::size_t, 256> row_{};  // row of `places_` by letter; row 0: letters not in s
    std::vector<std::uint64_t> places_, up_, down_;
};

}  // namespace

int levenshtein::emit(plan_builder& code) const {
    return emit_ordered_pairs<strings>(
        code, "levenshtein", [](std::string_view s) { return s; },
        [rate = gamma](std::string_view s, std::span<const std::string_view* const> others, double* out) {
            edit_distance from(s);
            for (std::size_t p = 0; p < others.size(); ++p)
                out[p] = std::exp(-rate * static_cast<double>(from.to(*others[p])));
        });
}

}  // namespace mercer

#include "mercer/kernels/strings/levenshtein.h"

#include <array>

#include "mercer/base/context.h"
#include "mercer/base/workspace.h"
#include "mercer/kernels/object_pairs.h"

namespace mercer {
namespace {

// The columns of the table of distances between the prefixes of s and of t, one letter of t after the other. A column
// is kept as differences of neighbours, +1 in `up` and -1 in `down`, 64 to a word.
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
        stop_watch asked;
        for (const char c : t) {
            asked.after(blocks_);
            const std::uint64_t* same = &places_[row_[static_cast<unsigned char>(c)] * blocks_];
            int carry = 1;  // the difference along t above this block: the first row of the table grows by 1
            for (std::size_t b = 0; b < blocks_; ++b) carry = next(b, same[b], carry, b + 1 < blocks_ ? top : last);
            distance += carry;
        }
        return distance;
    }

private:
    static constexpr std::uint64_t top = std::uint64_t{1} << 63;

    // One block, one letter of t on; the difference along t at the place of the bit `out`.
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
    std::array<std::size_t, 256> row_{};  // of `places_`; row 0: letters that s does not hold
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

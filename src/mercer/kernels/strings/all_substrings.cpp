#include "mercer/kernels/strings/all_substrings.h"

#include <array>
#include <bit>

#include "mercer/base/context.h"
#include "mercer/base/workspace.h"
#include "mercer/kernels/object_pairs.h"

namespace mercer {
namespace {

// The smallest automaton that accepts every substring of s. A state represents the substrings with the same set of end
// positions in s: the suffixes of the longest of them, down to some length. Shorter suffixes belong to the state of the
// suffix link. The steps take at most 16·(letters + 1)·|s| bytes, letters + 1 rounded up to a power of 2.
class suffix_automaton {
public:
    // weight[l] is the sum of the weights of substrings of lengths 1 … l, for all l <= |s|; the caller keeps it alive.
    suffix_automaton(std::string_view s, const std::vector<double>& weight) : weight_(weight) {
        code_.fill(-1);
        int letters = 0;
        for (const char c : s)
            if (auto& code = code_[static_cast<unsigned char>(c)]; code < 0) code = letters++;
        for (auto& code : code_) code = code < 0 ? letters : code;
        shift_ = std::bit_width(static_cast<unsigned>(letters));  // 2^shift > letters
        grow(s);
        count_places(s);
        close(letters);
    }

    struct reader {
        std::uint32_t state = 0;
        std::int32_t length = 0;
        double sum = 0;
    };
    void read(reader& at, char c) const {
        const step& next =
            steps_[(std::size_t{at.state} << shift_) + static_cast<std::size_t>(code_[static_cast<unsigned char>(c)])];
        at.state = next.to;
        at.length = std::min(at.length + 1, next.longest);
        const value& here = values_[at.state];
        at.sum += here.base + here.count * weight_[static_cast<std::size_t>(at.length)];
    }

private:
    // `longest` limits the length of the matched suffix after the step if the step starts from a shorter suffix
    // (close()); otherwise it is no_limit.
    struct step {
        std::uint32_t to = none;
        std::int32_t longest = 0;
    };
    // Let a substring of length l belong to a state of the automaton. Its value, base + count·weight[l], is the sum of
    // weight × number of occurrences over all suffixes of the substring. base, count >= 0.
    struct value {
        double base = 0, count = 0;
    };
    static constexpr std::uint32_t none = 0xffffffff;
    static constexpr std::int32_t no_limit = 0x7ffffffe;

    step& at(std::uint32_t state, int code) {
        return steps_[(std::size_t{state} << shift_) + static_cast<std::size_t>(code)];
    }
    std::uint32_t add_state(std::int32_t length, std::uint32_t link) {
        if (length_.size() == length_.capacity()) {  // all vectors are about to be reallocated at twice the size
            const std::size_t per_state =
                (sizeof(step) << shift_) + sizeof(value) + sizeof(length) + 3 * sizeof(std::uint32_t);
            held_.grow_to(3 * (length_.size() + 1) * per_state);
        }
        length_.push_back(length);
        link_.push_back(link);
        steps_.resize(steps_.size() + (std::size_t{1} << shift_));
        return static_cast<std::uint32_t>(length_.size()) - 1;
    }
    void grow(std::string_view s) {
        if (s.size() > (std::size_t{1} << 30))
            fail(errc::unsupported,
                 fmt::format("all_substrings: strings must have at most 2^30 bytes, got {}", s.size()));
        std::uint32_t last = add_state(0, none);
        cancellation_check stop_check;
        for (const char c : s) {
            stop_check.count(20);
            const int code = code_[static_cast<unsigned char>(c)];
            const std::uint32_t made = add_state(length_[last] + 1, 0);
            ends_.push_back(made);
            std::uint32_t from = std::exchange(last, made);
            for (; from != none && at(from, code).to == none; from = link_[from]) at(from, code).to = made;
            if (from == none) continue;
            const std::uint32_t old = at(from, code).to;
            if (length_[old] == length_[from] + 1) {
                link_[made] = old;
                continue;
            }
            const std::uint32_t copy = add_state(length_[from] + 1, link_[old]);
            std::copy_n(&at(old, 0), std::size_t{1} << shift_, &at(copy, 0));
            for (; from != none && at(from, code).to == old; from = link_[from]) at(from, code).to = copy;
            link_[old] = link_[made] = copy;
        }
    }
    // Computes the number of occurrences of each state's substrings and the sums over suffixes.
    void count_places(std::string_view s) {
        std::vector<std::uint32_t> start(s.size() + 2);
        for (const std::int32_t length : length_) ++start[static_cast<std::size_t>(length) + 1];
        for (std::size_t l = 1; l < start.size(); ++l) start[l] += start[l - 1];
        order_.resize(length_.size());
        for (std::uint32_t v = 0; v < length_.size(); ++v) order_[start[static_cast<std::size_t>(length_[v])]++] = v;
        values_.resize(length_.size());
        for (const std::uint32_t v : ends_) values_[v].count = 1;
        for (std::size_t i = order_.size(); i-- > 1;) values_[link_[order_[i]]].count += values_[order_[i]].count;
        values_[0] = {};  // the empty string has no weight
        for (std::size_t i = 1; i < order_.size(); ++i) {
            const std::uint32_t v = order_[i], up = link_[v];
            const double below = weight_[static_cast<std::size_t>(length_[up])];
            values_[v].base = values_[up].base + (values_[up].count - values_[v].count) * below;
        }
    }
    // Gives every state a step for every letter: if the state has none, the step of its longest suffix that has one.
    void close(int letters) {
        cancellation_check stop_check;
        for (const std::uint32_t v : order_) {
            stop_check.count(static_cast<std::size_t>(letters) + 10);
            for (int code = 0; code <= letters; ++code) {
                step& here = at(v, code);
                if (here.to != none)
                    here.longest = no_limit;
                else if (v == 0)
                    here = {0, 0};
                else {
                    here = at(link_[v], code);
                    if (here.longest == no_limit) here.longest = length_[link_[v]] + 1;
                }
            }
        }
    }

    workspace held_;
    const std::vector<double>& weight_;
    std::array<std::int32_t, 256> code_;
    int shift_ = 0;
    std::vector<step> steps_;
    std::vector<value> values_;
    std::vector<std::int32_t> length_;
    std::vector<std::uint32_t> link_, ends_, order_;
};

void read_all(const suffix_automaton& from, std::span<const std::string_view* const> others, double* out) {
    constexpr std::size_t together = 4;  // independent readers hide the latency of memory
    for (std::size_t p = 0; p < others.size(); p += together) {
        const std::size_t count = std::min(together, others.size() - p);
        suffix_automaton::reader at[together];
        std::size_t common = 0;
        if (count == together) {
            common = others[p]->size();
            for (std::size_t q = 1; q < together; ++q) common = std::min(common, others[p + q]->size());
            for (std::size_t i = 0; i < common; ++i)
                for (std::size_t q = 0; q < together; ++q) from.read(at[q], (*others[p + q])[i]);
        }
        for (std::size_t q = 0; q < count; ++q) {
            for (const char c : others[p + q]->substr(common)) from.read(at[q], c);
            out[p + q] = at[q].sum;
        }
    }
}

}  // namespace

int all_substrings::emit(plan_builder& code) const {
    return emit_ordered_pairs<strings>(
        code, "all_substrings", [](std::string_view s) { return s; },
        [per_letter = decay * decay](std::string_view s, std::span<const std::string_view* const> others, double* out) {
            const workspace held((s.size() + 1) * sizeof(double));
            std::vector<double> weight;
            weight.reserve(s.size() + 1);
            weight.push_back(0);
            double power = 1;
            for (std::size_t l = 1; l <= s.size(); ++l) weight.push_back(weight.back() + (power *= per_letter));
            read_all(suffix_automaton(s, weight), others, out);
        });
}

}  // namespace mercer

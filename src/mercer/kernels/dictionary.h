// Words and their numbers: 0, 1, … in the order in which they were first met.
#pragma once

#include <cstdint>
#include <functional>
#include <limits>
#include <type_traits>
#include <vector>

#include "mercer/base/error.h"

namespace mercer {

// Open addressing: one probe for most words, and no allocation for any.
template <class Word>
class dictionary {
public:
    std::int32_t number(const Word& word) {
        if (2 * words_.size() >= slots_.size()) grow();
        for (std::size_t at = place(word);; at = (at + 1) & (slots_.size() - 1)) {
            if (slots_[at] < 0) {
                if (words_.size() >= static_cast<std::size_t>(std::numeric_limits<std::int32_t>::max()))
                    fail(errc::unsupported, "the objects hold more than 2^31 - 1 different words");
                words_.push_back(word);
                return slots_[at] = static_cast<std::int32_t>(words_.size()) - 1;
            }
            if (words_[static_cast<std::size_t>(slots_[at])] == word) return slots_[at];
        }
    }
    const std::vector<Word>& words() const { return words_; }
    std::size_t size() const { return words_.size(); }

private:
    std::size_t place(const Word& word) const {
        auto bits = static_cast<std::uint64_t>(std::hash<Word>()(word));
        if constexpr (std::is_integral_v<Word>) bits ^= bits >> 32;  // its hash is the number itself
        return static_cast<std::size_t>(bits * 0x9e3779b97f4a7c15u >> shift_);
    }
    void grow() {
        slots_.assign(slots_.empty() ? 64 : 2 * slots_.size(), -1);
        shift_ = 64;
        for (std::size_t size = slots_.size(); size > 1; size /= 2) --shift_;
        for (std::size_t w = 0; w < words_.size(); ++w) {
            std::size_t at = place(words_[w]);
            while (slots_[at] >= 0) at = (at + 1) & (slots_.size() - 1);
            slots_[at] = static_cast<std::int32_t>(w);
        }
    }

    std::vector<Word> words_;
    std::vector<std::int32_t> slots_;  // numbers, -1: free; a power of two, at most half of them taken
    int shift_ = 64;
};

}  // namespace mercer

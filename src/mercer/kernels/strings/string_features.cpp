#include "mercer/kernels/strings/string_features.h"

#include <fmt/format.h>

#include <array>
#include <bit>
#include <cmath>

#include "mercer/data/strings.h"
#include "mercer/kernels/word_counts.h"

namespace mercer {
namespace {

// Numbers the bytes that occur in x or z as 0, 1, … in ascending order.
struct letter_codes {
    std::array<std::uint8_t, 256> code{};
    std::string letters;  // the bytes, by code
    int count = 0;

    letter_codes(const strings& x, const strings* z) {
        std::array<bool, 256> occurs{};
        for (const strings* some : {&x, z})
            for (index i = 0; some && i < some->size(); ++i)
                for (const char c : (*some)[i]) occurs[static_cast<unsigned char>(c)] = true;
        for (std::size_t c = 0; c < 256; ++c)
            if (occurs[c]) code[c] = static_cast<std::uint8_t>(count++), letters += static_cast<char>(c);
    }
    std::vector<std::uint8_t> of(std::string_view s) const {
        std::vector<std::uint8_t> out(s.size());
        for (std::size_t i = 0; i < s.size(); ++i) out[i] = code[static_cast<unsigned char>(s[i])];
        return out;
    }
};

// The number of bits that represent `count` different values.
int bits_for(double count) { return std::max(1, static_cast<int>(std::ceil(std::log2(std::max(1.0, count))))); }

// An embedding whose words are numbers of 64 bits made of letter codes. words(codes) returns the function that lists
// the words of an object (word_counts.h), write(codes) the function that gives the text of a word.
template <class Words, class Write>
named_embedding coded_counts(std::string key, Words words, Write write) {
    return {key, [key, words, write](const dataset& x, const dataset* z) {
                const letter_codes known(objects_of<strings>(x, key), z ? &objects_of<strings>(*z, key) : nullptr);
                return named_words<std::uint64_t, strings>(
                    key, x, z, words(known), [text = write(known)](std::uint64_t word, const known_names&) {
                        return printable_text(text(word));
                    });
            }};
}

// from(at, left, word, weight) calls add for `word` and all words that differ from it at no more than `left` of the
// positions at … k-1.
template <class Add>
struct mismatch_neighbours {
    const std::uint8_t* letters;
    int k, bits, letter_count;
    double spare_root;     // √(number of letters of the alphabet that occur in no string)
    std::size_t place_of;  // the position of the substring in the string
    Add& add;

    void from(int at, int left, std::uint64_t word, double weight) const {
        add(word, weight, masked_range{place_of, static_cast<std::size_t>(k)});
        if (left == 0) return;
        for (int place = at; place < k; ++place) {
            const int shift = bits * place;
            const std::uint64_t others = word & ~(((std::uint64_t{1} << bits) - 1) << shift);
            for (int c = 0; c < letter_count; ++c)
                if (c != letters[place])
                    from(place + 1, left - 1, others | static_cast<std::uint64_t>(c) << shift, weight);
            if (spare_root > 0)
                from(place + 1, left - 1, others | static_cast<std::uint64_t>(letter_count) << shift,
                     weight * spare_root);
        }
    }
};

void require_64_bits(int bits, const std::string& owner, const std::string& what, int letters) {
    if (bits > 64)
        fail(errc::unsupported,
             fmt::format(
                 "{}: {} take {} bits with the {} letters of these strings, more than the 64 bits of a feature number",
                 owner, what, bits, letters));
}

// All choices of k of g positions as bit masks, ascending.
std::vector<std::uint64_t> position_masks(int g, int k) {
    std::vector<std::uint64_t> made;
    const std::uint64_t end = g == 64 ? 0 : std::uint64_t{1} << g;
    for (std::uint64_t mask = k == 64 ? ~std::uint64_t{0} : (std::uint64_t{1} << k) - 1;;) {
        made.push_back(mask);
        const std::uint64_t low = mask & -mask, up = mask + low;  // the next larger number with k bits set (Gosper)
        if (up == 0) break;
        mask = up | (((mask ^ up) / low) >> 2);
        if (end && mask >= end) break;
    }
    return made;
}

}  // namespace

double binomial_coefficient(int n, int k) {
    if (k < 0 || k > n) return 0;
    double ways = 1;
    for (int i = 1; i <= k; ++i) ways = ways * (n - k + i) / i;
    return std::round(ways);
}

double count_mismatch_words(int k, int m, double changes) {
    double count = 0;
    for (int d = 0; d <= m; ++d) count += binomial_coefficient(k, d) * std::pow(changes, d);
    return count;
}

std::string printable_text(std::string_view bytes) {
    std::string out;
    for (const char c : bytes)
        if (const auto byte = static_cast<unsigned char>(c); byte < 0x20 || byte == 0x7f)
            out += fmt::format("\\x{:02x}", byte);
        else
            out += c;
    return out;
}

namespace {
std::string substring_text(std::string_view word, const known_names&) { return printable_text(word); }
}  // namespace

named_embedding spectrum_counts(int k) {
    return word_counts<std::string_view, strings>(
        fmt::format("substrings {}", k),
        [k = static_cast<std::size_t>(k)](const strings& from, index i, auto add) {
            const std::string_view s = from[i];
            for (std::size_t at = 0; at + k <= s.size(); ++at) add(s.substr(at, k), 1, masked_range{at, k});
        },
        substring_text);
}

named_embedding blended_counts(int k, double decay) {
    std::vector<double> weight;
    for (int l = 1; l <= k; ++l) weight.push_back(std::pow(decay, l));
    return word_counts<std::string_view, strings>(
        fmt::format("substrings to {} by {}", k, decay),
        [k, weight](const strings& from, index i, auto add) {
            const std::string_view s = from[i];
            for (std::size_t at = 0; at < s.size(); ++at)
                for (std::size_t l = 1; l <= static_cast<std::size_t>(k) && at + l <= s.size(); ++l)
                    add(s.substr(at, l), weight[l - 1], masked_range{at, l});
        },
        substring_text);
}

named_embedding mismatch_counts(int k, int m, int letters) {
    const auto words = [=](const letter_codes& known) {
        if (known.count > letters)
            fail(errc::data,
                 fmt::format(
                     "mismatch: letters must be at least {}, the number of different bytes in the strings, got {}",
                     known.count, letters));
        const int bits = bits_for(known.count + 1);
        require_64_bits(bits * k, "mismatch", fmt::format("words of {}", k), known.count);
        return [=](const strings& from, index i, auto add) {
            const std::vector<std::uint8_t> s = known.of(from[i]);
            for (std::size_t at = 0; at + static_cast<std::size_t>(k) <= s.size(); ++at) {
                std::uint64_t word = 0;
                for (int place = 0; place < k; ++place)
                    word |= static_cast<std::uint64_t>(s[at + static_cast<std::size_t>(place)]) << bits * place;
                const mismatch_neighbours<decltype(add)> near{s.data() + at,
                                                              k,
                                                              bits,
                                                              known.count,
                                                              std::sqrt(static_cast<double>(letters - known.count)),
                                                              at,
                                                              add};
                near.from(0, m, word, 1);
            }
        };
    };
    // A letter that occurs in no string is written as '*'.
    const auto write = [k](const letter_codes& known) {
        return [k, known, bits = bits_for(known.count + 1)](std::uint64_t word) {
            std::string out;
            for (int place = 0; place < k; ++place)
                out += (known.letters + '*')[word >> bits * place & ((std::uint64_t{1} << bits) - 1)];
            return out;
        };
    };
    return coded_counts(fmt::format("substrings {} but {} of {}", k, m, letters), words, write);
}

named_embedding gapped_counts(int g, int k) {
    const auto words = [g, k, masks = position_masks(g, k)](const letter_codes& known) {
        const int bits = bits_for(known.count), mask_bits = bits_for(static_cast<double>(masks.size()));
        require_64_bits(bits * k + mask_bits, "gapped_kmer", fmt::format("{} of {} letters", k, g), known.count);
        return [=](const strings& from, index i, auto add) {
            const std::vector<std::uint8_t> s = known.of(from[i]);
            for (std::size_t at = 0; at + static_cast<std::size_t>(g) <= s.size(); ++at)
                for (std::size_t m = 0; m < masks.size(); ++m) {
                    std::uint64_t word = m;
                    for (std::uint64_t rest = masks[m]; rest; rest &= rest - 1)
                        word = word << bits | s[at + static_cast<std::size_t>(std::countr_zero(rest))];
                    add(word, 1, masked_range{at, static_cast<std::size_t>(g), masks[m]});
                }
        };
    };
    // A gap is written as '.'.
    const auto write = [g, k, masks = position_masks(g, k)](const letter_codes& known) {
        return [g, k, masks, known, bits = bits_for(known.count)](std::uint64_t word) {
            std::string out(static_cast<std::size_t>(g), '.');
            const std::uint64_t mask = masks[bits * k == 64 ? 0 : word >> bits * k];
            int left = k;
            for (std::uint64_t rest = mask; rest; rest &= rest - 1)
                out[static_cast<std::size_t>(std::countr_zero(rest))] =
                    known.letters[word >> bits * --left & ((std::uint64_t{1} << bits) - 1)];
            return out;
        };
    };
    return coded_counts(fmt::format("{} of {} letters", k, g), words, write);
}

}  // namespace mercer

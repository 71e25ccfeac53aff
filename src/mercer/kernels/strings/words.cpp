#include "mercer/kernels/strings/words.h"

#include <fmt/format.h>

#include <cmath>
#include <memory>

#include "mercer/kernels/object_pairs.h"
#include "mercer/text/term_counts.h"

namespace mercer {

named_embedding words::embedding() const {
    const std::string key = fmt::format("words {} {} {} {} {}", ngram, lower, min_length, binary, sublinear);
    token_options terms;
    terms.ngram_max = ngram;
    terms.lower = lower;
    terms.min_length = min_length;
    const auto weight = [binary = binary, sublinear = sublinear](std::int32_t count) {
        return binary ? 1 : sublinear ? 1 + std::log(static_cast<double>(count)) : static_cast<double>(count);
    };
    return {key, [=](const dataset& x, const dataset* z) {
                const strings& left = objects_of<strings>(x, "words");
                // Words that occur only in Z get columns too, so that k(z, z) is correct.
                const tokeniser cut(terms);
                const auto kept = std::make_shared<const term_counts>(
                    count_terms(z ? left.followed_by(objects_of<strings>(*z, "words")) : left, cut));
                const term_counts& found = *kept;
                const auto rows = [&](index first, index end) -> dataset {
                    const auto& all = found.rows.start;
                    const index from = all[static_cast<std::size_t>(first)], to = all[static_cast<std::size_t>(end)];
                    std::vector<index> start;
                    for (index i = first; i <= end; ++i) start.push_back(all[static_cast<std::size_t>(i)] - from);
                    std::vector<double> value;
                    value.reserve(static_cast<std::size_t>(to - from));
                    for (index k = from; k < to; ++k)
                        value.push_back(weight(found.rows.count[static_cast<std::size_t>(k)]));
                    return sparse<double>(std::move(start),
                                          {found.rows.col.begin() + from, found.rows.col.begin() + to},
                                          std::move(value), found.terms.size());
                };
                named_rows out{rows(0, x.size()), z ? rows(x.size(), x.size() + z->size()) : dataset()};
                out.name = [kept](index c, const known_names&) {
                    return std::string(kept->terms[static_cast<std::int32_t>(c)]);
                };
                out.places = [kept, cut, x](index i) {
                    std::vector<feature_place> at;
                    cut.for_each_term_place(objects_of<strings>(x, "words")[i],
                                            [&](std::string_view term, std::vector<index> bytes) {
                                                at.push_back({kept->terms.find(term), 1, std::move(bytes)});
                                            });
                    return at;
                };
                return out;
            }};
}

}  // namespace mercer

// Texts as sparse vectors of their terms: counts, or tf-idf fitted to a collection.
//
//   tf(t, d)   how often term t stands in text d; binary: 1 where it does; sublinear: 1 + ln tf
//   idf(t)     ln((1 + n)/(1 + df(t))) + 1, df(t): the number of the n texts with t; not smooth: ln(n/df(t)) + 1
//   x_t        tf·idf, divided by the Euclidean norm of the row (norm l2) or by its sum (l1)
//
// as scikit-learn's TfidfVectorizer has them. Columns are terms in the order of their bytes, or the hashes of terms:
// then there is no list of terms to keep.
#pragma once

#include <string>
#include <string_view>
#include <vector>

#include "mercer/data/dataset.h"
#include "mercer/text/term_counts.h"

namespace mercer {

enum class text_norm { none, l1, l2 };

struct text_options {
    token_options terms{};
    term_choice choice{};  // not with hashed columns
    bool idf = true;
    bool smooth = true;
    bool sublinear = false;
    bool binary = false;
    text_norm norm = text_norm::l2;
    index hashed = 0;        // columns of hashed terms; 0: a column for each term
    std::string language{};  // whose stop words are left out, besides those of `terms`
    bool operator==(const text_options&) const = default;
};
// "tfidf", "counts" (no idf, no norm) or "binary", and what is different: "tfidf(ngram=2, min_df=3, stop=english)".
//   ngram, ngram_min, unit (words, characters), lower, min_length, min_df, max_df, max_features, idf, smooth,
//   sublinear, binary, norm (none, l1, l2), hashed, stop (a language)
// Switches are 0 or 1. Fails with errc::invalid_argument, listing what there is.
text_options parse_text_options(std::string_view text);

class text_features {
public:
    // Also gives the texts themselves, in `rows`, for the price of counting them once.
    static text_features fit(const dataset& texts, const text_options& options = {}, dataset* rows = nullptr);

    const text_options& options() const { return options_; }
    index dims() const;
    index texts() const { return texts_; }  // it was fitted to
    // The terms by column; none where they are hashed.
    const term_table& terms() const { return terms_; }
    const std::vector<double>& idf() const { return idf_; }  // by column; empty without

    // Sparse rows of doubles; terms that the fit has not seen are left out.
    dataset apply(const dataset& texts) const;

    // JSON; applies to the same texts with the same result.
    std::string to_json() const;
    static text_features from_json(std::string_view text, const std::string& name);

private:
    explicit text_features(const text_options& options);
    void set_idf();
    dataset weighted(count_rows counts) const;

    text_options options_;
    tokeniser cut_;
    index texts_ = 0;
    term_table terms_;
    std::vector<index> document_counts_;
    std::vector<double> idf_;
};

}  // namespace mercer

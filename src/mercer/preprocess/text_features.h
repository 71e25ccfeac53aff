// Represents texts as sparse vectors with one column per term: counts, or tf-idf fitted to a collection of texts.
//
//   tf(t, d)   the number of times that term t occurs in text d; binary: 1 if it occurs; sublinear: 1 + ln tf
//   idf(t)     ln((1 + n)/(1 + df(t))) + 1, df(t): the number of the n texts with t; not smooth: ln(n/df(t)) + 1
//   x_t        tf·idf, divided by the Euclidean norm of the row (norm l2) or by its sum (l1)
//
// These are the definitions of scikit-learn's TfidfVectorizer. Columns are terms in the order of their bytes, or hashes
// of terms: then no list of terms is stored.
//
// Example:
//
//     const dataset texts = strings({"the cat sat", "the dog sat"});
//     const text_features tfidf = text_features::fit(texts, parse_text_options("tfidf(stop=english)"));
//     assert(tfidf.dims() == 3 && tfidf.terms()[0] == "cat");
//     const dataset x = tfidf.apply(texts);  // 2 sparse rows
//     assert(x.is_sparse() && x.size() == 2);
#pragma once

#include <string>
#include <string_view>
#include <vector>

#include "mercer/data/dataset.h"
#include "mercer/text/term_counts.h"

namespace mercer {

// How each row is normalised: not at all, to the sum 1, or to the Euclidean norm 1.
enum class text_norm { none, l1, l2 };

// Options of text_features::fit().
struct text_options {
    token_options terms{};
    term_selection choice{};  // not for hashed columns
    bool idf = true;
    bool smooth = true;
    bool sublinear = false;
    bool binary = false;
    text_norm norm = text_norm::l2;
    index hashed = 0;        // number of columns of hashed terms; 0: a column for each term
    std::string language{};  // its stop words are left out, in addition to those of `terms`
    bool operator==(const text_options&) const = default;
};
// Parses "tfidf", "counts" (no idf, no norm) or "binary", and options that differ from the default, as in
// "tfidf(ngram=2, min_df=3, stop=english)":
//   ngram, ngram_min, unit (words, characters), lower, min_length, min_df, max_df, max_features, idf, smooth,
//   sublinear, binary, norm (none, l1, l2), hashed, stop (a language)
// Switches are 0 or 1. Throws errc::invalid_argument with the list of options for another option.
text_options parse_text_options(std::string_view text);

// Fitted text features.
class text_features {
public:
    // Fits to the texts. If `rows` is not null, *rows is set to apply(texts), without counting the terms a second time.
    static text_features fit(const dataset& texts, const text_options& options = {}, dataset* rows = nullptr);

    const text_options& options() const { return options_; }
    index dims() const;
    index texts() const { return texts_; }  // number of texts in fit()
    // The terms by column; empty if they are hashed.
    const term_table& terms() const { return terms_; }
    const std::vector<double>& idf() const { return idf_; }  // by column; empty if options().idf is false

    // Returns sparse vectors of doubles. Terms that fit() has not seen are left out.
    dataset apply(const dataset& texts) const;

    // Returns the fitted features as JSON; the features that from_json() reads from it give bit-identical results.
    // `name` is the name of the file in messages.
    std::string to_json() const;
    static text_features from_json(std::string_view text, const std::string& name);

private:
    explicit text_features(const text_options& options);
    void compute_idf();
    dataset apply_weights(count_rows counts) const;

    text_options options_;
    tokeniser tokeniser_;
    index texts_ = 0;
    term_table terms_;
    std::vector<index> document_counts_;
    std::vector<double> idf_;
};

}  // namespace mercer

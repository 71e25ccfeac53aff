// Models of texts: the model file contains the conversion of texts to vectors.
#include <gtest/gtest.h>

#include "contracts/errors.h"
#include "mercer/data/all_kinds.h"
#include "mercer/io/tsv.h"
#include "mercer/model/fit.h"
#include "mercer/model/model_file.h"

namespace mercer::api {
namespace {

table texts() {
    return parse_strings("ham\tsee you at home\nspam\tfree prize now\nham\thome at last\nspam\twin a free prize\n",
                         "t");
}

TEST(text_model, predicts_raw_texts_and_comes_back_from_its_file) {
    for (const char* how : {"tfidf", "counts(ngram=2, stop=english)", "tfidf(hashed=100)"}) {
        spec s = parse_spec(R"({"method": "linear_svc"})");
        s.text = how;
        const model m = fit(s, texts()), again = parse(m.bytes(), "m.model");
        EXPECT_EQ(m.kind(), strings::kind);
        const dataset fresh = strings({"a free win", "you were at home", "nothing known", ""});
        EXPECT_EQ(m.class_text(m.predict(fresh)[0]), "spam") << how;
        EXPECT_EQ(m.class_text(m.predict(fresh)[1]), "ham") << how;
        EXPECT_EQ(again.predict(fresh), m.predict(fresh));
        EXPECT_EQ(again.spec().text, how);
        EXPECT_EQ(again.bytes(), m.bytes());
        testing::expect_error(errc::unsupported, "fitted on strings", [&] { m.predict(sets({{1, 2}})); });
    }
}

TEST(text_model, takes_a_kernel_on_vectors_and_a_scaling) {
    spec s = parse_spec(R"-({"method": "svc", "kernel": "linear()", "scale": "minmax", "text": "tfidf"})-");
    const model m = fit(s, texts());
    EXPECT_EQ(m.predict(texts().x), texts().y);
    EXPECT_EQ(parse(m.bytes(), "m").predict(texts().x), texts().y);
    s.kernel = "spectrum(k=3)";
    testing::expect_error(errc::unsupported, "kernel on strings, but the data are vectors", [&] { fit(s, texts()); });
}

TEST(text_model, says_what_to_do) {
    const spec plain = parse_spec(R"({"method": "linear_svc"})");
    testing::expect_error(errc::unsupported, "convert the texts to vectors of their words",
                          [&] { fit(plain, texts()); });
    spec wrong = plain;
    wrong.text = "tfidf(ngram=0)";
    testing::expect_error(errc::invalid_argument, "ngram_min <= ngram_max", [&] { fit(wrong, texts()); });
}

}  // namespace
}  // namespace mercer::api

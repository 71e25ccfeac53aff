// Texts: tokenisation, and the features made from terms.
#include <gtest/gtest.h>

#include <cmath>

#include "contracts/errors.h"
#include "mercer/base/threads.h"
#include "mercer/preprocess/text_features.h"
#include "mercer/text/tokeniser.h"

namespace mercer {
namespace {

using testing::expect_error;
using words = std::vector<std::string>;

words terms_of(std::string_view text, const token_options& options = {}) {
    words out;
    tokeniser::scratch scratch;
    tokeniser(options).for_each_term(text, scratch, [&](std::string_view term) { out.emplace_back(term); });
    return out;
}

TEST(unicode, takes_characters_and_gives_them_back) {
    std::string_view text = "a\u00e9\u4e2d\U0001f600";
    std::string again;
    std::vector<char32_t> seen;
    while (!text.empty()) {
        seen.push_back(unicode::take_character(text));
        unicode::append(again, seen.back());
    }
    EXPECT_EQ(seen, (std::vector<char32_t>{'a', 0xe9, 0x4e2d, 0x1f600}));
    EXPECT_EQ(again, "a\u00e9\u4e2d\U0001f600");
}

TEST(unicode, takes_bytes_that_are_no_characters_one_by_one) {
    // A lone continuation, too long a form, half a pair, too large a number, a character cut short.
    for (const char* bytes : {"\x80", "\xc0\xaf", "\xed\xa0\x80", "\xf4\x90\x80\x80", "\xe4\xb8", "\xff\xfe"}) {
        std::string_view text = bytes;
        while (!text.empty()) {
            const auto byte = static_cast<unsigned char>(text.front());
            EXPECT_EQ(unicode::take_character(text), byte) << bytes;
        }
    }
}

TEST(unicode, knows_letters_marks_and_small_letters) {
    for (const char32_t c : {U'a', U'Z', U'7', U'_', U'ß', U'Я', U'中', U'あ', U'ع', U'न', U'٣'})
        EXPECT_TRUE(unicode::is_letter(c)) << static_cast<unsigned>(c);
    for (const char32_t c : {U' ', U'-', U'\'', U'«', U'。', U'😀', char32_t{0x300}})
        EXPECT_FALSE(unicode::is_letter(c)) << static_cast<unsigned>(c);
    EXPECT_TRUE(unicode::is_mark(0x301));
    EXPECT_TRUE(unicode::is_mark(0x93e));  // vowel sign of Devanagari
    EXPECT_FALSE(unicode::is_mark(U'é'));
    EXPECT_EQ(unicode::to_lower(U'É'), U'é');
    EXPECT_EQ(unicode::to_lower(U'Ж'), U'ж');
    EXPECT_EQ(unicode::to_lower(0x100), char32_t{0x101});
    EXPECT_EQ(unicode::to_lower(0x101), char32_t{0x101});
    EXPECT_EQ(unicode::to_lower(0x1e9e), U'ß');
    EXPECT_EQ(unicode::to_lower(U'中'), U'中');
}

TEST(tokens, are_words_of_any_script) {
    EXPECT_EQ(terms_of("Don't panic: it's 42_x!"), (words{"don", "panic", "it", "42_x"}));
    EXPECT_EQ(terms_of("ΟΔΟΣ Σ Żółć МОСКВА"), (words{"οδος", "żółć", "москва"}));
    EXPECT_EQ(terms_of("हिन्दी में"), (words{"हिन्दी", "में"}));
    EXPECT_EQ(terms_of("e\u0301te\u0301 \u0301x"), (words{"e\u0301te\u0301"})) << "an accent belongs to its letter";
    EXPECT_EQ(terms_of("东京 大阪。😀 ok"), (words{"东京", "大阪", "ok"}));
    EXPECT_EQ(terms_of("caf\xe9 \xff"), (words{"café"})) << "Latin-1 where it is not UTF-8";
    EXPECT_EQ(terms_of("İstanbul"), (words{"i\u0307stanbul"}));
    EXPECT_EQ(terms_of(""), words{});
    EXPECT_EQ(terms_of(std::string("ab\0cd", 5)), (words{"ab", "cd"}));
}

TEST(tokens, follow_their_options) {
    token_options o;
    o.lower = false;
    o.min_length = 1;
    EXPECT_EQ(terms_of("A bC", o), (words{"A", "bC"}));
    o.ngram_max = 2;
    EXPECT_EQ(terms_of("a b c", o), (words{"a", "b", "c", "a b", "b c"}));
    o.ngram_min = 2;
    EXPECT_EQ(terms_of("a  b,c", o), (words{"a b", "b c"}));
    EXPECT_EQ(terms_of("a", o), words{});
    o.stop = {"b"};
    EXPECT_EQ(terms_of("a b c", o), (words{"a c"})) << "stop words go before runs are made";
    token_options c{.unit = text_unit::characters, .ngram_min = 2, .ngram_max = 3};
    EXPECT_EQ(terms_of("Aé \n中", c), (words{"aé", "é ", " 中", "aé ", "é 中"}));
    c.ngram_min = c.ngram_max = 1;
    EXPECT_EQ(terms_of("ΣΑΣ Σ", c), (words{"σ", "α", "ς", " ", "σ"}));
    expect_error(errc::invalid_argument, "ngram_min <= ngram_max", [] { tokeniser({.ngram_min = 3}); });
    expect_error(errc::invalid_argument, "1 <= min_length", [] { tokeniser({.min_length = 0}); });
    EXPECT_EQ(stop_words("english").front(), "a");
    expect_error(errc::invalid_argument, "english, french, german, spanish", [] { stop_words("klingon"); });
}

const strings& few() {
    static const strings texts({"the cat sat", "The dog sat on the cat", "a bird", "", "the the the"});
    return texts;
}

double entry_at(const dataset& x, index row, index column) {
    const auto& rows = *x.as<sparse<double>>();
    for (std::size_t k = 0; k < rows.cols(row).size(); ++k)
        if (rows.cols(row)[k] == column) return rows.values(row)[k];
    return 0;
}

words terms_in_columns(const text_features& of) {
    words out;
    for (std::int32_t t = 0; t < of.terms().size(); ++t) out.emplace_back(of.terms()[t]);
    return out;
}

TEST(text_features, weigh_terms_as_defined) {
    dataset rows;
    const text_features f = text_features::fit(few(), {}, &rows);
    EXPECT_EQ(terms_in_columns(f), (words{"bird", "cat", "dog", "on", "sat", "the"}));
    const auto idf = [](double df) { return std::log(6 / (1 + df)) + 1; };
    const double the = 2 * idf(3), cat = idf(2), dog = idf(1),
                 norm = std::sqrt(the * the + 2 * cat * cat + 2 * dog * dog);
    EXPECT_NEAR(entry_at(rows, 1, 5), the / norm, 1e-15);
    EXPECT_NEAR(entry_at(rows, 1, 1), cat / norm, 1e-15);
    EXPECT_NEAR(entry_at(rows, 1, 2), dog / norm, 1e-15);
    EXPECT_EQ(entry_at(rows, 2, 0), 1);
    EXPECT_TRUE(rows.as<sparse<double>>()->cols(3).empty()) << "an empty text is a row of zeros";
    const dataset again = f.apply(few());
    for (index i = 0; i < 5; ++i)
        for (index t = 0; t < 6; ++t) EXPECT_EQ(entry_at(again, i, t), entry_at(rows, i, t));
    EXPECT_TRUE(f.apply(strings({"zebra"})).as<sparse<double>>()->cols(0).empty()) << "unknown terms are left out";
}

TEST(text_features, read_their_options) {
    const text_options o = parse_text_options(" counts( ngram=2 , min_df=2, stop=english, sublinear=1, norm=l1) ");
    EXPECT_EQ(o.terms.ngram_max, 2);
    EXPECT_EQ(o.choice.min_df, 2);
    EXPECT_EQ(o.language, "english");
    EXPECT_TRUE(o.sublinear && !o.idf);
    EXPECT_EQ(o.norm, text_norm::l1);
    EXPECT_EQ(parse_text_options("tfidf"), text_options{});
    expect_error(errc::invalid_argument, "tfidf, counts or binary, got 'bm25'", [] { parse_text_options("bm25"); });
    expect_error(errc::invalid_argument, "the options are ngram", [] { parse_text_options("tfidf(n=2)"); });
    expect_error(errc::invalid_argument, "option 'ngram' must be a whole number, got '1.5'",
                 [] { parse_text_options("tfidf(ngram=1.5)"); });
    expect_error(errc::invalid_argument, "expected ')'", [] { parse_text_options("tfidf(ngram=1"); });
}

TEST(text_features, choose_terms) {
    const auto left = [](const char* how) {
        return terms_in_columns(text_features::fit(few(), parse_text_options(how)));
    };
    EXPECT_EQ(left("counts(min_df=2)"), (words{"cat", "sat", "the"}));
    EXPECT_EQ(left("counts(max_df=0.4)"), (words{"bird", "cat", "dog", "on", "sat"}));
    EXPECT_EQ(left("counts(max_features=2)"), (words{"cat", "the"})) << "of as frequent ones the first";
    EXPECT_EQ(left("counts(stop=english)"), (words{"bird", "cat", "dog", "sat"}));
    expect_error(errc::data, "1 texts have no terms", [] { text_features::fit(strings({"a b 中"}), {}); });
    expect_error(errc::data, "have no terms",
                 [] { text_features::fit(strings({"the of"}), parse_text_options("tfidf(stop=english)")); });
    expect_error(errc::unsupported, "need strings, got vectors",
                 [] { text_features::fit(dense<double>(matrix<double>(1, 1))); });
}

// As scikit-learn 1.2: murmurhash3_32("the"), ("cat") and ("日本") with seed 0 are -1132748958, 1751422759 and
// -992347838.
TEST(text_features, hash_terms) {
    EXPECT_EQ(hash_column("the", 1000), 958);
    EXPECT_EQ(hash_column("cat", 1000), 759);
    EXPECT_EQ(hash_column("日本", 1000), 838);
    const text_features f = text_features::fit(few(), parse_text_options("counts(hashed=1000)"));
    EXPECT_EQ(f.dims(), 1000);
    EXPECT_EQ(entry_at(f.apply(few()), 4, 958), 3);
    expect_error(errc::invalid_argument, "a list of terms, which hashed columns do not",
                 [] { text_features::fit(few(), parse_text_options("counts(hashed=10, min_df=2)")); });
}

TEST(text_features, come_back_from_json) {
    for (const char* how : {"tfidf(ngram=2)", "tfidf(hashed=50, smooth=0)", "binary(stop=german)",
                            "tfidf(unit=characters, ngram=3, norm=l1, sublinear=1)"}) {
        const text_features f = text_features::fit(few(), parse_text_options(how)),
                            g = text_features::from_json(f.to_json(), "here");
        EXPECT_EQ(f.to_json(), g.to_json());
        const strings more({"the cat and the bird", "\xff\xfe", "der Hund"});
        const dataset a = f.apply(more), b = g.apply(more);
        for (index i = 0; i < 3; ++i)
            for (index t = 0; t < f.dims(); ++t) EXPECT_EQ(entry_at(a, i, t), entry_at(b, i, t)) << how;
    }
    expect_error(errc::parse, "here: not features of texts", [] { text_features::from_json("{}", "here"); });
    std::string wrong = text_features::fit(few()).to_json();
    wrong.replace(wrong.find("\"cat\""), 5, "\"dog\"");
    expect_error(errc::parse, "occurs twice", [&] { text_features::from_json(wrong, "here"); });
}

TEST(text_features, do_not_depend_on_threads) {
    std::vector<std::string> texts;
    std::uint64_t state = 1;
    for (int i = 0; i < 1000; ++i) {
        std::string& one = texts.emplace_back();
        for (int w = 0; w < 30; ++w)
            one += "w" + std::to_string((state = state * 6364136223846793005u + 1) >> 55) + " ";
    }
    const strings all(texts);
    const auto made = [&](int count, const char* how) {
        const thread_limit limit(count);
        dataset rows;
        const std::string json = text_features::fit(all, parse_text_options(how), &rows).to_json();
        const auto& r = *rows.as<sparse<double>>();
        std::vector<double> values;
        for (index i = 0; i < r.size(); ++i) values.insert(values.end(), r.values(i).begin(), r.values(i).end());
        return std::pair(json, values);
    };
    for (const char* how : {"tfidf(ngram=2, min_df=2, max_features=3000)", "tfidf(hashed=100)"}) {
        const auto one = made(1, how);
        for (const int count : {2, 5}) EXPECT_TRUE(made(count, how) == one) << how;
    }
}

}  // namespace
}  // namespace mercer

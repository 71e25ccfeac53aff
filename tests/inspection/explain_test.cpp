// Explanations of decisions by features, through the public functions, for any model that is a sum over kernel values.
#include <gtest/gtest.h>

#include <cmath>
#include <nlohmann/json.hpp>
#include <numeric>
#include <random>

#include "contracts/errors.h"
#include "mercer/data/graphs.h"
#include "mercer/data/strings.h"
#include "mercer/gram/make_gram.h"
#include "mercer/inspection/feature_explanation.h"
#include "mercer/kernel_analysis/geometry.h"
#include "mercer/model/fit.h"
#include "mercer/model/model_file.h"
#include "mercer/plot/decision_features.h"

namespace mercer {
namespace {

using testing::expect_error;

// Random words over "acgt"; class 1 (of `classes`) has a planted motif.
table words_with_motif(index n, int classes, unsigned seed = 1) {
    std::mt19937 random(seed);
    std::vector<std::string> all;
    table out;
    for (index i = 0; i < n; ++i) {
        std::string s;
        const auto length = 8 + random() % 12;
        for (std::size_t a = 0; a < length; ++a) s += "acgt"[random() % 4];
        const auto label = static_cast<int>(random() % static_cast<unsigned>(classes));
        if (label == 1) s.replace(random() % 4, 4, "tata");
        all.push_back(s);
        out.y.push_back(label);
    }
    out.x = strings(std::move(all));
    return out;
}

table small_graphs(index n) {
    std::mt19937 random(3);
    std::vector<graph> all;
    table out;
    for (index i = 0; i < n; ++i) {
        graph_parts g;
        g.nodes = 3 + static_cast<index>(random() % 5);
        for (index v = 0; v < g.nodes; ++v) g.labels.push_back(static_cast<std::int64_t>(random() % 3));
        for (index v = 1; v < g.nodes; ++v)
            g.edges.push_back({static_cast<std::int32_t>(random() % static_cast<unsigned>(v)),
                               static_cast<std::int32_t>(v), static_cast<std::int64_t>(random() % 2)});
        out.y.push_back(static_cast<double>(random() % 2));
        all.emplace_back(std::move(g));
    }
    out.x = graphs(std::move(all));
    return out;
}

api::model fitted(const std::string& method, const std::string& kernel, const table& data, api::settings options = {}) {
    api::spec s;
    s.method = method;
    s.kernel = kernel;
    s.options = std::move(options);
    return api::fit(s, data);
}

// Σ share + rest + offset = f = the model's decision, for every function and row.
void expect_sums(const api::model& m, const dataset& x) {
    const auto sums = m.inner().kernel_expansions();
    ASSERT_TRUE(sums);
    const matrix<double> f = m.inner().decide(m.preprocess(x));
    for (index row = 0; row < x.size(); row += 5) {
        const auto decisions = share_decisions(*sums, m.preprocess(x), row, 4);
        ASSERT_EQ(static_cast<index>(decisions.size()), f.cols());
        for (index j = 0; j < f.cols(); ++j) {
            const decision_shares& d = decisions[static_cast<std::size_t>(j)];
            double sum = d.rest + d.offset, last = 1e300;
            for (const feature_share& each : d.largest) {
                EXPECT_LE(std::abs(each.share()), last);
                last = std::abs(each.share());
                sum += each.share();
            }
            EXPECT_NEAR(sum, f(row, j), 1e-9 * std::max(1.0, std::abs(f(row, j)))) << m.kernel_text();
            EXPECT_NEAR(d.f, f(row, j), 1e-9 * std::max(1.0, std::abs(f(row, j)))) << m.kernel_text();
            if (!d.parts.empty()) {
                EXPECT_NEAR(std::accumulate(d.parts.begin(), d.parts.end(), d.offset), d.f, 1e-9) << m.kernel_text();
            }
        }
    }
}

TEST(explain, shares_of_features_add_up_to_the_decision) {
    const table two = words_with_motif(60, 2), three = words_with_motif(60, 3), trees = small_graphs(40);
    for (const char* k : {"spectrum(k=3)", "normalize(blended_spectrum(k=3, decay=0.8))", "mismatch(k=3, m=1)",
                          "gapped_kmer(g=4, k=3)", "weighted_degree(d=4)", "0.5*spectrum(k=2) + weighted_degree(d=2)"})
        for (const char* method : {"svc", "linear_svc", "kernel_logistic"}) {
            expect_sums(fitted(method, k, two), two.x);
            expect_sums(fitted(method, k, three), three.x);
        }
    expect_sums(fitted("svc", "spectrum(k=2)", three, {{"multiclass", "ovr"}}), three.x);
    expect_sums(fitted("svr", "spectrum(k=2)", two), two.x);
    expect_sums(fitted("kernel_ridge", "spectrum(k=2)", two), two.x);
    expect_sums(fitted("one_class", "normalize(spectrum(k=2))", two), two.x);
    for (const char* k :
         {"wl(h=2)", "normalize(wl_assignment(h=2))", "shortest_path()", "vertex_edge_histogram()", "edge_histogram()"})
        expect_sums(fitted("svc", k, trees), trees.x);
    // Texts as tf-idf, and products in a polynomial: features without a position in the object have no share of its
    // parts.
    const auto sums = fitted("svc", "spectrum(k=2)^2", two).inner().kernel_expansions();
    EXPECT_TRUE(share_decisions(*sums, two.x, 0, 3)[0].parts.empty());
}

TEST(explain, weights_are_sums_of_counts) {
    const table data = words_with_motif(40, 2);
    const api::model m = fitted("svc", "spectrum(k=2)", data);
    const kernel_expansion f = *m.inner().kernel_expansions();
    const auto* support = f.x.as<strings>();
    const auto weights = largest_weights(f, 100);
    for (const feature_share& each : weights[0]) {
        double w = 0;
        for (index s = 0; s < f.size(); ++s)
            for (std::size_t at = 0; at + 2 <= (*support)[s].size(); ++at)
                if ((*support)[s].substr(at, 2) == each.name) w += f.coef(s, 0);
        EXPECT_NEAR(each.weight, w, 1e-12) << each.name;
    }
}

TEST(explain, the_planted_motif_speaks_for_its_class) {
    const table data = words_with_motif(300, 2);
    const api::model m = fitted("svc", "spectrum(k=4)", data);
    const api::feature_explanation all = api::explain_model(m, 1);
    ASSERT_EQ(all.functions.size(), 1u);
    EXPECT_EQ(all.functions[0].weights[0].name, "tata");
    // The first class is 0: features in favour of class 1 are negative.
    EXPECT_EQ(all.functions[0].positive, "0");
    EXPECT_LT(all.functions[0].weights[0].weight, 0);
    index row = 0;
    while (data.y[static_cast<std::size_t>(row)] != 1) ++row;
    const api::feature_explanation one = api::explain_object(m, data.x, row, 3);
    EXPECT_EQ(one.functions[0].decision.largest[0].name, "tata");
    EXPECT_NE(api::text(one).find("tata"), std::string::npos);
    const auto json = nlohmann::json::parse(api::to_json(one));
    EXPECT_EQ(json["functions"][0]["largest"][0]["feature"], "tata");
    EXPECT_DOUBLE_EQ(json["functions"][0]["f"], one.functions[0].decision.f);
    const std::string drawn = api::draw_explanation(one, data.x);
    EXPECT_EQ(drawn.rfind("<svg", 0) == std::string::npos && drawn.find("<svg") == std::string::npos, false);
}

TEST(explain, words_of_texts_are_found_in_the_text) {
    table data;
    data.x = strings(std::vector<std::string>{"Free money now", "lunch at noon", "free prize, money!",
                                              "see you at lunch", "free free free", "noon meeting"});
    data.y = {1, 0, 1, 0, 1, 0};
    for (const char* text : {"tfidf", "counts(stop=english)", "tfidf(hashed=64)"}) {
        api::spec s;
        s.method = "linear_svc";
        s.text = text;
        const api::model m = api::fit(s, data);
        const api::feature_explanation e = api::explain_object(m, data.x, 2, 10);
        const decision_shares& d = e.functions[0].decision;
        ASSERT_EQ(d.parts.size(), std::string("free prize, money!").size());
        EXPECT_EQ(d.parts[4], 0);  // the blank
        EXPECT_NE(d.parts[0], 0);
        EXPECT_NEAR(d.f, m.inner().decide(m.preprocess(data.x))(2, 0), 1e-9);
        EXPECT_NEAR(std::accumulate(d.parts.begin(), d.parts.end(), d.offset), d.f, 1e-9);
        EXPECT_EQ(d.largest[0].name, text == std::string("tfidf(hashed=64)") ? d.largest[0].name : "free");
        EXPECT_FALSE(api::draw_explanation(e, data.x).empty());
    }
}

TEST(explain, refuses_by_name) {
    const table data = words_with_motif(20, 2);
    expect_error(errc::unsupported, "subsequences(k=3, decay=0.5) has no explicit features",
                 [&] { api::explain_model(fitted("svc", "subsequences()", data), 3); });
    expect_error(errc::unsupported, "knn does not decide by",
                 [&] { api::explain_model(fitted("knn", "spectrum()", data), 3); });
    expect_error(errc::invalid_argument, "row 20 does not exist: the",
                 [&] { api::explain_object(fitted("svc", "spectrum()", data), data.x, 20, 3); });
}

TEST(explain, graphs_and_empty_objects_are_drawn) {
    const table trees = small_graphs(30);
    EXPECT_FALSE(
        api::draw_explanation(api::explain_object(fitted("svc", "wl(h=2)", trees), trees.x, 3, 5), trees.x).empty());
    table data = words_with_motif(20, 2);
    const api::model m = fitted("svc", "spectrum(k=3)", data);
    for (const char* text : {"", "a", "\xff\x01 x\xc3", "acgt\n\tacgt"}) {
        const dataset one = strings(std::vector<std::string>{text});
        const api::feature_explanation e = api::explain_object(m, one, 0, 5);
        EXPECT_NEAR(e.functions[0].decision.f, m.inner().decide(one)(0, 0), 1e-9);
        EXPECT_FALSE(api::draw_explanation(e, one).empty());
        EXPECT_FALSE(api::to_json(e).empty());
    }
}

// Rows of counts of all substrings of length 2 over "acgt".
dataset counts_of(const dataset& x) {
    const auto* some = x.as<strings>();
    matrix<double> out(some->size(), 16);
    const std::string letters = "acgt";
    for (index i = 0; i < some->size(); ++i)
        for (std::size_t at = 0; at + 2 <= (*some)[i].size(); ++at)
            out(i, static_cast<index>(4 * letters.find((*some)[i][at]) + letters.find((*some)[i][at + 1]))) += 1;
    return dense<double>(std::move(out));
}

TEST(linear_svc, on_objects_is_the_machine_on_their_features) {
    for (const int classes : {2, 3}) {
        const table data = words_with_motif(80, classes);
        table vectors = data;
        vectors.x = counts_of(data.x);
        for (const char* loss : {"hinge", "squared_hinge"}) {
            const api::settings how{{"tol", "1e-10"}, {"loss", loss}, {"max_iter", "100000"}, {"C", "0.1"}};
            const matrix<double> a = fitted("linear_svc", "spectrum(k=2)", data, how).inner().decide(data.x),
                                 b = fitted("linear_svc", "", vectors, how).inner().decide(vectors.x);
            for (index i = 0; i < a.rows(); ++i)
                for (index p = 0; p < a.cols(); ++p) EXPECT_NEAR(a(i, p), b(i, p), 1e-4);
        }
    }
    const table data = words_with_motif(20, 2);
    expect_error(errc::unsupported, "penalty=l1", [&] {
        fitted("linear_svc", "spectrum()", data, {{"penalty", "l1"}});
    });
    expect_error(errc::unsupported, "all_substrings(decay=0.5) has no explicit features",
                 [&] { fitted("linear_svc", "all_substrings()", data); });
}

TEST(linear_svc, models_of_objects_are_kept_and_decide_alike_for_few_and_many) {
    const table data = words_with_motif(1200, 3);
    for (const char* k : {"weighted_degree(d=3)", "0.5*spectrum(k=2) + normalize(spectrum(k=3))"}) {
        const api::model m = fitted("linear_svc", k, data), again = api::parse(m.bytes(), "again");
        const kernel_expansion f = *m.inner().kernel_expansions();
        ASSERT_GE(f.size() * data.x.size(), index{1} << 20);  // decisions are computed by features
        const matrix<double> by_kernel = f.values(data.x), by_features = m.inner().decide(data.x);
        for (index i = 0; i < by_kernel.rows(); ++i)
            for (index p = 0; p < by_kernel.cols(); ++p) EXPECT_NEAR(by_features(i, p), by_kernel(i, p), 1e-9);
        EXPECT_EQ(again.predict(data.x), m.predict(data.x));
    }
}

TEST(same_features, finds_what_a_kernel_cannot_tell_apart) {
    const table data = words_with_motif(60, 2), other = words_with_motif(60, 2, 9);
    std::vector<std::string> some, more;
    for (index i = 0; i < 60; ++i) {
        some.push_back((*data.x.as<strings>())[i].substr(0, 4));
        more.push_back((*other.x.as<strings>())[i].substr(0, 3 + static_cast<std::size_t>(i) % 3));
    }
    more.emplace_back("");
    some.emplace_back("");
    const dataset x = strings(some), z = strings(more);
    for (const char* text :
         {"spectrum(k=1)", "normalize(spectrum(k=1))", "spectrum(k=3)", "subsequences(k=1, decay=1)"}) {
        const kernel k = kernel::parse(text);
        const cpu_kernel_gram<double> cross(k, x, z), own(k, x), others(k, z);
        matrix<double> xz(x.size(), z.size()), xx(x.size(), x.size()), zz(z.size(), z.size());
        cross.fill(xz.view()), own.fill(xx.view()), others.fill(zz.view());
        const std::vector<bool> found = find_equal_images(k, x, z);
        for (index i = 0; i < x.size(); ++i) {
            bool want = false, equal = false;
            for (index j = 0; j < z.size(); ++j) {
                want = want || std::abs(xx(i, i) + zz(j, j) - 2 * xz(i, j)) < 1e-9;
                equal = equal || some[static_cast<std::size_t>(i)] == more[static_cast<std::size_t>(j)];
            }
            // Without explicit features only equal strings are found.
            EXPECT_EQ(found[static_cast<std::size_t>(i)], text[1] == 'u' ? equal : want)
                << text << " " << some[static_cast<std::size_t>(i)];
        }
    }
}

}  // namespace
}  // namespace mercer

#include "mercer/methods/option.h"

#include <cmath>
#include <limits>

#include "contracts/errors.h"
#include "mercer/methods/estimator.h"
#include "mercer/methods/method.h"

namespace mercer::api {
namespace {

using mercer::testing::expect_error;

const std::vector<option_info> some_options = [] {
    option_lister v;
    v.number("C", 1, up_to(above(0), std::numeric_limits<double>::infinity()), "");
    v.integer("n_init", 10, 1, "");
    v.flag("loud", false, "");
    v.choice("kind", "a", {"a", "b"}, "");
    v.numbers("alphas", {}, above(0), "");
    return v.options;
}();

TEST(options, have_defaults_and_take_values) {
    const option_values plain("m", some_options, {});
    EXPECT_EQ(plain.number("C"), 1);
    EXPECT_EQ(plain.integer("n_init"), 10);
    EXPECT_FALSE(plain.flag("loud"));
    EXPECT_EQ(plain.choice("kind"), "a");
    EXPECT_TRUE(plain.numbers("alphas").empty());
    const option_values given("m", some_options,
                              {{"c", "inf"}, {"n-init", "3"}, {"loud", "true"}, {"kind", "b"}, {"alphas", "0.5,2"}});
    EXPECT_TRUE(std::isinf(given.number("C")));
    EXPECT_EQ(given.integer("n_init"), 3);
    EXPECT_TRUE(given.flag("loud"));
    EXPECT_EQ(given.choice("kind"), "b");
    EXPECT_EQ(given.numbers("alphas"), (std::vector<double>{0.5, 2}));
}

TEST(options, a_range_is_evenly_spaced_in_its_logarithm) {
    const std::vector<double> found = option_values("m", some_options, {{"alphas", "1e-2:1e2:5"}}).numbers("alphas");
    ASSERT_EQ(found.size(), 5u);
    for (std::size_t i = 0; i < 5; ++i) EXPECT_NEAR(std::log10(found[i]), static_cast<double>(i) - 2, 1e-12);
}

TEST(options, refuse_what_they_cannot_be) {
    const auto with = [](const char* name, const char* value) {
        return [=] { option_values("m", some_options, {{name, value}}); };
    };
    expect_error(errc::invalid_argument, "its options are C, n_init, loud, kind, alphas", with("D", "1"));
    expect_error(errc::invalid_argument, "0 < C <= inf, got '0'", with("C", "0"));
    for (const char* wrong : {"", "x", "nan", "1x", "-1", " 1"})
        expect_error(errc::invalid_argument, "option 'C' must satisfy", with("C", wrong));
    for (const char* wrong : {"0", "1.5", "1e30", "inf"})
        expect_error(errc::invalid_argument, "option 'n_init' must be a whole number", with("n_init", wrong));
    expect_error(errc::invalid_argument, "'a' or 'b', got 'c'", with("kind", "c"));
    expect_error(errc::invalid_argument, "true or false", with("loud", "maybe"));
    for (const char* wrong : {"0", "1,-1", "1:2", "0:1:5", "1:2:1", "1:2:1e9", "1:2:2.5", "a", "1,,2", "inf"})
        expect_error(errc::invalid_argument, "option 'alphas' must be a list", with("alphas", wrong));
    expect_error(errc::invalid_argument, "given twice", [] {
        option_values("m", some_options, {{"C", "1"}, {"c", "2"}});
    });
    expect_error(errc::invalid_argument, "has no options", [] { option_values("m", {}, {{"C", "1"}}); });
    expect_error(errc::parse, "name=value", [] { parse_setting("C"); });
    expect_error(errc::parse, "name=value", [] { parse_setting("=1"); });
}

TEST(options, refuse_what_would_be_ignored) {
    option_lister v;
    v.number("alpha", 1, at_least(0), "", {{"alphas", {""}}});
    v.numbers("alphas", {}, above(0), "");
    v.choice("score", "gcv", {"gcv", "loo"}, "", {{"alphas"}});
    v.choice("loss", "squared", {"squared", "huber", "pinball"}, "");
    v.number("delta", 1.35, at_least(0), "", {{"loss", {"huber", "pinball"}}});
    v.integer("seed", 1, 0, "", {{"score", {"loo"}, {{"loss", {"huber"}}}}});
    const std::vector<option_info> some = v.options;
    const auto with = [&](const settings& given) { return [&some, given] { option_values("m", some, given); }; };
    expect_error(errc::invalid_argument, "m: option 'alpha' has no effect beside 'alphas': leave one of them out",
                 with({{"alpha", "1"}, {"alphas", "1,2"}}));
    expect_error(errc::invalid_argument,
                 "m: option 'score' has no effect without 'alphas': set that option too, or leave 'score' out",
                 with({{"score", "loo"}}));
    expect_error(errc::invalid_argument,
                 "m: option 'delta' has no effect with loss=squared, only with loss=huber or pinball",
                 with({{"delta", "2"}}));
    EXPECT_EQ(option_values("m", some, {{"delta", "2"}, {"loss", "pinball"}}).number("delta"), 2);
    expect_error(errc::invalid_argument,
                 "m: option 'seed' has no effect with score=gcv, only with score=loo or loss=huber",
                 with({{"seed", "2"}, {"loss", "pinball"}}));
    EXPECT_EQ(option_values("m", some, {{"seed", "2"}, {"loss", "huber"}}).integer("seed"), 2);
    EXPECT_EQ(option_values("m", some, {{"seed", "2"}, {"score", "loo"}, {"alphas", "1,2"}}).integer("seed"), 2);
    // Options without an effect are not listed.
    EXPECT_EQ(option_values("m", some, {}).all(), (settings{{"alpha", "1"}, {"alphas", ""}, {"loss", "squared"}}));
    EXPECT_EQ(option_values("m", some, {{"alphas", "1,2"}, {"loss", "huber"}}).all(),
              (settings{{"alphas", "1,2"}, {"score", "gcv"}, {"loss", "huber"}, {"delta", "1.35"}, {"seed", "1"}}));
}

TEST(methods, take_a_seed_only_where_something_is_random) {
    const method& svc = find_method("svc");
    const auto with = [&](settings given) {
        given.emplace_back("seed", "7");
        return option_values(svc.name, svc.options, given).integer("seed");
    };
    expect_error(
        errc::invalid_argument,
        "svc: option 'seed' has no effect with probability=false, only with probability=true or solver=kernel_pegasos",
        [&] { with({}); });
    expect_error(errc::invalid_argument, "option 'seed' has no effect", [&] { with({{"solver", "interior_point"}}); });
    EXPECT_EQ(with({{"probability", "true"}}), 7);
    EXPECT_EQ(with({{"solver", "kernel_pegasos"}}), 7);
}

TEST(options, a_former_name_is_taken_for_what_it_is_called_now) {
    const method& m = find_method("random_features");
    const auto chosen = [&](const settings& given) {
        return option_values(m.name, m.options, given).choice("frequencies");
    };
    EXPECT_EQ(chosen({}), "orthogonal");
    EXPECT_EQ(chosen({{"orthogonal", "true"}}), "orthogonal");
    EXPECT_EQ(chosen({{"Orthogonal", "no"}}), "independent");
    EXPECT_EQ(chosen({{"frequencies", "structured"}}), "structured");
    expect_error(errc::invalid_argument, "option 'frequencies' is given twice", [&] {
        chosen({{"orthogonal", "true"}, {"frequencies", "structured"}});
    });
    expect_error(errc::invalid_argument, "has no option 'orthogonal'", [&] { chosen({{"orthogonal", "maybe"}}); });
}

TEST(options, a_renamed_option_is_accepted_under_both_names) {
    const auto value = [](const char* name, const settings& given, const char* option) {
        const method& m = find_method(name);
        EXPECT_EQ(option_values::from_model_file(name, m.options, given).all(),
                  option_values(name, m.options, given).all());
        const settings all = option_values(name, m.options, given).all();
        const auto at = std::ranges::find(all, option, &settings::value_type::first);
        return at == all.end() ? "missing" : at->second;
    };
    EXPECT_EQ(value("kernel_ridge", {{"solver", "cg"}, {"max_products", "7"}}, "max_iter"), "7");
    EXPECT_EQ(value("kernel_ridge", {{"solver", "automatic"}}, "solver"), "auto");
    EXPECT_EQ(value("kernel_ridge", {{"solver", "direct"}}, "solver"), "direct");
    EXPECT_EQ(value("kernel_pca", {{"solver", "automatic"}}, "solver"), "auto");
    EXPECT_EQ(value("ridge", {{"form", "cheaper"}}, "form"), "auto");
    EXPECT_EQ(value("kernel_kmedoids", {{"start", "random"}}, "init"), "random");
    for (const char* name : {"nystroem_ridge", "nystroem_logistic", "nystroem_svc"})
        EXPECT_EQ(value(name, {{"accuracy", "0.01"}}, "trace_tol"), "0.01");
    const method& ridge = find_method("kernel_ridge");
    expect_error(errc::invalid_argument, "option 'max_iter' is given twice", [&] {
        option_values(ridge.name, ridge.options, {{"max_products", "7"}, {"max_iter", "7"}});
    });
    expect_error(errc::invalid_argument, "must be 'auto', 'direct' or 'cg', got 'fast'", [&] {
        option_values(ridge.name, ridge.options, {{"solver", "fast"}});
    });
}

TEST(options, describe_their_values_and_requirements) {
    const auto option = [](const char* name, const char* wanted) {
        return *std::ranges::find(find_method(name).options, wanted, &option_info::name);
    };
    EXPECT_EQ(option("svc", "C").condition(), "0 < C <= inf");
    EXPECT_EQ(option("svc", "tol").condition(), "tol > 0");
    EXPECT_EQ(option("nu_svc", "nu").condition(), "0 < nu <= 1");
    EXPECT_EQ(option("svc", "seed").condition(), "integer, seed >= 0");
    EXPECT_EQ(option("knn", "weights").condition(), "uniform or distance");
    EXPECT_EQ(option("kernel_ridge", "alphas").condition(), "a,b,c or low:high:count, each >= 0");
    EXPECT_EQ(option("svc", "seed").requirements(), "only with probability = true or solver = kernel_pegasos");
    EXPECT_EQ(option("kernel_ridge", "max_iter").requirements("`"),
              "only with `solver` = `cg` or `auto`; only without `alphas`");
    EXPECT_EQ(option("ridge", "score").requirements(), "only with alphas");
    EXPECT_EQ(option("svc", "C").requirements(), "");
}

// Help prints a description in one line of a terminal.
TEST(methods, have_a_description_of_at_most_80_characters_for_each_option) {
    const auto characters = [](const std::string& text) {
        return std::ranges::count_if(text, [](char c) { return (static_cast<unsigned char>(c) & 0xc0) != 0x80; });
    };
    for (const method& each : methods()) {
        EXPECT_FALSE(each.about.empty()) << each.name;
        EXPECT_LE(characters(each.about), 80) << each.name;
        for (const option_info& o : each.options) {
            EXPECT_FALSE(o.about.empty()) << each.name << " " << o.name;
            EXPECT_LE(characters(o.about), 80) << each.name << " " << o.name << ": " << o.about;
            for (const auto& [choice, meaning] : o.choice_meanings) {
                EXPECT_NE(std::ranges::find(o.choices, choice), o.choices.end()) << each.name << " " << choice;
                EXPECT_FALSE(meaning.empty()) << each.name << " " << choice;
            }
            EXPECT_TRUE(o.choice_meanings.empty() || o.choice_meanings.size() == o.choices.size()) << each.name;
        }
    }
}

TEST(methods, are_found_by_name_and_alias_and_have_valid_defaults) {
    for (const method& each : methods()) {
        EXPECT_EQ(&find_method(each.name), &each);
        for (const auto& alias : each.aliases) EXPECT_EQ(&find_method(alias), &each);
        // The options that a model lists give the same model again.
        const settings defaults = option_values(each.name, each.options, {}).all();
        EXPECT_EQ(option_values(each.name, each.options, defaults).all(), defaults) << each.name;
        for (const auto& o : each.options) EXPECT_NE(help(each).find(o.about), std::string::npos) << each.name;
    }
    EXPECT_EQ(find_method("Kernel-PCA").name, "kernel_pca");
    expect_error(errc::invalid_argument, "did you mean kernel_ridge?", [] { find_method("kernel_rigde"); });
    expect_error(errc::invalid_argument, "the methods are svc, nu_svc", [] { find_method("astrology"); });
}

TEST(figures, come_back_from_json) {
    summary all;
    all.add("status", "converged \"so\"");
    all.add("rounds", 7);
    all.add("gap", 0.1);
    all.add("limit", std::numeric_limits<double>::infinity());
    all.add("done", true);
    all.add("path", std::vector<double>{1, 0.5, std::numeric_limits<double>::infinity()});
    all.add("rows", std::vector<std::int64_t>{3, 4});
    all.add("names", std::vector<std::string>{"a", "β"});
    const summary back = summary::from_json(all.json());
    EXPECT_EQ(back.json(), all.json());
    EXPECT_EQ(std::get<std::int64_t>(*back.find("rounds")), 7);
    EXPECT_EQ(std::get<std::vector<double>>(*back.find("path")), std::get<std::vector<double>>(*all.find("path")));
    EXPECT_EQ(back.find("nothing"), nullptr);
    expect_error(errc::parse, "figures", [] { summary::from_json("{"); });
}

}  // namespace
}  // namespace mercer::api

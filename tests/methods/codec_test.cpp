// The files of all models: each is equal after reading and writing, and a file with a matching checksum but invalid
// contents is refused, whichever part is invalid.
#include <fmt/format.h>
#include <gtest/gtest.h>

#include <limits>
#include <nlohmann/json.hpp>

#include "contracts/errors.h"
#include "contracts/paths.h"
#include "mercer/mercer.h"
#include "mercer/methods/neighbours/nearest_class.h"

namespace mercer {
namespace {

using mercer::testing::expect_error;
using nlohmann::json;

// Splits a file and assembles it with a matching checksum, from the description in archive.h and FNV-1a over words,
// without the library's own code.
struct taken_apart {
    std::string format, version, body;
    json head;

    explicit taken_apart(const std::string& bytes) {
        const std::size_t line = bytes.find('\n'), start = bytes.find('\n', line + 1);
        format = bytes.substr(0, bytes.find(' '));
        version = bytes.substr(format.size() + 1, bytes.find(' ', format.size() + 1) - format.size() - 1);
        head = json::parse(bytes.substr(line + 1, start - line));
        body = bytes.substr(start + 1);
    }
    std::string together() const {
        const std::string rest = head.dump() + "\n" + body;
        std::uint64_t sum = 0xCBF29CE484222325ull;
        for (std::size_t at = 0; at < rest.size(); at += 8) {
            std::uint64_t word = 0;
            for (std::size_t i = at; i < std::min(at + 8, rest.size()); ++i)
                word |= static_cast<std::uint64_t>(static_cast<unsigned char>(rest[i])) << 8 * (i - at);
            sum = (sum ^ word) * 0x100000001B3ull;
            sum ^= sum >> 29;
        }
        return fmt::format("{} {} {} {} {:016x}\n{}", format, version, rest.size() - body.size(), body.size(), sum,
                           rest);
    }
};

// The file of each method's own model, fitted to the iris data.
std::vector<std::pair<const api::method*, std::string>> all_files() {
    static const table iris = read(testing_support::data_file("iris.csv"), {.label = "species"});
    static const auto k = std::make_shared<const kernel>(kernel::parse("rbf(gamma=0.3)"));
    std::vector<std::pair<const api::method*, std::string>> out;
    for (const api::method& m : api::methods()) {
        const matrix_view<const double> y(iris.y.data(), iris.x.size(), m.targets == target_kind::none ? 0 : 1);
        // linear_svc accepts only kernels with explicit features.
        const auto used = m.name == "linear_svc" ? std::make_shared<const kernel>(kernel::parse("linear()")) : k;
        const auto model = api::fit(m, api::option_values(m.name, m.options, {}), {iris.x, y, used, {}}, {});
        out.emplace_back(&m, model->bytes());
    }
    // Further forms of the files that have several forms.
    const api::method& features = api::find_method("random_features");
    for (const auto& [text, options] :
         {std::pair<const char*, api::settings>{"rbf()", {{"frequencies", "structured"}}}, {"poly(coef0=1)", {}}})
        out.emplace_back(&features, api::fit(features, api::option_values(features.name, features.options, options),
                                             {iris.x, {}, std::make_shared<const kernel>(kernel::parse(text)), {}}, {})
                                        ->bytes());
    return out;
}

void expect_refused(const api::method& m, const taken_apart& file, const std::string& what) {
    SCOPED_TRACE(m.name + ": " + what);
    expect_error(errc::parse, "somewhere: not a valid model: ", [&] { m.parse(file.together(), "somewhere"); });
}

TEST(codec, every_model_is_read_again_to_the_same_bytes) {
    for (const auto& [m, bytes] : all_files()) {
        EXPECT_EQ(m->parse(bytes, "somewhere")->bytes(), bytes) << m->name;
        EXPECT_EQ(taken_apart(bytes).together(), bytes) << m->name;
        EXPECT_EQ(taken_apart(bytes).format, m->format);
    }
}

TEST(codec, every_entry_of_a_head_is_needed_and_checked) {
    for (const auto& [m, bytes] : all_files()) {
        const taken_apart good(bytes);
        for (const auto& [key, value] : good.head.items()) {
            taken_apart bad = good;
            bad.head.erase(key);
            expect_refused(*m, bad, "without " + key);
            std::vector<json> wrong{nullptr, json::object()};
            if (value.is_number()) wrong.insert(wrong.end(), {-1, 0.5, "1", std::uint64_t{1} << 60, ~std::uint64_t{0}});
            if (!value.is_number()) wrong.push_back(7);
            if (value.is_string()) wrong.push_back("unheard of");
            for (const json& each : wrong) {
                bad.head[key] = each;
                expect_refused(*m, bad, fmt::format("{} is {}", key, each.dump()));
            }
        }
    }
}

TEST(codec, a_body_has_to_have_the_length_that_the_head_says) {
    for (const auto& [m, bytes] : all_files()) {
        taken_apart file(bytes);
        file.body.append(8, '\0');
        expect_refused(*m, file, "8 bytes more");
        file.body.resize(file.body.size() - 16);
        expect_refused(*m, file, "8 bytes less");
        file.body.clear();
        expect_refused(*m, file, "no body");
    }
}

TEST(codec, parts_are_checked_when_written_and_when_read) {
    const dataset x = dense<double>(matrix<double>(4, 1));
    const auto good = fit_nearest_centroid(kernel::parse("linear()"), x, std::vector<double>{0, 1, 0, 1});
    auto few = good, unnamed = good;
    few.norms.pop_back();
    expect_error(errc::data, "a model with 1 numbers in place of 2 cannot be written", [&] { model_bytes(few); });
    unnamed.classes[1] = std::numeric_limits<double>::quiet_NaN();
    expect_error(errc::parse, "somewhere: not a valid model: a class label must be finite, got nan",
                 [&] { parse_model<nearest_centroid_model>(model_bytes(unnamed), "somewhere"); });
}

}  // namespace
}  // namespace mercer

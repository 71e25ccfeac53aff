// Texts with 200,000 nested brackets for each parser: they are read or refused, and the stack does not grow with the
// depth.
#include <fmt/format.h>
#include <gtest/gtest.h>

#include <fstream>
#include <iterator>

#include "contracts/model_parts.h"
#include "contracts/paths.h"
#include "mercer/base/error.h"
#include "mercer/base/file.h"
#include "mercer/io/graphml.h"
#include "mercer/io/json_graphs.h"
#include "mercer/io/read.h"
#include "mercer/model/fit.h"
#include "mercer/model/model_file.h"
#include "mercer/model_selection/search_log.h"
#include "mercer/preprocess/column_encoder.h"

namespace mercer {
namespace {

std::string repeated(std::string_view text, int times = 200000) {
    std::string out;
    for (int i = 0; i < times; ++i) out += text;
    return out;
}

// Opening brackets only, and with the same number of closing brackets.
std::vector<std::string> deep_texts() {
    return {repeated("["),
            repeated("{\"a\":"),
            repeated("[") + repeated("]"),
            repeated("{\"a\":") + "1" + repeated("}"),
            repeated("("),
            repeated("(") + "1" + repeated(")"),
            repeated("<a>"),
            repeated("-")};
}

template <class Parse>
void expect_refused(Parse parse) {
    for (const std::string& text : deep_texts()) EXPECT_THROW(parse(text), error) << text.substr(0, 10);
}
template <class Parse>
void expect_no_crash(Parse parse) {
    for (const std::string& text : deep_texts()) try {
            parse(text);
        } catch (const error&) {
        }
}

TEST(deep_inputs, of_settings_and_kernels_are_refused) {
    expect_refused([](const std::string& text) { api::parse_spec(text); });
    expect_refused([](const std::string& text) { api::parse_spec("{\"method\":\"svc\",\"C\":" + text + "}"); });
    expect_refused([](const std::string& text) { kernel::parse(text); });
    expect_refused([](const std::string& text) { kernel::parse("rbf(gamma=" + text + ")"); });
    expect_refused([](const std::string& text) { kernel::parse("anisotropic(" + text + ")"); });
    expect_refused([](const std::string& text) { api::summary::from_json("{\"a\":" + text + "}"); });
}

TEST(deep_inputs, of_files_beside_models_are_refused) {
    expect_refused([](const std::string& text) { scaling::from_json(text, "f"); });
    expect_refused([](const std::string& text) { scaling::from_json("{\"format\":" + text + "}", "f"); });
    expect_refused([](const std::string& text) { text_features::from_json("{\"format\":" + text + "}", "f"); });
    expect_refused([](const std::string& text) { column_encoder::from_json("{\"format\":" + text + "}", "f"); });
    const std::string log = ::testing::TempDir() + "deep.log";
    expect_refused([&](const std::string& text) {
        write_atomically(log, "{\"search\":" + text + "}\n");
        api::read_tune_log(log);
    });
}

// A search log with a long kernel: the numbers in it are found without recursion over its characters.
TEST(deep_inputs, of_long_kernels_in_a_search_log_are_read) {
    const auto log = [](const std::string& kernel) {
        std::string text = "{\"search\":\"svc of 24 vectors by accuracy, 5 folds, seed 3, targets -1\"}\n";
        for (const char* factor : {"0.5", "2e1"})
            text += fmt::format(
                "{{\"setting\":\"{{\\\"method\\\":\\\"svc\\\",\\\"kernel\\\":\\\"{}*rbf(gamma = {}) + {}"
                "\\\"}}\",\"scores\":[1.0],\"dropped\":false,\"trouble\":\"\"}}\n",
                factor, factor, kernel);
        return api::parse_tune_log(text, "log");
    };
    for (const char* part : {"a", "1", "_", "1e1", "- ", "(", "a=", "1.5.", "e"}) {
        const api::tuning found = log(repeated(part));
        ASSERT_EQ(found.axes.size(), 2u) << part;
        EXPECT_EQ(found.axes[0].name, "weight");
        EXPECT_EQ(found.axes[1].name, "gamma");
        EXPECT_EQ(found.axes[1].values, (std::vector<double>{0.5, 20}));
    }
}

TEST(deep_inputs, of_data_files_do_not_crash) {
    for (const char* format : {"graphs", "trees", "jsonl", "records", "graphml", "strings", "sets", "multisets", "csv",
                               "libsvm", "ts", "arff", "series", "xyz"}) {
        read_options how;
        how.format = &find_file_format(format);
        const std::string file = ::testing::TempDir() + "deep.data";
        const auto parse = [&](const std::string& text) {
            write_atomically(file, text + "\n");
            read_table(file, how);
        };
        expect_no_crash(parse);
        expect_no_crash([&](const std::string& text) { parse("{\"nodes\": " + text + "}"); });
        expect_no_crash([&](const std::string& text) { parse("x\t" + text); });
    }
}

// Replaces the value of each key, in all parts of a model file.
TEST(deep_inputs, in_place_of_values_in_models_are_refused) {
    std::ifstream in(testing_support::tests_file("old_files/0.1.0/models/automatic.model"), std::ios::binary);
    const std::string bytes{std::istreambuf_iterator<char>(in), std::istreambuf_iterator<char>()};
    mercer::testing::model_part whole = mercer::testing::model_part::read(bytes);
    ASSERT_EQ(whole.bytes(), bytes);
    ASSERT_EQ(whole.inner.size(), 1u);
    for (mercer::testing::model_part* part : {&whole, &whole.inner[0].file}) {
        const std::string head = part->head;
        for (std::size_t at = head.find("\":"); at != head.npos; at = head.find("\":", at + 1)) {
            const std::size_t end = std::min(head.find_first_of(",}", at + 2), head.size());
            part->head = head.substr(0, at + 2) + repeated("[") + repeated("]") + head.substr(end);
            EXPECT_THROW(api::parse(whole.bytes(), "deep"), error) << head.substr(0, at);
        }
        part->head = head;
    }
}

}  // namespace
}  // namespace mercer

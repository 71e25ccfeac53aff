// Damaged models of every method and kind of object, with matching lengths and checksums: each is refused with
// mercer::error or can be used, whatever was changed. The models come from tests/old_files.
#include <fmt/format.h>
#include <gtest/gtest.h>

#include <bit>
#include <cstring>
#include <filesystem>
#include <fstream>
#include <iterator>
#include <limits>
#include <map>
#include <nlohmann/json.hpp>
#include <regex>

#include "contracts/model_parts.h"
#include "contracts/paths.h"
#include "mercer/base/error.h"
#include "mercer/base/random_generator.h"
#include "mercer/model/model_file.h"

namespace mercer {
namespace {

using testing::model_part;

struct sample_model {
    std::string name, bytes;
    dataset x;  // objects to predict
};

std::string contents(const std::filesystem::path& path) {
    std::ifstream in(path, std::ios::binary);
    return {std::istreambuf_iterator<char>(in), std::istreambuf_iterator<char>()};
}

// Each recorded model with the data of its recorded command.
std::vector<sample_model> samples() {
    const std::filesystem::path folder = testing_support::tests_file("old_files/0.1.0");
    const auto answers = nlohmann::json::parse(contents(folder / "answers.json"));
    std::map<std::string, sample_model> out;  // ordered by name, so that every run makes the same changes
    for (const auto& [command, told] : answers.at("commands").items()) {
        const std::string model = told.at("words").at(1), data = told.at("words").at(2);
        if (!model.ends_with(".model") || out.contains(model)) continue;
        sample_model one{model, contents(folder / model), {}};
        const api::model m = api::parse(one.bytes, "sample");
        read_options how = api::read_options_for(m);
        const std::size_t colon = data.find(':');
        if (colon != data.npos) how.format = &find_file_format(data.substr(0, colon));
        one.x = read_table(folder / data.substr(colon == data.npos ? 0 : colon + 1), how).x;
        out.emplace(model, std::move(one));
    }
    std::vector<sample_model> list;
    for (auto& [name, one] : out) list.push_back(std::move(one));
    return list;
}

std::vector<model_part*> all_parts(model_part& of) {
    std::vector<model_part*> out{&of};
    for (auto& [before, file] : of.inner)
        for (model_part* each : all_parts(file)) out.push_back(each);
    return out;
}

// Changes one position in one part of a model: a value of the head, a number of the body, a byte, or the length.
class mutator {
public:
    explicit mutator(std::uint64_t seed) : random_(seed) {}

    std::string changed(const std::string& bytes, const std::string& other) {
        model_part whole = model_part::read(bytes), from = model_part::read(other);
        const auto parts = all_parts(whole), others = all_parts(from);
        model_part& part = *parts[below(parts.size())];
        switch (below(7)) {
            case 0:
            case 1: change_head(part.head); break;
            case 2: change_number(part.numbers); break;
            case 3: flip(part.head); break;
            case 4: flip(part.numbers); break;
            case 5: change_length(part.numbers); break;
            default: swap_sections(part, *others[below(others.size())]);
        }
        return whole.bytes();
    }

private:
    std::size_t below(std::size_t n) {
        return n == 0 ? 0 : static_cast<std::size_t>(random_.below(static_cast<index>(n)));
    }
    void flip(std::string& text) {
        if (!text.empty()) text[below(text.size())] ^= static_cast<char>(1 << below(8));
    }
    // Replaces a number, a text, true or false, or a list without brackets in it by another value.
    void change_head(std::string& head) {
        static const std::regex value(R"(-?\b\d+(\.\d+)?\b|"[^"\\]*"|\[[^\[\]]*\]|true|false)");
        static const std::string values[] = {"-1",    "0",        "1",     "2",  "9",    "1000000", "281474976710656",
                                             "1e300", "null",     "\"a\"", "[]", "\"\"", "{}",      "[1]",
                                             "true",  "[[[[1]]]]"};
        std::vector<std::pair<std::size_t, std::size_t>> places;
        for (std::sregex_iterator at(head.begin(), head.end(), value), end; at != end; ++at)
            places.emplace_back(at->position(), at->length());
        if (places.empty()) return;
        const auto [at, length] = places[below(places.size())];
        head.replace(at, length, values[below(std::size(values))]);
    }
    void change_number(std::string& numbers) {
        static const std::uint64_t values[] = {~std::uint64_t{0},
                                               std::uint64_t{1} << 62,
                                               std::bit_cast<std::uint64_t>(std::numeric_limits<double>::quiet_NaN()),
                                               std::bit_cast<std::uint64_t>(1e308),
                                               std::bit_cast<std::uint64_t>(-5.0),
                                               std::bit_cast<std::uint64_t>(7.0),
                                               0,
                                               7};
        if (numbers.size() < 8) return;
        const std::uint64_t value = values[below(std::size(values))];
        const std::size_t width = below(2) ? 8 : 4, at = width * below(numbers.size() / width);
        for (std::size_t i = 0; i < width; ++i) numbers[at + i] = static_cast<char>(value >> 8 * i);
    }
    void change_length(std::string& numbers) {
        const std::size_t count = 1 + below(16);
        if (below(2))
            numbers.append(count, '\0');
        else
            numbers.erase(numbers.size() - std::min(count, numbers.size()));
    }
    // Replaces a section by one of another model, or exchanges two ranges of numbers.
    void swap_sections(model_part& part, model_part& other) {
        switch (below(4)) {
            case 0: part.head = other.head; break;
            case 1: part.numbers = other.numbers; break;
            case 2: part.name = other.name; break;
            default: {
                const std::size_t length = below(part.numbers.size() / 2), at = below(length + 1);
                std::swap_ranges(part.numbers.begin() + static_cast<std::ptrdiff_t>(at),
                                 part.numbers.begin() + static_cast<std::ptrdiff_t>(length),
                                 part.numbers.begin() + static_cast<std::ptrdiff_t>(length));
            }
        }
    }

    random_generator random_;
};

// Reads a file and, if it is accepted, calls every operation of a model. Returns true if the file was accepted.
bool use(const std::string& bytes, const dataset& x) {
    bool read = false;
    const auto attempt = [&](auto work) {
        try {
            work();
        } catch (const error&) {
        }
    };
    attempt([&] {
        const api::model m = api::parse(bytes, "damaged");
        read = true;
        attempt([&] { EXPECT_EQ(static_cast<index>(m.predict_with_details(x).predicted.size()), x.size()); });
        attempt([&] {
            for (const double each : m.predict(x)) m.class_text(each);
        });
        attempt([&] { EXPECT_EQ(m.transform(x).values.rows(), x.size()); });
        attempt([&] { m.describe().text(); });
        attempt([&] {  // an estimator's own file lacks the options; they are written once it was read
            const std::string once = api::parse(m.bytes(), "again").bytes();
            EXPECT_TRUE(api::parse(once, "again").bytes() == once);
        });
    });
    return read;
}

constexpr int mutants_of_each = 60;

TEST(damaged_models, are_refused_or_used) {
    const std::vector<sample_model> all = samples();
    ASSERT_GT(all.size(), 40u);
    mutator random(1);
    index read = 0, count = 0;
    for (std::size_t i = 0; i < all.size(); ++i) {
        ASSERT_EQ(model_part::read(all[i].bytes).bytes(), all[i].bytes) << all[i].name;
        ASSERT_TRUE(use(all[i].bytes, all[i].x)) << all[i].name;
        for (int mutant = 0; mutant < mutants_of_each; ++mutant, ++count) {
            const std::string bytes = random.changed(all[i].bytes, all[(i + 1 + mutant) % all.size()].bytes);
            SCOPED_TRACE(fmt::format("{}, mutant {}", all[i].name, mutant));
            read += use(bytes, all[i].x);
        }
    }
    // The changes are neither all refused nor all accepted.
    EXPECT_GT(read, count / 20);
    EXPECT_LT(read, count * 3 / 4);
}

// Replaces each number of the models in the cells in turn, also the classes, by which predictions are combined.
TEST(damaged_models, a_cell_with_a_class_that_the_model_lacks_is_refused) {
    index unknown = 0;
    for (const sample_model& one : samples()) {
        if (one.name.find("cells_") == one.name.npos) continue;
        model_part whole = model_part::read(one.bytes);
        for (model_part* part : all_parts(whole)) {
            if (!part->inner.empty()) continue;
            for (std::size_t at = 0; at + 8 <= part->numbers.size(); at += 8) {
                const std::string before = part->numbers;
                const double seven = 7;
                std::memcpy(part->numbers.data() + at, &seven, 8);
                const std::string bytes = whole.bytes();
                part->numbers = before;
                use(bytes, one.x);
                try {
                    api::parse(bytes, "damaged");
                } catch (const error& refused) {
                    unknown += std::string(refused.what()).find("which is not among the classes of the model") !=
                               std::string::npos;
                }
            }
        }
    }
    EXPECT_GT(unknown, 0);
}

}  // namespace
}  // namespace mercer

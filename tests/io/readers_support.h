// Helpers for the tests of readers.
#pragma once

#include <gtest/gtest.h>
#include <unistd.h>

#include <filesystem>
#include <fstream>
#include <string>
#include <string_view>
#include <vector>

#include "contracts/paths.h"
#include "mercer/base/error.h"
#include "mercer/data/dataset.h"
#include "mercer/data/strings.h"

namespace mercer::testing_support {

inline std::string test_file(const std::string& name) {
    return mercer::testing_support::tests_file("io/files/" + name);
}

inline std::string contents(const std::string& path) {
    std::ifstream in(path, std::ios::binary);
    return {std::istreambuf_iterator<char>(in), std::istreambuf_iterator<char>()};
}

// A temporary folder that is removed at the end of the test.
class scratch_folder {
public:
    scratch_folder() {
        std::string pattern = (std::filesystem::temp_directory_path() / "mercer-test-XXXXXX").string();
        if (!::mkdtemp(pattern.data())) throw std::runtime_error("no temporary folder");
        path_ = pattern;
    }
    ~scratch_folder() { std::filesystem::remove_all(path_); }
    scratch_folder(const scratch_folder&) = delete;
    scratch_folder& operator=(const scratch_folder&) = delete;
    std::string path(const std::string& name) const { return (path_ / name).string(); }
    std::string write(const std::string& name, std::string_view bytes) const {
        std::ofstream(path(name), std::ios::binary).write(bytes.data(), static_cast<std::streamsize>(bytes.size()));
        return path(name);
    }
    std::size_t files() const {
        return static_cast<std::size_t>(std::distance(std::filesystem::directory_iterator(path_), {}));
    }

private:
    std::filesystem::path path_;
};

// Returns the error of the call as "code: message", or "no error".
template <class Call>
std::string failure(Call&& call) {
    try {
        call();
    } catch (const error& caught) {
        return std::string(name(caught.code())) + ": " + caught.what();
    }
    return "no error";
}

// A sparse set as (row, column, value) triples, for comparison.
struct entry {
    index row;
    index column;
    double value;
    bool operator==(const entry&) const = default;
};
inline void PrintTo(const entry& e, std::ostream* out) {
    *out << "(" << e.row << ", " << e.column << ", " << e.value << ")";
}

template <class T>
std::vector<entry> entries(const dataset& x) {
    std::vector<entry> out;
    const auto* some = x.as<sparse<T>>();
    if (!some) throw std::runtime_error("other storage");
    for (index i = 0; i < some->size(); ++i)
        for (std::size_t k = 0; k < some->cols(i).size(); ++k)
            out.push_back({i, some->cols(i)[k], static_cast<double>(some->values(i)[k])});
    return out;
}

inline std::vector<std::string> texts(const table& t) {
    const auto* some = t.x.as<strings>();
    if (!some) throw std::runtime_error("not strings");
    std::vector<std::string> out;
    for (index i = 0; i < t.x.size(); ++i) out.emplace_back((*some)[i]);
    return out;
}

template <class T>
std::vector<std::vector<T>> rows(const dataset& x) {
    std::vector<std::vector<T>> out;
    const auto* some = x.as<dense<T>>();
    if (!some) throw std::runtime_error("other storage");
    for (index i = 0; i < some->size(); ++i) out.emplace_back(some->row(i), some->row(i) + some->dims());
    return out;
}

}  // namespace mercer::testing_support

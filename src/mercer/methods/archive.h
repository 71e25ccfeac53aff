// What every model file of this library is made of: one line of text (format, version, sizes, checksum), one line of
// JSON (names and counts), then numbers as they are in memory, 64-bit little-endian. The same model gives the same
// bytes.
//
//     archive_writer out;                                     archive_reader in(bytes, "mercer-ridge-model", 1,
//     "a.model"); out.head["outputs"] = m.coef.cols();                    return in.read([&] { out.numbers(m.coef);
//     m.coef = in.numbers(rows, whole(in.head, "outputs")); out.objects("objects", m.x); m.x = in.objects("objects");
//     return out.bytes("mercer-ridge-model", 1);              });   // fails, naming file and reason, on anything that
//     does not fit
//
// For the library's own use: it needs nlohmann-json.
#pragma once

#include <cstring>
#include <nlohmann/json.hpp>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "mercer/base/fit_status.h"
#include "mercer/data/dataset.h"

namespace mercer {

class archive_writer : public object_sink {
public:
    nlohmann::json head;

    void one(double value) { all(std::span<const double>(&value, 1)); }
    void numbers(const matrix<double>& values) {
        all(std::span<const double>(values.data(), static_cast<std::size_t>(values.rows() * values.cols())));
    }
    // head[key] says how many and of what kind, the contents go to the numbers.
    void objects(const char* key, const dataset& x);

    std::string bytes(std::string_view format, int version) const;

private:
    void append(const void* bytes, std::size_t count) override { body_.append(static_cast<const char*>(bytes), count); }

    std::string body_;
};

class archive_reader : public object_source {
public:
    nlohmann::json head;

    // Checks the first line, the sizes and the checksum, and reads the head. Fails with errc::parse, naming the file
    // and what is wrong. `bytes` must outlive the reader.
    archive_reader(std::string_view bytes, std::string_view format, int version, std::string name);
    int version() const { return version_; }  // of the file: from 1 to the one this program writes

    double one() { return all<double>(1)[0]; }
    matrix<double> numbers(index rows, index cols);
    std::vector<double> class_labels(index count);  // finite: a label must be found again by comparison
    dataset objects(const char* key);

    // Runs the body, which fills a model, and sees that nothing is left over; whatever is thrown becomes "name: not a
    // valid model: ...".
    template <class Body>
    void read(Body&& body) {
        try {
            body();
            finish();
        } catch (const std::exception& caught) {
            rethrow(caught);
        }
    }
    [[noreturn]] void bad(const std::string& why) const;

private:
    template <class T>
    dataset dense_objects(const nlohmann::json& about);
    template <class T>
    dataset sparse_objects(const nlohmann::json& about);
    std::string_view take(index count, std::size_t size) override;
    void finish() const;
    [[noreturn]] void rethrow(const std::exception& caught) const;

    std::string_view rest_;
    int version_ = 0;
    std::string name_;
};

// The whole number head[key], 0 <= it <= most; throws, naming the key, where it is something else.
index whole(const nlohmann::json& from, const char* key, index most = index{1} << 48);
// "status": its name, or its number as files of version 1 have it.
fit_status status_in(const nlohmann::json& head);

}  // namespace mercer

// What every model file of this library is made of: one line of text (format, version, sizes, checksum), one line of
// JSON (the head: names and counts), then numbers as they are in memory, 64-bit little-endian. The same model gives the
// same bytes.
//
// archive_writer and archive_reader share their words, so that one list of a model's parts (methods/codec.h) writes
// with the one and reads with the other. A reader fails, naming the file and the reason, on whatever does not fit.
//
// For the library's own use: it needs nlohmann-json.
#pragma once

#include <fmt/format.h>

#include <cmath>
#include <concepts>
#include <cstring>
#include <limits>
#include <memory>
#include <nlohmann/json.hpp>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "mercer/base/fit_status.h"
#include "mercer/data/dataset.h"
#include "mercer/kernels/kernel.h"

namespace mercer {

// The parts of a Model in a file: a static function parts(archive, model), see methods/codec.h.
template <class Model>
struct file_form;

class archive_writer : public object_sink {
public:
    static constexpr bool reading = false;
    explicit archive_writer(int version) : version_(version) {}
    archive_writer(const archive_writer&) = delete;
    archive_writer& operator=(const archive_writer&) = delete;
    int version() const { return version_; }
    // All of it. The numbers are not copied: there may be gigabytes of them, and the writer is empty afterwards.
    std::string bytes(std::string_view format);

    // ---- in the head

    // A text, true or false, a list of such.
    template <class V>
    void head(const char* key, const V& value) {
        (*at_)[key] = value;
    }
    // Another value as a text.
    template <class V, class Write, class Read>
    void head(const char* key, const V& value, Write text_of, Read&& /*value_of*/) {
        (*at_)[key] = text_of(value);
    }
    // A whole number from 0 to `most`.
    template <std::integral I>
    void whole(const char* key, const I& value, index /*most*/ = 0) {
        (*at_)[key] = value;
    }
    // The same for a number that is no part of its own, such as a size; gives the file's.
    index count(const char* key, index n, index /*most*/ = 0) { return (*at_)[key] = n, n; }
    bool flag(const char* key, bool yes) { return (*at_)[key] = yes, yes; }
    // Whether there is anything under this key.
    static bool has(const char* /*key*/, bool yes) { return yes; }
    // An enumerator by its name: all of them in order, or a function name() and the last.
    template <class E>
    void choice(const char* key, const E& value, std::initializer_list<const char*> names) {
        (*at_)[key] = names.begin()[static_cast<std::size_t>(value)];
    }
    template <class E>
    void choice(const char* key, const E& value, E /*last*/) {
        (*at_)[key] = name(value);
    }
    void status(const fit_status& value) { (*at_)["status"] = name(value); }
    // A kernel as text, or none: fitted on a matrix. `text` stands for none, too.
    void kernel(const std::shared_ptr<const mercer::kernel>& k, const std::string& text = {});
    // Whole numbers without names, all that there is at this place of the head.
    template <class... V>
    void counts(const V&... values) {
        *at_ = nlohmann::json::array({static_cast<index>(values)...});
    }

    // ---- in the body

    template <std::same_as<double>... V>
    void numbers(const V&... values) {
        (all(std::span<const double>(&values, 1)), ...);
    }
    // n numbers, or as many as the head says under `key`.
    template <class T>
    void list(const std::vector<T>& values, index n) {
        expect(static_cast<index>(values.size()), n);
        all(values);
    }
    template <class T>
    void list(const char* key, const std::vector<T>& values, index /*most*/ = 0) {
        (*at_)[key] = values.size();
        all(values);
    }
    void row(const double* values, index n) { all(std::span(values, static_cast<std::size_t>(n))); }
    void table(const matrix<double>& values, index rows, index cols);
    void upper_triangle(const matrix<double>& values, index n);
    // The head says how many objects under `key`, and of what kind.
    void objects(const char* key, const dataset& x);
    // The bytes of another file, their number under `key`.
    void file(const char* key, std::string bytes) {
        (*at_)[key] = bytes.size();
        if (body_.empty())
            body_ = std::move(bytes);
        else
            all(std::span<const char>(bytes));
    }

    // ---- what has parts of its own

    template <class P>
    void part(const P& some) {
        file_form<P>::parts(*this, some);
    }
    // At a place of its own in the head, where it is there.
    template <class P>
    void part(const char* key, const std::optional<P>& some) {
        if (some) (*at_)[key] = apart(*some);
    }
    template <class P>
    void part(const char* key, const std::vector<P>& list) {
        auto places = nlohmann::json::array();
        for (const P& each : list) places.push_back(apart(each));
        (*at_)[key] = std::move(places);
    }

    // ---- what a reader does

    template <class List>
    static void resize(const List&, index) {}
    template <class... Why>
    static void check(bool, const Why&...) {}
    template <class List>
    static void within(const List&, index, index, const char*) {}
    template <class List>
    static void finite(const List&, const char*) {}

private:
    void append(const void* bytes, std::size_t count) override { body_.append(static_cast<const char*>(bytes), count); }
    void make_room(std::size_t bytes);
    static void expect(index found, index wanted);  // a model whose parts do not fit could not be read again
    template <class P>
    nlohmann::json apart(const P& some) {
        nlohmann::json place;
        auto* const before = std::exchange(at_, &place);
        part(some);
        at_ = before;
        return place;
    }

    int version_;
    std::string body_;
    nlohmann::json head_;
    nlohmann::json* at_ = &head_;
};

class archive_reader : public object_source {
public:
    static constexpr bool reading = true;
    // Checks the first line, the sizes and the checksum, and reads the head. Fails with errc::parse, naming the file
    // and what is wrong. `bytes` must outlive the reader.
    archive_reader(std::string_view bytes, std::string_view format, int version, std::string name);
    archive_reader(const archive_reader&) = delete;
    archive_reader& operator=(const archive_reader&) = delete;
    const std::string& name() const { return name_; }
    int version() const { return version_; }  // of the file: from 1 to the one this program writes

    // Reads all parts of a model and sees that nothing is left over; whatever is thrown becomes "name: not a valid
    // model: ...".
    template <class Model>
    void read(Model& m) {
        try {
            part(m);
            finish();
        } catch (const std::exception& caught) {
            rethrow(caught);
        }
    }
    [[noreturn]] void bad(const std::string& why) const;

    // ---- in the head

    template <class V>
    void head(const char* key, V& value) {
        at_->at(key).get_to(value);
    }
    template <class V, class Write, class Read>
    void head(const char* key, V& value, Write&& /*text_of*/, Read value_of) {
        const nlohmann::json& found = at_->at(key);
        value = value_of(found.is_string() ? found.get<std::string>() : found.dump());
    }
    template <std::integral I>
    void whole(const char* key, I& value, index most = largest<I>) {
        value = static_cast<I>(whole_number(at_->at(key), key, most));
    }
    index count(const char* key, index /*n*/, index most = largest<index>) {
        return whole_number(at_->at(key), key, most);
    }
    bool flag(const char* key, bool /*yes*/) { return at_->at(key).get<bool>(); }
    bool has(const char* key, bool /*yes*/) { return at_->contains(key); }
    template <class E>
    void choice(const char* key, E& value, std::initializer_list<const char*> names) {
        const auto* found = std::find(names.begin(), names.end(), at_->at(key).get<std::string>());
        if (found == names.end()) unknown(key);
        value = static_cast<E>(found - names.begin());
    }
    template <class E>
    void choice(const char* key, E& value, E last) {
        const auto text = at_->at(key).get<std::string>();
        int which = 0;
        while (text != mercer::name(static_cast<E>(which)))
            if (++which > static_cast<int>(last)) unknown(key);
        value = static_cast<E>(which);
    }
    void status(fit_status& value);  // its name, or its number as files of version 1 have it
    void kernel(std::shared_ptr<const mercer::kernel>& k) {
        std::string text;
        kernel(k, text);
    }
    void kernel(std::shared_ptr<const mercer::kernel>& k, std::string& text);
    template <class... V>
    void counts(V&... values) {
        check(at_->is_array() && at_->size() == sizeof...(values), "{} counts are needed", sizeof...(values));
        std::size_t i = 0;
        ((values = static_cast<V>(whole_number((*at_)[i++], "count", std::numeric_limits<index>::max()))), ...);
    }

    // ---- in the body

    template <std::same_as<double>... V>
    void numbers(V&... values) {
        ((values = all<double>(1)[0]), ...);
    }
    template <class T>
    void list(std::vector<T>& values, index n) {
        values = all<T>(n);
    }
    template <class T>
    void list(const char* key, std::vector<T>& values, index most = largest<index>) {
        values = all<T>(count(key, 0, most));
    }
    void row(double* values, index n) { std::ranges::copy(all<double>(n), values); }
    void table(matrix<double>& values, index rows, index cols);
    void upper_triangle(matrix<double>& values, index n);
    void objects(const char* key, dataset& x);
    std::string_view file(const char* key) { return take(count(key, 0), 1); }  // where they lie
    void file(const char* key, std::string& bytes) { bytes = file(key); }

    // ---- what has parts of its own

    template <class P>
    void part(P& some) {
        file_form<P>::parts(*this, some);
    }
    template <class P>
    void part(const char* key, std::optional<P>& some) {
        if (at_->contains(key)) apart(at_->at(key), some.emplace());
    }
    template <class P>
    void part(const char* key, std::vector<P>& list) {
        for (const auto& place : at_->at(key)) apart(place, list.emplace_back());
    }

    // ---- checks

    template <class List>
    static void resize(List& list, index n) {
        list.resize(static_cast<std::size_t>(n));
    }
    template <class... V>
    void check(bool ok, fmt::format_string<const V&...> why, const V&... values) const {
        if (!ok) bad(fmt::format(why, values...));
    }
    // low <= each < end
    void within(const std::vector<index>& list, index low, index end, const char* what) const {
        for (const index each : list)
            check(low <= each && each < end, "{} must satisfy {} <= it < {}, got {}", what, low, end, each);
    }
    void finite(std::span<const double> values, const char* what) const {
        for (const double each : values) check(std::isfinite(each), "{} must be finite, got {}", what, each);
    }
    void finite(const matrix<double>& values, const char* what) const {
        finite(std::span(values.data(), static_cast<std::size_t>(values.rows() * values.cols())), what);
    }

private:
    template <class I>
    static constexpr index largest = sizeof(I) < sizeof(index) ? static_cast<index>(std::numeric_limits<I>::max())
                                                               : index{1} << 48;
    // 0 <= it <= most; throws, naming the key, where it is something else.
    static index whole_number(const nlohmann::json& value, const char* key, index most);
    template <class P>
    void apart(const nlohmann::json& place, P& some) {
        const auto* const before = std::exchange(at_, &place);
        part(some);
        at_ = before;
    }
    template <class T>
    dataset dense_objects();
    template <class T>
    dataset sparse_objects();
    std::string_view take(index count, std::size_t size) override;
    void finish() const;
    [[noreturn]] void unknown(const char* key) const;
    [[noreturn]] void rethrow(const std::exception& caught) const;

    nlohmann::json head_;
    const nlohmann::json* at_ = &head_;
    std::string_view rest_;
    int version_ = 0;
    std::string name_;
};

}  // namespace mercer

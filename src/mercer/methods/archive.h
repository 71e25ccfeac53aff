// Writing and reading of model files: one line of text (format, version, sizes, checksum), one line of JSON (the head:
// names and counts), then numbers as in memory, 64-bit little-endian (the body). Equal models give equal bytes.
//
// archive_writer and archive_reader have the same member functions, so one list of the parts of a model both writes and
// reads it:
//
//     template <>
//     struct file_form<ridge_model> {
//         static constexpr std::string_view format = "mercer-ridge-model";
//         static constexpr int version = 1;
//
//         static void parts(auto& a, auto& m) {
//             const index dims = a.count("dims", m.dims()), outputs = a.count("outputs", m.outputs());
//             a.numbers(m.alpha);
//             a.table(m.coef, dims, outputs);
//             a.list(m.intercept, outputs);
//             a.check_finite(m.intercept, "an intercept");       // checks are made when a file is read
//         }
//     };
//     template struct model_file<ridge_model>;             // model_bytes, parse_model, save_model, load_model
//
// `a` is an archive_writer and m constant, or an archive_reader and m to be filled. Numbers are stored in the order of
// the list. A part that is added or changed requires a new `version`; the list reads older files by a.version(). The
// reader fails with errc::parse for every file that does not fit the list; messages contain the file and the reason.
//
// For internal use. Only archive.cpp includes the JSON library, which takes longer to compile than a model.
#pragma once

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <concepts>
#include <cstring>
#include <limits>
#include <memory>
#include <nlohmann/json_fwd.hpp>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "mercer/base/error.h"
#include "mercer/base/file.h"
#include "mercer/data/dataset.h"
#include "mercer/io/file_contents.h"
#include "mercer/kernels/kernel.h"
#include "mercer/methods/kernel_expansion.h"
#include "mercer/methods/model_file.h"

namespace mercer {

// The list of the parts of a Model: a static function parts(archive, model), see above.
template <class Model>
struct file_form;

class archive_writer : public byte_writer {
public:
    static constexpr bool reading = false;
    explicit archive_writer(int version);
    archive_writer(const archive_writer&) = delete;
    archive_writer& operator=(const archive_writer&) = delete;
    ~archive_writer() override;
    int version() const { return version_; }
    // Returns the file. The body, which may have gigabytes, is moved: the writer is empty afterwards.
    std::string bytes(std::string_view format);

    // ---- in the head

    // V: bool, std::string, or a vector of strings or indices.
    template <class V>
    void head(const char* key, const V& value);
    // A value of another type, converted to text.
    template <class V, class Write, class Read>
    void head(const char* key, const V& value, Write text_of, Read&& /*value_of*/) {
        head(key, std::string(text_of(value)));
    }
    // An integer from 0 to `most`.
    template <std::integral I>
    void integer(const char* key, const I& value, index /*most*/ = 0) {
        count(key, static_cast<index>(value));
    }
    // The same for a number that is not a member of the model, such as a size. Returns the number in the file.
    index count(const char* key, index n, index most = 0);
    bool flag(const char* key, bool yes) { return head(key, yes), yes; }
    // Returns true if the head contains the key; a writer returns `yes`.
    static bool has(const char* /*key*/, bool yes) { return yes; }
    // An enumerator by name: from a list of the names of all enumerators, or from a function name() and the last one.
    template <class E>
    void choice(const char* key, const E& value, std::initializer_list<const char*> names) {
        head(key, std::string(names.begin()[static_cast<std::size_t>(value)]));
    }
    template <class E>
    void choice(const char* key, const E& value, E /*last*/) {
        head(key, std::string(name(value)));
    }
    void status(const fit_status& value) { head("status", std::string(name(value))); }
    // A kernel as text. If k is null (the model was fitted on a kernel matrix), `text` is written instead.
    void kernel(const std::shared_ptr<const mercer::kernel>& k, const std::string& text = {});
    // Integers without names, which are the whole content of this part of the head.
    template <class... V>
    void counts(const V&... values) {
        unnamed_counts({static_cast<index>(values)...});
    }

    // ---- in the body

    template <std::same_as<double>... V>
    void numbers(const V&... values) {
        (write_numbers(std::span<const double>(&values, 1)), ...);
    }
    // n numbers, or a list whose length is in the head under `key`.
    template <class T>
    void list(const std::vector<T>& values, index n) {
        require_size(static_cast<index>(values.size()), n);
        write_numbers(values);
    }
    template <class T>
    void list(const char* key, const std::vector<T>& values, index /*most*/ = 0) {
        count(key, std::ssize(values));
        write_numbers(values);
    }
    void row(const double* values, index n) { write_numbers(std::span(values, static_cast<std::size_t>(n))); }
    void table(const matrix<double>& values, index rows, index cols);
    void upper_triangle(const matrix<double>& values, index n);
    // A dataset, whose kind and number of objects are in the head under `key`.
    void objects(const char* key, const dataset& x);
    // The bytes of another file, whose number is in the head under `key`.
    void file(const char* key, std::string bytes) {
        count(key, std::ssize(bytes));
        if (body_.empty())
            body_ = std::move(bytes);
        else
            write_numbers(std::span<const char>(bytes));
    }

    // ---- members that have a file_form

    template <class P>
    void part(const P& some) {
        file_form<P>::parts(*this, some);
    }
    // An optional member, or a list of members, with its own part of the head under `key`.
    template <class P>
    void part(const char* key, const std::optional<P>& some) {
        if (some) at_head_part(head_part(key), *some);
    }
    template <class P>
    void part(const char* key, const std::vector<P>& list) {
        const auto at = head_parts(key, std::ssize(list));
        for (std::size_t i = 0; i < at.size(); ++i) at_head_part(at[i], list[i]);
    }

    // ---- operations that only a reader performs

    template <class List>
    static void resize(const List&, index) {}
    template <class... Why>
    static void check(bool, const Why&...) {}
    template <class List>
    static void check_range(const List&, index, index, const char*) {}
    template <class List>
    static void check_finite(const List&, const char*) {}

private:
    void append(const void* bytes, std::size_t count) override { body_.append(static_cast<const char*>(bytes), count); }
    void reserve_body(std::size_t bytes);
    static void require_size(index found, index wanted);  // fails for a model that could not be read again
    void unnamed_counts(std::initializer_list<index> values);
    nlohmann::json* head_part(const char* key);                         // a new part of the head
    std::vector<nlohmann::json*> head_parts(const char* key, index n);  // a list of n new parts of the head
    template <class P>
    void at_head_part(nlohmann::json* place, const P& some) {
        auto* const before = std::exchange(at_, place);
        part(some);
        at_ = before;
    }

    int version_;
    std::string body_;
    std::unique_ptr<nlohmann::json> head_;
    nlohmann::json* at_;
};

class archive_reader : public byte_reader {
public:
    static constexpr bool reading = true;
    // Checks the first line, the sizes and the checksum, and parses the head. Fails with errc::parse; messages begin
    // with `name`. `bytes` must outlive the reader.
    archive_reader(std::string_view bytes, std::string_view format, int version, std::string name);
    archive_reader(const archive_reader&) = delete;
    archive_reader& operator=(const archive_reader&) = delete;
    ~archive_reader() override;
    const std::string& name() const { return name_; }
    int version() const { return version_; }  // of the file: 1 to the version that this program writes

    // Reads all parts of a model and checks that no bytes remain. Exceptions except std::bad_alloc become errc::parse
    // with the message "name: not a valid model: ...".
    template <class Model>
    void read(Model& m) {
        try {
            part(m);
            finish();
        } catch (const std::bad_alloc&) {
            throw;
        } catch (const std::exception& caught) {
            rethrow(caught);
        }
    }
    [[noreturn]] void fail_invalid(const std::string& why) const;

    // ---- in the head

    template <class V>
    void head(const char* key, V& value);
    template <class V, class Write, class Read>
    void head(const char* key, V& value, Write&& /*text_of*/, Read value_of) {
        value = value_of(text(key));
    }
    template <std::integral I>
    void integer(const char* key, I& value, index most = largest<I>) {
        value = static_cast<I>(count(key, 0, most));
    }
    index count(const char* key, index n, index most = largest<index>);
    bool flag(const char* key, bool yes) { return head(key, yes), yes; }
    bool has(const char* key, bool yes) const;
    template <class E>
    void choice(const char* key, E& value, std::initializer_list<const char*> names) {
        std::string text;
        head(key, text);
        const auto* found = std::find(names.begin(), names.end(), text);
        if (found == names.end()) fail_unknown(key, text);
        value = static_cast<E>(found - names.begin());
    }
    template <class E>
    void choice(const char* key, E& value, E last) {
        std::string text;
        head(key, text);
        int which = 0;
        while (text != mercer::name(static_cast<E>(which)))
            if (++which > static_cast<int>(last)) fail_unknown(key, text);
        value = static_cast<E>(which);
    }
    void status(fit_status& value);  // a name, or a number in files of version 1
    void kernel(std::shared_ptr<const mercer::kernel>& k) {
        std::string text;
        kernel(k, text);
    }
    void kernel(std::shared_ptr<const mercer::kernel>& k, std::string& text);
    template <class... V>
    void counts(V&... values) {
        const std::vector<index> found = unnamed_counts(sizeof...(values));
        std::size_t i = 0;
        ((values = static_cast<V>(found[i++])), ...);
    }

    // ---- in the body

    template <std::same_as<double>... V>
    void numbers(V&... values) {
        ((values = read_numbers<double>(1)[0]), ...);
    }
    template <class T>
    void list(std::vector<T>& values, index n) {
        values = read_numbers<T>(n);
    }
    template <class T>
    void list(const char* key, std::vector<T>& values, index most = largest<index>) {
        values = read_numbers<T>(count(key, 0, most));
    }
    void row(double* values, index n) { std::ranges::copy(read_numbers<double>(n), values); }
    void table(matrix<double>& values, index rows, index cols);
    void upper_triangle(matrix<double>& values, index n);
    void objects(const char* key, dataset& x);
    std::string_view file(const char* key) { return take(count(key, 0), 1); }  // a view of the bytes of the archive
    void file(const char* key, std::string& bytes) { bytes = file(key); }

    // ---- members that have a file_form

    template <class P>
    void part(P& some) {
        file_form<P>::parts(*this, some);
    }
    template <class P>
    void part(const char* key, std::optional<P>& some) {
        if (has(key, false)) at_head_part(head_part(key), some.emplace());
    }
    template <class P>
    void part(const char* key, std::vector<P>& list) {
        for (const auto* each : head_parts(key)) at_head_part(each, list.emplace_back());
    }

    // ---- checks

    template <class List>
    static void resize(List& list, index n) {
        list.resize(static_cast<std::size_t>(n));
    }
    template <class... V>
    void check(bool ok, fmt::format_string<const V&...> why, const V&... values) const {
        if (!ok) fail_invalid(fmt::format(why, values...));
    }
    // Checks low <= each < end.
    void check_range(const std::vector<index>& list, index low, index end, const char* what) const {
        for (const index each : list)
            check(low <= each && each < end, "{} must satisfy {} <= number < {}, got {}", what, low, end, each);
    }
    void check_finite(std::span<const double> values, const char* what) const {
        for (const double each : values) check(std::isfinite(each), "{} must be finite, got {}", what, each);
    }
    void check_finite(const matrix<double>& values, const char* what) const {
        check_finite(std::span(values.data(), static_cast<std::size_t>(values.rows() * values.cols())), what);
    }

private:
    template <class I>
    static constexpr index largest = sizeof(I) < sizeof(index) ? static_cast<index>(std::numeric_limits<I>::max())
                                                               : index{1} << 48;
    std::string text(const char* key) const;  // a string, or the JSON text of another value
    std::vector<index> unnamed_counts(std::size_t n) const;
    const nlohmann::json* head_part(const char* key) const;
    std::vector<const nlohmann::json*> head_parts(const char* key) const;
    template <class P>
    void at_head_part(const nlohmann::json* place, P& some) {
        const auto* const before = std::exchange(at_, place);
        part(some);
        at_ = before;
    }
    template <class T>
    dataset dense_objects();
    template <class T>
    dataset sparse_objects();
    std::string_view take(index count, std::size_t size) override;
    void finish() const;
    [[noreturn]] void fail_unknown(const char* key, const std::string& value) const;
    [[noreturn]] void rethrow(const std::exception& caught) const;

    std::unique_ptr<nlohmann::json> head_;
    const nlohmann::json* at_;
    std::string_view rest_;
    int version_ = 0;
    std::string name_;
};

template <class Model>
std::string model_file<Model>::bytes(const Model& m) {
    archive_writer out(file_form<Model>::version);
    out.part(m);
    return out.bytes(file_form<Model>::format);
}

template <class Model>
Model model_file<Model>::parse(std::string_view bytes, const std::string& name) {
    archive_reader in(bytes, file_form<Model>::format, file_form<Model>::version, name);
    Model m;
    in.read(m);
    return m;
}

template <class Model>
void model_file<Model>::save(const Model& m, const std::string& path) {
    write_atomically(path, bytes(m));
}

template <class Model>
Model model_file<Model>::load(const std::string& path) {
    const file_contents file = read_file(path);
    return parse_untruncated(file, [&] { return parse(file.bytes(), file.name()); });
}

// A kernel and its dataset of `size` objects, or no kernel if k is null.
void kernel_and_objects(auto& a, auto& k, auto& x, index size) {
    a.kernel(k);
    if (!k) return;
    a.objects("objects", x);
    a.check(x.size() == size, "{} objects, but coefficients for {} objects", x.size(), size);
}

template <>
struct file_form<kernel_expansion> {
    static void parts(auto& a, auto& f) {
        const index examples = a.count("examples", f.size()),
                    functions = a.count("functions", f.functions(), index{1} << 24);
        a.integer("training_size", f.training_size);
        a.table(f.coef, examples, functions);
        a.check_finite(f.coef, "a coefficient");
        a.list(f.offset, functions);
        a.check_finite(f.offset, "an offset");
        a.list("kept", f.rows, examples);
        a.check(f.rows.empty() || std::ssize(f.rows) == examples, "{} row numbers, but coefficients for {} examples",
                f.rows.size(), examples);
        a.check_range(f.rows, 0, f.training_size, "the number of an example");
        kernel_and_objects(a, f.k, f.x, examples);
    }
};

}  // namespace mercer

#include "mercer/methods/svm/libsvm_model.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <cstring>
#include <limits>
#include <map>
#include <optional>

#include "mercer/base/error.h"
#include "mercer/base/file.h"
#include "mercer/base/text.h"
#include "mercer/base/threads.h"
#include "mercer/io/file_contents.h"
#include "mercer/kernels/vectors/constant.h"
#include "mercer/kernels/vectors/gaussian.h"
#include "mercer/kernels/vectors/linear.h"
#include "mercer/kernels/vectors/polynomial.h"
#include "mercer/kernels/vectors/sigmoid.h"

namespace mercer {
namespace {

// (γ xᵀz + r)^d for any r and d, as LIBSVM computes it even if the function is not positive semidefinite.
struct libsvm_polynomial {
    int degree = 3;
    double gamma = 1;
    double coef0 = 0;

    static kernel_info info() {
        return {"libsvm_poly",
                {},
                "(gamma*x'z + coef0)^degree",
                object_kind::vectors,
                {{"degree", "3", "", ""}, {"gamma", "1", "", ""}, {"coef0", "0", "", ""}},
                "no rule: with coef0 < 0 the power has negative coefficients",
                false,
                {}};
    }
    void check() const {
        require(degree >= 1, "libsvm_poly", "degree >= 1", degree);
        require(gamma > 0 && std::isfinite(gamma), "libsvm_poly", "gamma > 0", gamma);
        require(std::isfinite(coef0), "libsvm_poly", "coef0 finite", coef0);
    }
    std::vector<argument> arguments() const { return {static_cast<double>(degree), gamma, coef0}; }
    static constexpr pair_statistic statistic = pair_statistic::dot;
    static constexpr map_input input = map_input::value;
    polynomial map() const { return {degree, gamma, coef0}; }
};

template <class F>
const F* leaf(const kernel& k) {
    const auto* node = dynamic_cast<const leaf_node<F>*>(&k.node());
    return node ? &node->formula() : nullptr;
}

constexpr const char* task_names[] = {"c_svc", "nu_svc", "one_class", "epsilon_svr", "nu_svr"};
constexpr const char* kernel_names[] = {"linear", "polynomial", "rbf", "sigmoid", "precomputed"};

class text_writer {
public:
    void word(std::string_view text) { out_ += text; }
    void number(double value) { out_.append(digits_, write_general(digits_, value, 17)); }
    void whole(long long value) { out_.append(digits_, write_integer(digits_, value)); }
    template <class List, class Write>
    void list(std::string_view key, const List& values, Write write) {
        word(key);
        for (const auto& value : values) word(" "), write(value);
        word("\n");
    }
    std::string take() { return std::move(out_); }

private:
    std::string out_;
    char digits_[max_decimal_length];
};

// Writes the lines of the support vectors: coefficients, then index:value pairs.
class line_writer {
public:
    line_writer(const svm_model& model, int first) : model_(model), first_(first) {}
    void write(index s, std::string& out) {
        char* p = line_.at_least((model_.coef.rows() + 2 * stored(s) + 2) * (max_decimal_length + 2));
        for (index m = 0; m < model_.coef.rows(); ++m) {
            const double c = model_.coef(m, s);
            // Fast path for small integers, such as zeros and multipliers at the bound C: %.17g prints just the number.
            const auto whole = static_cast<long long>(std::abs(c) < 1e9 ? c : 0.5);
            p = static_cast<double>(whole) == c && !(c == 0 && std::signbit(c)) ? write_integer(p, whole)
                                                                                : write_general(p, c, 17);
            *p++ = ' ';
        }
        if (!model_.k) {
            *p++ = '0', *p++ = ':';
            p = write_integer(p, model_.support_rows[static_cast<std::size_t>(s)] + 1);
            *p++ = ' ';
        } else {
            p = coordinates(s, p);
        }
        *p++ = '\n';
        out.append(line_.data(), p);
    }

private:
    index stored(index s) const {
        if (!model_.k) return 1;
        return std::visit(
            [&](const auto& some) -> index {
                if constexpr (requires { some.cols(s); }) return static_cast<index>(some.cols(s).size());
                if constexpr (requires { some.row(s); }) return some.dims();
                return 0;
            },
            model_.support.items());
    }
    char* coordinates(index s, char* p) const {
        const auto put = [&p, this](index column, double value) {
            p = write_integer(p, column + first_);
            *p++ = ':';
            p = write_shortest(p, value);
            *p++ = ' ';
        };
        std::visit(
            [&](const auto& some) {
                if constexpr (requires { some.cols(s); }) {
                    const auto cols = some.cols(s);
                    const auto values = some.values(s);
                    for (std::size_t e = 0; e < cols.size(); ++e) put(cols[e], static_cast<double>(values[e]));
                } else if constexpr (requires { some.row(s); }) {
                    for (index j = 0; j < some.dims(); ++j)
                        if (some.row(s)[j] != 0) put(j, static_cast<double>(some.row(s)[j]));
                }
            },
            model_.support.items());
        return p;
    }
    const svm_model& model_;
    int first_;  // index of column 0 in the file
    buffer<char> line_;
};

void require_expressible(const svm_model& model, const std::optional<libsvm_kernel>& k) {
    const auto cannot = [](const std::string& what) {
        fail(errc::unsupported, "a LIBSVM model file cannot store " + what);
    };
    if (!k)
        cannot("the kernel " + model.kernel_text + ": the format supports linear, poly, rbf, sigmoid and precomputed");
    if (model.pairs().is_one_vs_rest()) cannot("one-versus-rest problems, only one-versus-one problems");
    if (model.k && model.support.size() > 0 && model.support.kind() != object_kind::vectors)
        cannot(std::string(name(model.support.kind())) + ", only vectors");
    if (model.probability && model.probability->kind != calibration::method::sigmoid)
        cannot("an isotonic calibration, only a sigmoid calibration");
    for (const double label : model.classes)
        if (label != std::floor(label) || std::abs(label) > 2147483647)
            cannot(fmt::format("the class label {}: labels must be whole numbers of 32 bits", label));
}

}  // namespace

std::shared_ptr<const kernel> libsvm_kernel::make() const {
    // With γ = 0 or degree 0 the kernel is constant.
    const auto fixed = [](double value) { return std::make_shared<const kernel>(constant{value}); };
    switch (type) {
        case kind::linear: return std::make_shared<const kernel>(linear{});
        case kind::polynomial:
            if (degree == 0) return fixed(1);
            if (gamma == 0) return fixed(std::pow(coef0, degree));
            if (coef0 < 0) return std::make_shared<const kernel>(libsvm_polynomial{degree, gamma, coef0});
            return std::make_shared<const kernel>(polynomial{degree, gamma, coef0});
        case kind::rbf: return gamma == 0 ? fixed(1) : std::make_shared<const kernel>(gaussian{gamma});
        case kind::sigmoid: return std::make_shared<const kernel>(sigmoid{gamma, coef0});
        case kind::precomputed: break;
    }
    return nullptr;
}

std::optional<libsvm_kernel> libsvm_kernel::from_kernel(const kernel& k) {
    if (leaf<linear>(k)) return libsvm_kernel{kind::linear, 3, 1, 0};
    if (const auto* f = leaf<polynomial>(k)) return libsvm_kernel{kind::polynomial, f->degree, f->gamma, f->coef0};
    if (const auto* f = leaf<libsvm_polynomial>(k))
        return libsvm_kernel{kind::polynomial, f->degree, f->gamma, f->coef0};
    if (const auto* f = leaf<gaussian>(k)) return libsvm_kernel{kind::rbf, 3, f->gamma, 0};
    if (const auto* f = leaf<sigmoid>(k)) return libsvm_kernel{kind::sigmoid, 3, f->gamma, f->coef0};
    if (const auto* f = leaf<constant>(k))
        return f->c == 1 ? libsvm_kernel{kind::polynomial, 0, 0, 0} : libsvm_kernel{kind::polynomial, 1, 0, f->c};
    return std::nullopt;
}

std::string libsvm_model_text(const svm_model& model, bool zero_based) {
    const auto k =
        model.k ? libsvm_kernel::from_kernel(*model.k) : libsvm_kernel{libsvm_kernel::kind::precomputed, 3, 1, 0};
    require_expressible(model, k);
    using kind = libsvm_kernel::kind;
    text_writer head;
    const auto number = [&](double value) { head.number(value); };
    const auto whole = [&](auto value) { head.whole(static_cast<long long>(value)); };
    head.word(fmt::format("svm_type {}\nkernel_type {}\n", task_names[static_cast<int>(model.task)],
                          kernel_names[static_cast<int>(k->type)]));
    if (k->type == kind::polynomial) head.word(fmt::format("degree {}\n", k->degree));
    if (k->type == kind::polynomial || k->type == kind::rbf || k->type == kind::sigmoid)
        head.list("gamma", std::array{k->gamma}, number);
    if (k->type == kind::polynomial || k->type == kind::sigmoid) head.list("coef0", std::array{k->coef0}, number);
    head.word(
        fmt::format("nr_class {}\ntotal_sv {}\n", model.is_classifier() ? model.classes.size() : 2, model.coef.cols()));
    head.list("rho", model.offset, [&](double b) { head.number(b == 0 ? 0.0 : -b); });
    if (model.is_classifier()) head.list("label", model.classes, whole);
    if (model.probability) {
        if (model.is_classifier()) {
            head.list("probA", model.probability->A, number);
            head.list("probB", model.probability->B, number);
        } else if (model.task != svm_task::one_class) {
            head.list("probA", std::array{model.probability->sigma}, number);
        }
    }
    if (model.is_classifier()) head.list("nr_sv", model.class_support, whole);
    head.word("SV\n");
    std::string text = head.take();

    constexpr index lines = 64;
    const index count = model.coef.cols(), chunks = (count + lines - 1) / lines;
    std::vector<std::string> parts(static_cast<std::size_t>(chunks));
    parallel_for(chunks, [&](index c) {
        line_writer writer(model, zero_based ? 0 : 1);
        for (index s = c * lines; s < std::min(count, (c + 1) * lines); ++s)
            writer.write(s, parts[static_cast<std::size_t>(c)]);
    });
    std::size_t size = text.size();
    for (const auto& part : parts) size += part.size();
    text.reserve(size);
    for (const auto& part : parts) text += part;
    return text;
}

void save_libsvm_model(const svm_model& model, const std::string& path, bool zero_based) {
    write_atomically(path, libsvm_model_text(model, zero_based));
}

svm_model load_libsvm_model(const std::string& path, bool zero_based) {
    const file_contents file = read_file_if(path, is_libsvm_model_prefix);
    return parse_untruncated(file, [&] { return parse_libsvm_model(file.bytes(), file.name(), zero_based); });
}

namespace {

using detail::is_digit;
using detail::number_error;

bool is_blank(char c) { return c == ' ' || c == '\t' || c == '\r'; }

struct fault {
    std::size_t offset;  // position in the whole text
    std::string message;
};

std::string_view next_token(std::string_view& rest) {
    std::size_t from = 0;
    while (from < rest.size() && is_blank(rest[from])) ++from;
    std::size_t to = from;
    while (to < rest.size() && !is_blank(rest[to])) ++to;
    const std::string_view token = rest.substr(from, to - from);
    rest.remove_prefix(to);
    return token;
}

bool is_key(std::string_view word) {
    constexpr std::string_view known[] = {"svm_type",          "kernel_type", "degree", "gamma", "coef0", "nr_class",
                                          "total_sv",          "rho",         "label",  "probA", "probB", "nr_sv",
                                          "prob_density_marks"};
    return std::find(std::begin(known), std::end(known), word) != std::end(known);
}

// The lines above "SV": a keyword and its values.
class header {
public:
    header(std::string_view text, const std::string& name) : text_(text), name_(name) {
        std::string_view rest = text, line;
        while (detail::next_line(rest, line)) {
            const std::string_view key = next_token(line);
            if (key.empty()) continue;
            if (key == "SV") {
                body_ = rest;
                has_body_ = true;
                break;
            }
            if (!is_key(key)) bad(key, fmt::format("unknown text in model file: [{}]", detail::quoted(key)));
            if (!lines_.emplace(key, line).second)
                bad(key, fmt::format("expected one line {}, got a second line", key));
        }
        if (!has_body_)
            detail::fail_at(errc::parse, name_, text_, text_.size(),
                            "expected a line SV before the support vectors, got the end of the file");
    }

    bool has(std::string_view key) const { return lines_.count(key) > 0; }
    std::string_view body() const { return body_; }

    template <std::size_t N>
    int choice(std::string_view key, const char* const (&names)[N]) const {
        std::string_view rest = line(key);
        const std::string_view got = next_token(rest);
        for (std::size_t i = 0; i < N; ++i)
            if (got == names[i]) return static_cast<int>(i);
        bad(got.empty() ? rest : got, fmt::format("expected a known {}, got {}", key, detail::quoted(got)));
    }
    std::vector<double> numbers(std::string_view key, index count) const {
        std::vector<double> out;
        std::string_view rest = line(key);
        for (std::string_view token = next_token(rest); !token.empty(); token = next_token(rest)) {
            double value = 0;
            const number_error fault = detail::parse_number(token, value);
            if (fault != number_error::none)
                bad(token, fmt::format("expected {} after the keyword '{}', got {}", detail::expected_text(fault), key,
                                       detail::quoted(token)));
            out.push_back(value);
        }
        if (static_cast<index>(out.size()) != count)
            bad(line(key), fmt::format("expected {} number{} after the keyword '{}', got {}", count,
                                       count == 1 ? "" : "s", key, out.size()));
        return out;
    }
    double number(std::string_view key, double otherwise) const { return has(key) ? numbers(key, 1)[0] : otherwise; }
    index whole(std::string_view key, index least, index most) const {
        return as_whole(key, numbers(key, 1)[0], least, most);
    }
    std::vector<index> wholes(std::string_view key, index count, index least, index most) const {
        std::vector<index> out;
        for (const double value : numbers(key, count)) out.push_back(as_whole(key, value, least, most));
        return out;
    }
    [[noreturn]] void bad(std::string_view where, const std::string& message) const {
        detail::fail_at(errc::parse, name_, text_, static_cast<std::size_t>(where.data() - text_.data()), message);
    }
    std::string_view line(std::string_view key) const {
        const auto at = lines_.find(key);
        if (at == lines_.end()) fail(errc::parse, fmt::format("{}: expected a line {}, got none", name_, key));
        return at->second;
    }

private:
    index as_whole(std::string_view key, double value, index least, index most) const {
        if (!(value >= static_cast<double>(least) && value <= static_cast<double>(most)) ||
            value != static_cast<double>(static_cast<index>(value)))
            bad(line(key),
                fmt::format("{}: must be a whole number with {} <= {} <= {}, got {}", key, least, key, most, value));
        return static_cast<index>(value);
    }
    std::string_view text_, body_;
    bool has_body_ = false;
    const std::string& name_;
    std::map<std::string_view, std::string_view> lines_;
};

// The contents of some consecutive lines below "SV".
struct piece {
    std::string_view text;
    std::vector<double> coef;  // consecutively for each line
    std::vector<std::int32_t> col;
    std::vector<double> val;
    std::vector<index> row_end;
    std::optional<fault> bad;
};

class csv_chunk_parser {
public:
    csv_chunk_parser(piece& out, const char* whole_text, index coefs, std::int64_t first_index)
        : out_(out), base_(whole_text), coefs_(coefs), first_index_(first_index) {}
    void run() {
        try {
            std::string_view rest = out_.text, line;
            while (detail::next_line(rest, line)) {
                if (!detail::trimmed(line).empty() || coefs_ == 0) row(line);
            }
        } catch (fault& caught) {
            out_.bad = std::move(caught);
        }
    }

private:
    void row(std::string_view line) {
        const char* p = line.data();
        const char* const end = p + line.size();
        const auto skip = [&] {
            while (p != end && is_blank(*p)) ++p;
        };
        for (index m = 0; m < coefs_; ++m) {
            skip();
            p = number(p, end, out_.coef.emplace_back(), "a number as the coefficient");
        }
        std::int64_t last = first_index_ - 1;
        for (skip(); p != end; skip()) {
            const char* const start = p;
            std::int64_t at = 0;
            while (p != end && is_digit(*p) && at <= std::numeric_limits<std::int32_t>::max())
                at = 10 * at + (*p++ - '0');
            if (p == start || p == end || *p != ':') expected("index:value", start, end);
            if (at <= last || at > std::numeric_limits<std::int32_t>::max())
                expected(fmt::format("an index > {} (indices ascend) and <= {}", last,
                                     std::numeric_limits<std::int32_t>::max()),
                         start, end);
            last = at;
            out_.col.push_back(static_cast<std::int32_t>(at - first_index_));
            p = number(p + 1, end, out_.val.emplace_back(), "a number as the value");
        }
        out_.row_end.push_back(static_cast<index>(out_.col.size()));
    }
    const char* number(const char* p, const char* end, double& value, const char* what) {
        // parse_short_decimal needs a character after the number. At the end of a line that is the newline, but the
        // last line of the text may have none.
        if (end != out_.text.data() + out_.text.size() && p != end) {
            const char* const after = detail::parse_short_decimal(p, value);
            if (after && (after == end || is_blank(*after))) return after;
        }
        const char* stop = p;
        while (stop != end && !is_blank(*stop)) ++stop;
        if (detail::parse_number({p, static_cast<std::size_t>(stop - p)}, value) != number_error::none)
            expected(what, p, end);
        return stop;
    }
    [[noreturn]] void expected(const std::string& what, const char* start, const char* end) const {
        const char* stop = start;
        while (stop != end && !is_blank(*stop)) ++stop;
        const std::string_view got(start, static_cast<std::size_t>(stop - start));
        throw fault{
            static_cast<std::size_t>(start - base_),
            fmt::format("expected {}, got {}", what, got.empty() ? "the end of the line" : detail::quoted(got))};
    }
    piece& out_;
    const char* base_;
    index coefs_;
    std::int64_t first_index_;
};

std::vector<piece> split(std::string_view text) {
    constexpr std::size_t bytes = 1 << 19;
    std::vector<piece> pieces;
    while (!text.empty()) {
        const auto end = text.size() > bytes ? text.find('\n', bytes) : std::string_view::npos;
        const std::size_t size = end == std::string_view::npos ? text.size() : end + 1;
        pieces.emplace_back().text = text.substr(0, size);
        text.remove_prefix(size);
    }
    return pieces;
}

// The support vectors and their coefficients.
void read_body(svm_model& model, const header& head, std::string_view text, const std::string& name, index coefs,
               index count, std::int64_t first_index) {
    std::vector<piece> pieces = split(head.body());
    parallel_for(static_cast<index>(pieces.size()), [&](index c) {
        csv_chunk_parser(pieces[static_cast<std::size_t>(c)], text.data(), coefs, first_index).run();
    });
    std::vector<index> start{0};
    std::vector<std::int32_t> col;
    std::vector<double> val;
    index have = 0;
    std::size_t entries = 0;
    for (const auto& each : pieces) {
        if (each.bad) detail::fail_at(errc::parse, name, text, each.bad->offset, each.bad->message);
        have += static_cast<index>(each.row_end.size());
        entries += each.col.size();
    }
    if (have < count)
        detail::fail_at(
            errc::parse, name, text, text.size(),
            fmt::format("expected {} support vectors (total_sv), got {}: the file is cut short", count, have));
    model.coef = matrix<double>(coefs, count);
    col.reserve(entries);
    val.reserve(entries);
    start.reserve(static_cast<std::size_t>(count) + 1);
    for (const auto& each : pieces) {
        const index base = static_cast<index>(col.size()), first = static_cast<index>(start.size()) - 1;
        const index rows = std::min(static_cast<index>(each.row_end.size()), count - first);
        for (index r = 0; r < rows; ++r) {
            start.push_back(base + each.row_end[static_cast<std::size_t>(r)]);
            for (index m = 0; m < coefs; ++m)
                model.coef(m, first + r) = each.coef[static_cast<std::size_t>(r * coefs + m)];
        }
        const auto used = static_cast<std::ptrdiff_t>(start.back() - base);
        col.insert(col.end(), each.col.begin(), each.col.begin() + used);
        val.insert(val.end(), each.val.begin(), each.val.begin() + used);
    }
    model.dims = 0;
    for (const std::int32_t c : col) model.dims = std::max<index>(model.dims, c + index{1});
    if (model.k) {
        model.support = sparse<double>(std::move(start), std::move(col), std::move(val), model.dims);
        for (index s = 0; s < count; ++s) model.support_rows.push_back(s);
        model.training_size = count;
        return;
    }
    model.dims = 0;
    for (index s = 0; s < count; ++s) {
        const auto at = static_cast<std::size_t>(start[static_cast<std::size_t>(s)]);
        const bool serial = start[static_cast<std::size_t>(s) + 1] > start[static_cast<std::size_t>(s)] &&
                            col[at] == 0 && val[at] >= 1 && val[at] <= 2147483647 &&
                            val[at] == static_cast<double>(static_cast<index>(val[at]));
        if (!serial)
            fail(errc::parse, fmt::format("{}: support vector {}: expected 0:serial, the number of a training "
                                          "example >= 1 (precomputed kernel), got none",
                                          name, s + 1));
        model.support_rows.push_back(static_cast<index>(val[at]) - 1);
        model.training_size = std::max(model.training_size, static_cast<index>(val[at]));
    }
}

}  // namespace

bool is_libsvm_model_prefix(std::string_view text) {
    for (std::string_view line; detail::next_line(text, line);)
        if (const std::string_view key = next_token(line); !key.empty()) return key == "SV" || is_key(key);
    return true;
}

svm_model parse_libsvm_model(std::string_view text, const std::string& name, bool zero_based) {
    constexpr const char* task_names[] = {"c_svc", "nu_svc", "one_class", "epsilon_svr", "nu_svr"};
    constexpr const char* kernel_names[] = {"linear", "polynomial", "rbf", "sigmoid", "precomputed"};
    constexpr index many = 2147483647;
    const header head(text, name);
    svm_model model;
    model.task = static_cast<svm_task>(head.choice("svm_type", task_names));
    libsvm_kernel k{static_cast<libsvm_kernel::kind>(head.choice("kernel_type", kernel_names)), 3, 1, 0};
    if (head.has("degree")) k.degree = static_cast<int>(head.whole("degree", 0, many));
    k.gamma = head.number("gamma", 1);
    k.coef0 = head.number("coef0", 0);
    model.k = k.make();
    if (model.k) model.kernel_text = model.k->text();
    const index classes = head.whole("nr_class", 1, many), count = head.whole("total_sv", 0, many);
    if (!model.is_classifier() && classes != 2)
        head.bad(head.line("nr_class"),
                 fmt::format("nr_class: must be 2 for {}, got {}", task_names[static_cast<int>(model.task)], classes));
    const index problems = class_problems(classes, multiclass::one_vs_one).count();
    model.offset = head.numbers("rho", problems);
    for (double& b : model.offset) b = b == 0 ? 0.0 : -b;
    model.reports.resize(model.offset.size());
    if (model.is_classifier()) {
        model.classes = head.numbers("label", classes);
        model.class_support = head.wholes("nr_sv", classes, 0, many);
        index sum = 0;
        for (const index each : model.class_support) sum += each;
        if (sum != count)
            head.bad(head.line("nr_sv"), fmt::format("nr_sv: must add up to total_sv = {}, got {}", count, sum));
    }
    if (head.has("probA")) {
        calibration made;
        if (!model.is_classifier()) {
            made.sigma = head.numbers("probA", 1)[0];
        } else {
            made.A = head.numbers("probA", problems);
            made.B = head.numbers("probB", problems);
        }
        model.probability = std::move(made);
    }
    const bool precomputed = !model.k;
    read_body(model, head, text, name, model.is_classifier() ? classes - 1 : 1, count,
              zero_based || precomputed ? 0 : 1);
    return model;
}

}  // namespace mercer

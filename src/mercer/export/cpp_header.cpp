#include "mercer/export/cpp_header.h"

#include <fmt/format.h>

#include <algorithm>
#include <cctype>
#include <set>
#include <span>

#include "mercer/base/error.h"
#include "mercer/export/kernel_formula.h"

namespace mercer::api {
namespace {

using rule = model_computation::rule;
using probability_form = model_computation::probability;
using op = formula::op;

// Returns a literal that C++ reads as the same double, never as an int.
std::string cpp_number(double value) {
    std::string out = fmt::format("{}", value);
    return out.find_first_of(".e") == std::string::npos ? out + ".0" : out;
}

// Returns "{1.0, 2.0, 3.0}".
std::string cpp_list(std::span<const double> values) {
    std::string out = "{";
    for (std::size_t i = 0; i < values.size(); ++i) out += (i ? ", " : "") + cpp_number(values[i]);
    return out + "}";
}

// A statistic of two vectors: its name, its start value, and the code that updates s with coordinate a.
struct statistic_code {
    op what;
    const char* name;
    const char* start;
    const char* each;
};
constexpr statistic_code statistics[] = {
    {op::dot, "dot", "0.0", "s += x[a] * z[a]"},
    {op::squared_distance, "squared_distance", "0.0", "s += (x[a] - z[a]) * (x[a] - z[a])"},
    {op::manhattan, "manhattan", "0.0", "s += std::fabs(x[a] - z[a])"},
    {op::chi2, "chi2", "0.0", "s += x[a] + z[a] == 0.0 ? 0.0 : (x[a] - z[a]) * (x[a] - z[a]) / (x[a] + z[a])"},
    {op::min_sum, "min_sum", "0.0", "s += x[a] < z[a] ? x[a] : z[a]"},
    {op::product, "product", "1.0", "s *= 1.0 + x[a] * z[a]"}};

std::string map_code(const formula& f, int space) {
    const formula::map& m = f.maps[static_cast<std::size_t>(space) - 1];
    const index before = f.dims[static_cast<std::size_t>(m.from)];
    std::string out = fmt::format("inline void map{}(const double* x, double* to) {{\n", space);
    if (m.what == formula::map::kind::columns) {
        for (std::size_t a = 0; a < m.columns.size(); ++a) out += fmt::format("    to[{}] = x[{}];\n", a, m.columns[a]);
    } else if (m.what == formula::map::kind::linear) {
        out += fmt::format("    static constexpr double rows[{}][{}] = {{\n", m.rows.size(), before);
        for (const auto& row : m.rows) out += fmt::format("        {},\n", cpp_list(row));
        out += fmt::format("    }};\n    for (std::size_t a = 0; a < {}; ++a) to[a] = dot(rows[a], x, {});\n",
                           m.rows.size(), before);
    } else {
        out += fmt::format(
            "    for (std::size_t a = 0; a < {0}; ++a) {{\n"
            "        const double angle = 6.283185307179586 * (std::remainder(x[a], {1}) / {1});\n"
            "        to[a] = std::cos(angle);\n        to[{0} + a] = std::sin(angle);\n    }}\n",
            before, cpp_number(m.period));
    }
    return out + "}\n";
}

std::string step_code(const formula& f, const formula::step& s) {
    const std::string a = fmt::format("t{}", s.a), b = fmt::format("t{}", s.b), c = cpp_number(s.c);
    switch (s.what) {
        case op::number: return c;
        case op::add: return a + " + " + b;
        case op::subtract: return a + " - " + b;
        case op::multiply: return a + " * " + b;
        case op::divide: return a + " / " + b;
        case op::exp: return "std::exp(" + a + ")";
        case op::log1p: return "std::log1p(" + a + ")";
        case op::sqrt: return "std::sqrt(" + a + ")";
        case op::tanh: return "std::tanh(" + a + ")";
        case op::at_most: return a + " < " + c + " ? " + a + " : " + c;
        case op::power: return "std::pow(" + a + ", " + c + ")";
        case op::over_root: return b + " > 0.0 ? " + a + " / std::sqrt(" + b + ") : 0.0";
        default: break;
    }
    const std::string number = s.space == 0 ? "" : std::to_string(s.space);
    const char* const first = s.of == formula::pair::zz ? "z" : "x";
    const char* const second = s.of == formula::pair::xx ? "x" : "z";
    return fmt::format("{}({}{}, {}{}, {})", std::ranges::find(statistics, s.what, &statistic_code::what)->name, first,
                       number, second, number, f.dims[static_cast<std::size_t>(s.space)]);
}

// Returns the code of `inline double kernel(const double* x, const double* z)` and of the functions that it calls.
std::string cpp_kernel(const formula& f) {
    std::string out, body;
    const auto needed = [&](op what) {
        const bool by_map = what == op::dot && std::ranges::any_of(f.maps, [](const formula::map& m) {
                                return m.what == formula::map::kind::linear;
                            });
        return by_map || std::ranges::find(f.steps, what, &formula::step::what) != f.steps.end();
    };
    for (const auto& [what, name, start, each] : statistics)
        if (needed(what))
            out += fmt::format(
                "inline double {}(const double* x, const double* z, std::size_t n) {{\n"
                "    double s = {};\n    for (std::size_t a = 0; a < n; ++a) {};\n    return s;\n}}\n",
                name, start, each);
    for (std::size_t m = 0; m < f.maps.size(); ++m) {
        const int space = static_cast<int>(m) + 1;
        const std::string from = f.maps[m].from == 0 ? "" : std::to_string(f.maps[m].from);
        out += map_code(f, space);
        body += fmt::format("    double x{0}[{1}], z{0}[{1}];\n    map{0}(x{2}, x{0});\n    map{0}(z{2}, z{0});\n",
                            space, f.maps[m].dims, from);
    }
    for (std::size_t i = 0; i < f.steps.size(); ++i)
        body += fmt::format("    const double t{} = {};\n", i, step_code(f, f.steps[i]));
    return out + fmt::format("inline double kernel({}) {{\n{}    return t{};\n}}\n",
                             f.depends_on_pair() || !f.maps.empty() ? "const double* x, const double* z"
                                                                    : "const double*, const double*",
                             body, f.steps.size() - 1);
}

std::string quoted(const std::string& text) {
    std::string out = "\"";
    for (const char c : text) {
        const auto byte = static_cast<unsigned char>(c);
        if (c == '"' || c == '\\')
            out += std::string{'\\', c};
        else if (byte < 32 || byte > 126)
            out += fmt::format("\\{:03o}", byte);
        else
            out += c;
    }
    return out + '"';
}

std::string quoted_list(const std::vector<std::string>& names) {
    std::string out = "{";
    for (std::size_t i = 0; i < names.size(); ++i) out += (i ? ", " : "") + quoted(names[i]);
    return out + "}";
}

std::string constant(const char* name, const std::string& size, std::span<const double> values) {
    return fmt::format("inline constexpr double {}[{}] = {};\n", name, size, cpp_list(values));
}

std::string table(const char* name, const std::string& size, const matrix<double>& values) {
    std::string out = fmt::format("inline constexpr double {}{} = {{\n", name, size);
    for (index i = 0; i < values.rows(); ++i)
        out += "    " + cpp_list({values.row(i), static_cast<std::size_t>(values.cols())}) + ",\n";
    return out + "};\n";
}

class header_writer {
public:
    explicit header_writer(const model_computation& c) : c_(c) {}

    std::string write(const std::string& space) {
        const std::string with = c_.kernel_text.empty() ? "" : " with " + c_.kernel_text;
        std::string out = fmt::format(
            "// A fitted model of {0}{1}, written by `mercer convert`. It needs nothing but the standard library of "
            "C++17.\n//\n//     const double x[{2}::features] = {{...}};\n//     const double answer = "
            "{2}::predict(x);\n"
            "{3}#pragma once\n\n#include <algorithm>\n#include <cmath>\n#include <cstddef>\n#include <vector>\n\n"
            "namespace {2} {{\n\n",
            c_.method, with, space,
            c_.names.empty() ? "" : fmt::format("//     const char* name = {}::class_name(answer);\n", space));
        out += facts() + "\nnamespace detail {\n\n" + constants();
        if (c_.k) out += "\n" + cpp_kernel(make_formula(*c_.k, c_.dims));
        out += scaled();
        out += "\n}  // namespace detail\n\n";
        out += c_.decision == rule::neighbours ? neighbours() : decide();
        if (c_.probability_form != probability_form::none) out += "\n" + probabilities();
        out += "\n" + predict();
        if (!c_.names.empty()) out += "\n" + class_name();
        return out + fmt::format("\n}}  // namespace {}\n", space);
    }

private:
    index functions() const { return c_.decision == rule::neighbours ? c_.targets.cols() : c_.functions(); }

    std::string facts() const {
        std::string out =
            fmt::format("inline constexpr std::size_t features = {};  // coordinates of an object\n", c_.dims);
        if (static_cast<index>(c_.feature_names.size()) == c_.dims)
            out += fmt::format("inline constexpr const char* feature_names[features] = {};\n",
                               quoted_list(c_.feature_names));
        if (!c_.labels.empty()) {
            out += fmt::format("inline constexpr std::size_t classes = {};\n", c_.labels.size());
            out += constant("labels", "classes", c_.labels);
        }
        if (!c_.names.empty())
            out +=
                fmt::format("inline constexpr const char* class_names[classes] = {};\n", quoted_list(c_.label_texts()));
        return out + fmt::format("inline constexpr std::size_t functions = {};  // numbers that decide() gives\n",
                                 functions());
    }

    std::string constants() const {
        std::string out;
        if (!c_.shift.empty())
            out += constant("shift", "features", c_.shift) + constant("factor", "features", c_.factor) +
                   constant("base", "features", c_.base);
        if (c_.k)
            out += fmt::format("inline constexpr std::size_t points = {};\n", c_.points.rows()) +
                   table("point", "[points][features]", c_.points);
        if (c_.decision == rule::neighbours) {
            out += table("says", "[points][functions]", c_.targets) + constant("self", "points", c_.self);
            if (!c_.weight.empty()) out += constant("weight", "points", c_.weight);
            return out;
        }
        return out + table("coef", c_.k ? "[points][functions]" : "[features][functions]", c_.coef) +
               constant("offset", "functions", c_.offset);
    }

    std::string scaled() const {
        if (c_.shift.empty()) return "";
        return "\ninline void scale(const double* x, double* to) {\n"
               "    for (std::size_t a = 0; a < features; ++a) to[a] = (x[a] - shift[a]) * factor[a] + base[a];\n}\n";
    }
    std::string start() const {
        return c_.shift.empty() ? "    using namespace detail;\n"
                                : "    using namespace detail;\n    double scaled[features];\n    scale(x, scaled);\n"
                                  "    x = scaled;\n";
    }

    std::string decide() const {
        return fmt::format(
                   "// The functions that predictions come from.\n"
                   "inline void decide(const double* x, double* f) {{\n{}"
                   "    for (std::size_t j = 0; j < functions; ++j) f[j] = 0.0;\n",
                   start()) +
               (c_.k ? "    for (std::size_t s = 0; s < points; ++s) {\n"
                       "        const double k = kernel(x, point[s]);\n"
                       "        for (std::size_t j = 0; j < functions; ++j) f[j] += coef[s][j] * k;\n    }\n"
                     : "    for (std::size_t a = 0; a < features; ++a)\n"
                       "        for (std::size_t j = 0; j < functions; ++j) f[j] += coef[a][j] * x[a];\n") +
               "    for (std::size_t j = 0; j < functions; ++j) f[j] += offset[j];\n}\n";
    }

    // The squared distance is k(x, x) + k(z, z) - 2k(x, z); of equally near points the first one is taken.
    std::string neighbours() const {
        const std::string vote = c_.weighted_by_distance
                                     ? "std::sqrt(near[0]) == 0.0 ? (d == 0.0 ? 1.0 : 0.0) : std::sqrt(near[0]) / d"
                                     : "1.0";
        return fmt::format(
            "// {}\ninline void decide(const double* x, double* f) {{\n{}"
            "    const double own = kernel(x, x);\n"
            "    std::vector<std::size_t> order(points);\n    std::vector<double> far(points), near({});\n"
            "    for (std::size_t s = 0; s < points; ++s) {{\n        order[s] = s;\n"
            "        far[s] = std::max(0.0, own + self[s] - 2.0 * kernel(x, point[s]));\n    }}\n"
            "    std::partial_sort(order.begin(), order.begin() + {}, order.end(), [&](std::size_t a, std::size_t b) "
            "{{\n"
            "        return far[a] < far[b] || (far[a] == far[b] && a < b);\n    }});\n"
            "    for (std::size_t i = 0; i < near.size(); ++i) near[i] = far[order[i]];\n"
            "    double sum = 0.0;\n    for (std::size_t j = 0; j < functions; ++j) f[j] = 0.0;\n"
            "    for (std::size_t i = 0; i < near.size(); ++i) {{\n{}"
            "        const double vote = ({}){};\n        sum += vote;\n"
            "        for (std::size_t j = 0; j < functions; ++j) f[j] += vote * says[order[i]][j];\n    }}\n"
            "    for (std::size_t j = 0; j < functions; ++j) f[j] /= sum;\n}}\n",
            c_.is_regression() ? "The mean of the nearest." : "Shares of the votes.", start(), c_.neighbours,
            c_.neighbours, c_.weighted_by_distance ? "        const double d = std::sqrt(near[i]);\n" : "", vote,
            c_.weight.empty() ? "" : " * weight[order[i]]");
    }

    std::string probabilities() const {
        const std::string head =
            "// Of each class, in the order of labels.\n"
            "inline void probabilities(const double* x, double* p) {\n    double f[functions];\n    decide(x, f);\n";
        if (c_.probability_form == probability_form::softmax)
            return head +
                   "    double sum = 0.0;\n    const double most = *std::max_element(f, f + functions);\n"
                   "    for (std::size_t j = 0; j < functions; ++j) sum += p[j] = std::exp(f[j] - most);\n"
                   "    for (std::size_t j = 0; j < functions; ++j) p[j] /= sum;\n}\n";
        if (c_.probability_form == probability_form::logistic)
            return head + "    p[1] = 1.0 / (1.0 + std::exp(-f[0]));\n    p[0] = 1.0 - p[1];\n}\n";
        return head + fmt::format("    p[0] = 1.0 / (1.0 + std::exp({} * f[0] + {}));\n    p[1] = 1.0 - p[0];\n}}\n",
                                  cpp_number(c_.slope), cpp_number(c_.intercept));
    }

    std::string predict() const {
        const char* about = c_.is_regression()
                                ? functions() == 1 ? "The value." : "The first of the functions; decide() gives all."
                            : c_.gives == target_kind::sides    ? "1 inside, -1 outside."
                            : c_.gives == target_kind::clusters ? "The number of the cluster."
                                                                : "The label of the class.";
        return fmt::format(
            "// {}\ninline double predict(const double* x) {{\n    double f[functions];\n    decide(x, f);\n{}}}\n",
            about, answer_code());
    }

    std::string answer_code() const {
        const std::string largest = "    return labels[std::max_element(f, f + functions) - f];\n";
        switch (c_.decision) {
            case rule::values: return "    return f[0];\n";
            case rule::exponential: return "    return std::exp(f[0]);\n";
            case rule::logarithm: return fmt::format("    return std::log(f[0]) - {};\n", cpp_number(c_.scale));
            case rule::sign:
                return fmt::format("    return f[0] {} 0.0 ? labels[{}] : labels[{}];\n",
                                   c_.zero_is_positive ? ">=" : ">", c_.positive, 1 - c_.positive);
            case rule::largest: return largest;
            case rule::neighbours: return c_.is_regression() ? "    return f[0];\n" : largest;
            case rule::votes: break;
        }
        return "    int votes[classes] = {};\n    std::size_t pair = 0;\n"
               "    for (std::size_t a = 0; a < classes; ++a)\n"
               "        for (std::size_t b = a + 1; b < classes; ++b) ++votes[f[pair++] > 0.0 ? a : b];\n"
               "    return labels[std::max_element(votes, votes + classes) - votes];\n";
    }

    static std::string class_name() {
        return "// The name of what predict() said.\ninline const char* class_name(double label) {\n"
               "    for (std::size_t c = 0; c < classes; ++c)\n        if (labels[c] == label) return class_names[c];\n"
               "    return \"\";\n}\n";
    }

    const model_computation& c_;
};

}  // namespace

std::string make_cpp_identifier(std::string name) {
    for (char& c : name)
        if (!std::isalnum(static_cast<unsigned char>(c)) || static_cast<unsigned char>(c) > 127) c = '_';
    if (name.empty() || std::isdigit(static_cast<unsigned char>(name[0]))) name = "model_" + name;
    // Keywords, and names at global scope that cannot be the name of a namespace.
    static const std::set<std::string> taken = {
        "alignas",  "alignof",  "and",     "asm",     "auto",      "bool",     "break",    "case",      "catch",
        "char",     "class",    "concept", "const",   "constexpr", "continue", "decltype", "default",   "delete",
        "do",       "double",   "else",    "enum",    "explicit",  "export",   "extern",   "false",     "float",
        "for",      "friend",   "goto",    "if",      "inline",    "int",      "long",     "mutable",   "namespace",
        "new",      "noexcept", "not",     "nullptr", "operator",  "or",       "private",  "protected", "public",
        "register", "requires", "return",  "short",   "signed",    "sizeof",   "static",   "std",       "struct",
        "switch",   "template", "this",    "throw",   "true",      "try",      "typedef",  "typename",  "union",
        "unsigned", "using",    "virtual", "void",    "volatile",  "while",    "xor",      "exp",       "log",
        "sqrt",     "main",     "detail"};
    return taken.contains(name) ? name + "_" : name;
}

std::string write_cpp_header(const model_computation& c, const std::string& space) {
    constexpr index most = 20'000'000;
    const index numbers = c.points.rows() * c.points.cols() + c.coef.rows() * c.coef.cols();
    if (numbers > most)
        fail(errc::unsupported, fmt::format("the C++ header would have {} numbers, more than the {} that compilers "
                                            "accept: convert the model to .onnx",
                                            numbers, most));
    return header_writer(c).write(space);
}

}  // namespace mercer::api

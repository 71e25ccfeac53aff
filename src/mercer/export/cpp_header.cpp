#include "mercer/export/cpp_header.h"

#include <fmt/format.h>

#include <algorithm>
#include <cctype>
#include <set>

#include "mercer/base/error.h"
#include "mercer/export/cpp_kernel.h"

namespace mercer::api {
namespace {

using rule = computation::rule;
using chances = computation::probability;

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
    explicit header_writer(const computation& c) : c_(c) {}

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
        if (c_.k) out += "\n" + cpp_kernel(formula_of(*c_.k, c_.dims));
        out += scaled();
        out += "\n}  // namespace detail\n\n";
        out += c_.how == rule::neighbours ? neighbours() : decide();
        if (c_.chances != chances::none) out += "\n" + probabilities();
        out += "\n" + predict();
        if (!c_.names.empty()) out += "\n" + class_name();
        return out + fmt::format("\n}}  // namespace {}\n", space);
    }

private:
    index functions() const { return c_.how == rule::neighbours ? c_.says.cols() : c_.functions(); }

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
        if (c_.how == rule::neighbours) {
            out += table("says", "[points][functions]", c_.says) + constant("self", "points", c_.self);
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

    // Distances come as k(x, x) + k(z, z) - 2k(x, z); of equally near points the first is taken.
    std::string neighbours() const {
        const std::string vote =
            c_.by_distance ? "std::sqrt(near[0]) == 0.0 ? (d == 0.0 ? 1.0 : 0.0) : std::sqrt(near[0]) / d" : "1.0";
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
            c_.neighbours, c_.by_distance ? "        const double d = std::sqrt(near[i]);\n" : "", vote,
            c_.weight.empty() ? "" : " * weight[order[i]]");
    }

    std::string probabilities() const {
        const std::string head =
            "// Of each class, in the order of labels.\n"
            "inline void probabilities(const double* x, double* p) {\n    double f[functions];\n    decide(x, f);\n";
        if (c_.chances == chances::softmax)
            return head +
                   "    double sum = 0.0;\n    const double most = *std::max_element(f, f + functions);\n"
                   "    for (std::size_t j = 0; j < functions; ++j) sum += p[j] = std::exp(f[j] - most);\n"
                   "    for (std::size_t j = 0; j < functions; ++j) p[j] /= sum;\n}\n";
        if (c_.chances == chances::logistic)
            return head + "    p[1] = 1.0 / (1.0 + std::exp(-f[0]));\n    p[0] = 1.0 - p[1];\n}\n";
        return head + fmt::format("    p[0] = 1.0 / (1.0 + std::exp({} * f[0] + {}));\n    p[1] = 1.0 - p[0];\n}}\n",
                                  cpp_number(c_.slope), cpp_number(c_.intercept));
    }

    std::string predict() const {
        const char* about = c_.is_regression()
                                ? functions() == 1 ? "The value." : "The first of the functions; decide() gives all."
                            : c_.gives == answer::sides    ? "1 inside, -1 outside."
                            : c_.gives == answer::clusters ? "The number of the cluster."
                                                           : "The label of the class.";
        return fmt::format(
            "// {}\ninline double predict(const double* x) {{\n    double f[functions];\n    decide(x, f);\n{}}}\n",
            about, answer_code());
    }

    std::string answer_code() const {
        const std::string largest = "    return labels[std::max_element(f, f + functions) - f];\n";
        switch (c_.how) {
            case rule::values: return "    return f[0];\n";
            case rule::exponential: return "    return std::exp(f[0]);\n";
            case rule::logarithm: return fmt::format("    return std::log(f[0]) - {};\n", cpp_number(c_.scale));
            case rule::sign:
                return fmt::format("    return f[0] {} 0.0 ? labels[{}] : labels[{}];\n", c_.zero_is_first ? ">=" : ">",
                                   c_.positive, 1 - c_.positive);
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

    const computation& c_;
};

}  // namespace

std::string cpp_identifier(std::string name) {
    for (char& c : name)
        if (!std::isalnum(static_cast<unsigned char>(c)) || static_cast<unsigned char>(c) > 127) c = '_';
    if (name.empty() || std::isdigit(static_cast<unsigned char>(name[0]))) name = "model_" + name;
    // Words of the language, and names at global scope that a namespace cannot share.
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

std::string cpp_header(const computation& c, const std::string& space) {
    constexpr index most = 20'000'000;
    const index numbers = c.points.rows() * c.points.cols() + c.coef.rows() * c.coef.cols();
    if (numbers > most)
        fail(errc::unsupported,
             fmt::format("a header of {} numbers is more than compilers take ({} at most): convert the "
                         "model to .onnx",
                         numbers, most));
    return header_writer(c).write(space);
}

}  // namespace mercer::api

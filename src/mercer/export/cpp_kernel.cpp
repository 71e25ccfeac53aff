#include "mercer/export/cpp_kernel.h"

#include <fmt/format.h>

#include <algorithm>

namespace mercer::api {
namespace {

using op = formula::op;

// A statistic of n coordinates: its name, and what one coordinate adds (or multiplies).
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

}  // namespace

std::string cpp_number(double value) {
    std::string out = fmt::format("{}", value);
    return out.find_first_of(".e") == std::string::npos ? out + ".0" : out;
}

std::string cpp_list(std::span<const double> values) {
    std::string out = "{";
    for (std::size_t i = 0; i < values.size(); ++i) out += (i ? ", " : "") + cpp_number(values[i]);
    return out + "}";
}

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
                             f.sees_both() || !f.maps.empty() ? "const double* x, const double* z"
                                                              : "const double*, const double*",
                             body, f.steps.size() - 1);
}

}  // namespace mercer::api

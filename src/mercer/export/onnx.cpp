// A kernel as ONNX operators. Values of pairs are n × m tensors, those of x with itself n × 1 and of z with itself 1 ×
// m, so that every step works on them alike.
#include "mercer/export/onnx.h"

#include <optional>

#include "mercer/base/error.h"

namespace mercer::api {
namespace {

using op = formula::op;
using pair = formula::pair;

class kernel_graph {
public:
    kernel_graph(onnx_graph& out, const formula& f, std::string x, std::string z) : out_(out), f_(f) {
        spaces_.push_back({std::move(x), std::move(z)});
        for (const formula::map& m : f.maps) {
            const auto& from = spaces_[static_cast<std::size_t>(m.from)];
            spaces_.push_back({mapped(m, from.x), mapped(m, from.z)});
        }
    }

    std::string write() {
        std::vector<std::string> t;
        for (const formula::step& s : f_.steps) t.push_back(step(s, t));
        if (f_.sees_both()) return t.back();
        // A constant for every pair.
        const std::string none = out_.node("Mul", {spaces_[0].z, out_.number(0)});
        return out_.node("Add", {products(spaces_[0].x, none), t.back()});
    }

private:
    struct space {
        std::string x, z;
    };

    // xᵀz of all pairs. Not MatMul: onnxruntime takes a factor behind it for its own, and rounds it to float.
    std::string products(const std::string& x, const std::string& z) {
        return out_.node("Gemm", {x, z}, {{"transB", std::int64_t{1}}});
    }
    std::string turned(const std::string& a) { return out_.node("Transpose", {a}); }
    std::string whole(std::int64_t value) { return out_.wholes(std::span(&value, 1)); }
    std::string row_sums(const std::string& a) { return out_.node("ReduceSum", {a, whole(1)}); }

    std::string mapped(const formula::map& m, const std::string& from) {
        if (m.what == formula::map::kind::columns) {
            const std::vector<std::int64_t> which(m.columns.begin(), m.columns.end());
            return out_.node("Gather", {from, out_.wholes(which)}, {{"axis", std::int64_t{1}}});
        }
        if (m.what == formula::map::kind::linear) {
            matrix<double> rows(static_cast<index>(m.rows.size()), f_.dims[static_cast<std::size_t>(m.from)]);
            for (index i = 0; i < rows.rows(); ++i) std::ranges::copy(m.rows[static_cast<std::size_t>(i)], rows.row(i));
            return products(from, out_.numbers(rows));
        }
        // cos t = sin(t + π/2): runtimes have the sine in double, not all of them the cosine
        const std::string turns = out_.node("Div", {from, out_.number(m.period)});
        const std::string rest = out_.node("Sub", {turns, out_.node("Round", {turns})});
        const std::string angle = out_.node("Mul", {rest, out_.number(6.283185307179586)});
        const std::string cosine = out_.node("Sin", {out_.node("Add", {angle, out_.number(1.5707963267948966)})});
        return out_.node("Concat", {cosine, out_.node("Sin", {angle})}, {{"axis", std::int64_t{1}}});
    }

    std::string step(const formula::step& s, const std::vector<std::string>& t) {
        const auto a = [&] { return t[static_cast<std::size_t>(s.a)]; };
        const auto b = [&] { return t[static_cast<std::size_t>(s.b)]; };
        switch (s.what) {
            case op::number: return out_.number(s.c);
            case op::add: return out_.node("Add", {a(), b()});
            case op::subtract: return out_.node("Sub", {a(), b()});
            case op::multiply: return out_.node("Mul", {a(), b()});
            case op::divide: return out_.node("Div", {a(), b()});
            case op::exp: return out_.node("Exp", {a()});
            case op::log1p: return out_.node("Log", {out_.node("Add", {a(), out_.number(1)})});
            case op::sqrt: return out_.node("Sqrt", {a()});
            case op::tanh: return out_.node("Tanh", {a()});
            case op::at_most: return out_.node("Min", {a(), out_.number(s.c)});
            case op::power: return out_.node("Pow", {a(), out_.number(s.c)});
            case op::over_root: {
                const std::string positive = out_.node("Greater", {b(), out_.number(0)});
                return out_.node("Where",
                                 {positive, out_.node("Div", {a(), out_.node("Sqrt", {b()})}), out_.number(0)});
            }
            default: return s.of == pair::xz ? of_pairs(s) : of_itself(s);
        }
    }

    // A statistic of each object with itself.
    std::string of_itself(const formula::step& s) {
        const space& at = spaces_[static_cast<std::size_t>(s.space)];
        const std::string& x = s.of == pair::xx ? at.x : at.z;
        std::string sum;
        if (s.what == op::min_sum) {
            sum = row_sums(x);
        } else {
            const std::string squares = out_.node("Mul", {x, x});
            sum = s.what == op::dot ? row_sums(squares) : product(out_.node("Add", {squares, out_.number(1)}), s, 1);
        }
        return s.of == pair::zz ? turned(sum) : sum;
    }

    std::string of_pairs(const formula::step& s) {
        const space& at = spaces_[static_cast<std::size_t>(s.space)];
        if (s.what == op::dot) return products(at.x, at.z);
        if (s.what == op::squared_distance) return squared_distance(at);
        // n × m × d
        const std::string x = out_.node("Unsqueeze", {at.x, whole(1)});
        const auto sum = [&](const std::string& of) {
            return out_.node("ReduceSum", {of, whole(2)}, {{"keepdims", std::int64_t{0}}});
        };
        if (s.what == op::min_sum) return sum(out_.node("Min", {x, at.z}));
        if (s.what == op::product)
            return product(out_.node("Add", {out_.node("Mul", {x, at.z}), out_.number(1)}), s, 2);
        const std::string difference = out_.node("Sub", {x, at.z});
        if (s.what == op::manhattan) return sum(out_.node("Abs", {difference}));
        // 0/0 = 0: both are 0 where their sum is
        const std::string below = out_.node("Max", {out_.node("Add", {x, at.z}), out_.number(1e-300)});
        return sum(out_.node("Div", {out_.node("Mul", {difference, difference}), below}));
    }

    // ‖x‖² + ‖z‖² - 2xᵀz, both measured from the mean of z so that little cancels.
    std::string squared_distance(const space& at) {
        const std::string mean = out_.node("ReduceMean", {at.z}, {{"axes", std::vector<std::int64_t>{0}}});
        const std::string x = out_.node("Sub", {at.x, mean}), z = out_.node("Sub", {at.z, mean});
        const std::string norms =
            out_.node("Add", {row_sums(out_.node("Mul", {x, x})), turned(row_sums(out_.node("Mul", {z, z})))});
        const std::string twice = out_.node("Mul", {products(x, z), out_.number(2)});
        return out_.node("Max", {out_.node("Sub", {norms, twice}), out_.number(0)});
    }

    // Over the last axis, halves multiplied with halves: runtimes have no product of doubles.
    std::string product(std::string of, const formula::step& s, std::int64_t axis) {
        for (index left = f_.dims[static_cast<std::size_t>(s.space)]; left > 1; left -= left / 2) {
            const index half = left / 2;
            const auto part = [&](std::int64_t from, std::int64_t to) {
                return out_.node("Slice", {of, whole(from), whole(to), whole(axis)});
            };
            const std::string both = out_.node("Mul", {part(0, half), part(half, 2 * half)});
            of = left % 2 ? out_.node("Concat", {both, part(2 * half, left)}, {{"axis", axis}}) : both;
        }
        return axis == 1 ? of : out_.node("Squeeze", {of, whole(axis)});
    }

    onnx_graph& out_;
    const formula& f_;
    std::vector<space> spaces_;
};

}  // namespace

std::string onnx_kernel(onnx_graph& out, const formula& k, const std::string& x, const std::string& z) {
    return kernel_graph(out, k, x, z).write();
}

}  // namespace mercer::api

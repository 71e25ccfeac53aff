#include "mercer/export/onnx.h"

#include <fmt/format.h>

#include <algorithm>
#include <nlohmann/json.hpp>
#include <optional>
#include <utility>

#include "mercer/base/error.h"
#include "mercer/export/kernel_formula.h"
#include "mercer/export/model_computation.h"
#include "mercer/export/onnx_graph.h"
#include "mercer/methods/svm/libsvm_model.h"
#include "mercer/methods/svm/svm_model.h"

namespace mercer::api {
namespace {

using op = formula::op;
using pair = formula::pair;
using type = onnx_graph::type;
using rule = model_computation::rule;
using probability_form = model_computation::probability;

// Writes a kernel as ONNX operators. Values of pairs (x, z) are n × m tensors, values of (x, x) are n × 1 and values of
// (z, z) 1 × m, so that broadcasting lets every step combine them.
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
        if (f_.depends_on_pair()) return t.back();
        // The kernel is constant or depends on one argument: add an n × m tensor of zeros for its shape.
        const std::string none = out_.node("Mul", {spaces_[0].z, out_.number(0)});
        return out_.node("Add", {inner_products(spaces_[0].x, none), t.back()});
    }

private:
    struct space {
        std::string x, z;
    };

    // xᵀz of all pairs. Gemm in place of MatMul: onnxruntime fuses MatMul with a scalar factor after it and rounds the
    // factor to float.
    std::string inner_products(const std::string& x, const std::string& z) {
        return out_.node("Gemm", {x, z}, {{"transB", std::int64_t{1}}});
    }
    std::string transposed(const std::string& a) { return out_.node("Transpose", {a}); }
    std::string whole(std::int64_t value) { return out_.integers(std::span(&value, 1)); }
    std::string row_sums(const std::string& a) { return out_.node("ReduceSum", {a, whole(1)}); }

    std::string mapped(const formula::map& m, const std::string& from) {
        if (m.what == formula::map::kind::columns) {
            const std::vector<std::int64_t> which(m.columns.begin(), m.columns.end());
            return out_.node("Gather", {from, out_.integers(which)}, {{"axis", std::int64_t{1}}});
        }
        if (m.what == formula::map::kind::linear) {
            matrix<double> rows(static_cast<index>(m.rows.size()), f_.dims[static_cast<std::size_t>(m.from)]);
            for (index i = 0; i < rows.rows(); ++i) std::ranges::copy(m.rows[static_cast<std::size_t>(i)], rows.row(i));
            return inner_products(from, out_.numbers(rows));
        }
        // cos t = sin(t + π/2): all runtimes have the sine in double, but not all have the cosine.
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
            default: return s.of == pair::xz ? pair_statistic(s) : self_statistic(s);
        }
    }

    // A statistic of each object with itself, for (x, x) or (z, z).
    std::string self_statistic(const formula::step& s) {
        const space& at = spaces_[static_cast<std::size_t>(s.space)];
        const std::string& x = s.of == pair::xx ? at.x : at.z;
        std::string sum;
        if (s.what == op::min_sum) {
            sum = row_sums(x);
        } else {
            const std::string squares = out_.node("Mul", {x, x});
            sum = s.what == op::dot ? row_sums(squares) : product(out_.node("Add", {squares, out_.number(1)}), s, 1);
        }
        return s.of == pair::zz ? transposed(sum) : sum;
    }

    std::string pair_statistic(const formula::step& s) {
        const space& at = spaces_[static_cast<std::size_t>(s.space)];
        if (s.what == op::dot) return inner_products(at.x, at.z);
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
        // 0/0 = 0: coordinates are not negative, so both are 0 if their sum is 0.
        const std::string below = out_.node("Max", {out_.node("Add", {x, at.z}), out_.number(1e-300)});
        return sum(out_.node("Div", {out_.node("Mul", {difference, difference}), below}));
    }

    // ‖x‖² + ‖z‖² - 2xᵀz, with the mean of z subtracted from both, so that little cancels.
    std::string squared_distance(const space& at) {
        const std::string mean = out_.node("ReduceMean", {at.z}, {{"axes", std::vector<std::int64_t>{0}}});
        const std::string x = out_.node("Sub", {at.x, mean}), z = out_.node("Sub", {at.z, mean});
        const std::string norms =
            out_.node("Add", {row_sums(out_.node("Mul", {x, x})), transposed(row_sums(out_.node("Mul", {z, z})))});
        const std::string twice = out_.node("Mul", {inner_products(x, z), out_.number(2)});
        return out_.node("Max", {out_.node("Sub", {norms, twice}), out_.number(0)});
    }

    // The product over the last axis, by multiplying its halves repeatedly: runtimes have no ReduceProd for doubles.
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

// Returns the tensor K(x, z), with one row per row of x. `x` and `z` are tensors of rows; z is a constant.
std::string onnx_kernel(onnx_graph& out, const formula& k, const std::string& x, const std::string& z) {
    return kernel_graph(out, k, x, z).write();
}

// TensorProto.DataType, for the operator Cast.
constexpr std::int64_t as_int64 = 7, as_double = 11;

// Writes the computation of a model as basic ONNX operators.
class operator_writer {
public:
    operator_writer(onnx_graph& out, const model_computation& c) : out_(out), c_(c) {}

    std::string decision_values(const std::string& x) {
        return c_.decision == rule::neighbours ? neighbour_mean(x) : functions(x);
    }

    void write_answers(const std::string& f) {
        const index count = c_.decision == rule::neighbours ? c_.targets.cols() : c_.functions();
        if (c_.is_regression()) {
            const bool components = c_.gives == target_kind::none;
            return out_.output(values(f), components ? "components" : "prediction", type::float64, {-1, count});
        }
        labels(class_positions(f));
        out_.output(f, "scores", type::float64, {-1, count});
        if (c_.probability_form != probability_form::none)
            out_.output(probabilities(f), "probabilities", type::float64,
                        {-1, static_cast<std::int64_t>(c_.labels.size())});
    }

private:
    std::string functions(const std::string& x) {
        std::string rows = x;
        if (c_.k) rows = onnx_kernel(out_, make_formula(*c_.k, c_.dims), x, out_.numbers(c_.points));
        return out_.node("Add", {out_.node("MatMul", {rows, out_.numbers(c_.coef)}), out_.numbers(c_.offset)});
    }

    std::string values(const std::string& f) {
        if (c_.decision == rule::exponential) return out_.node("Exp", {f});
        if (c_.decision == rule::logarithm) return out_.node("Sub", {out_.node("Log", {f}), out_.number(c_.scale)});
        return f;
    }

    std::string largest(const std::string& f) {
        return out_.node("ArgMax", {f}, {{"axis", std::int64_t{1}}, {"keepdims", std::int64_t{0}}});
    }
    std::string cast(const std::string& from, std::int64_t to) { return out_.node("Cast", {from}, {{"to", to}}); }

    void labels(const std::string& places) {
        const auto gathered = [&](const std::string& from, type of) {
            out_.output(out_.node("Gather", {from, places}), "label", of, {-1});
        };
        if (!c_.names.empty()) return gathered(out_.texts(c_.label_texts()), type::text);
        if (!c_.has_whole_labels()) return gathered(out_.numbers(c_.labels), type::float64);
        gathered(out_.integers(std::vector<std::int64_t>(c_.labels.begin(), c_.labels.end())), type::int64);
    }

    // The position of the class in `labels`, one number per object.
    std::string class_positions(const std::string& f) {
        if (c_.decision == rule::sign) {
            const std::string above =
                out_.node(c_.zero_is_positive ? "GreaterOrEqual" : "Greater", {f, out_.number(0)});
            const std::int64_t all = -1, one = 1;
            const std::string place = out_.node("Reshape", {cast(above, as_int64), out_.integers(std::span(&all, 1))});
            return c_.positive == 1 ? place : out_.node("Sub", {out_.integers(std::span(&one, 1)), place});
        }
        return largest(c_.decision == rule::votes ? votes(f) : f);
    }

    // The votes for each class: a pair (a, b) votes for a if f > 0, else for b.
    std::string votes(const std::string& f) {
        const auto k = static_cast<index>(c_.labels.size());
        matrix<double> turn(c_.functions(), k);  // the change of the votes if f > 0
        std::vector<double> start(static_cast<std::size_t>(k));
        index p = 0;
        for (index a = 0; a < k; ++a)
            for (index b = a + 1; b < k; ++b, ++p) {
                turn(p, a) = 1, turn(p, b) = -1;
                start[static_cast<std::size_t>(b)] += 1;
            }
        const std::string above = cast(out_.node("Greater", {f, out_.number(0)}), as_double);
        return out_.node("Add", {out_.node("MatMul", {above, out_.numbers(turn)}), out_.numbers(start)});
    }

    std::string probabilities(const std::string& f) {
        const attributes last{{"axis", std::int64_t{1}}};
        if (c_.probability_form == probability_form::softmax) return out_.node("Softmax", {f}, last);
        std::string of_one = f;
        if (c_.probability_form == probability_form::platt)
            of_one = out_.node("Add", {out_.node("Mul", {f, out_.number(-c_.slope)}), out_.number(-c_.intercept)});
        const std::string p = out_.node("Sigmoid", {of_one});
        const std::string rest = out_.node("Sub", {out_.number(1), p});
        return c_.probability_form == probability_form::platt ? out_.node("Concat", {p, rest}, last)
                                                              : out_.node("Concat", {rest, p}, last);
    }

    // The weighted mean of the targets of the nearest points.
    std::string neighbour_mean(const std::string& x) {
        const auto whole = [&](std::int64_t value) { return out_.integers(std::span(&value, 1)); };
        const std::string z = out_.numbers(c_.points);
        const std::string K = onnx_kernel(out_, make_formula(*c_.k, c_.dims), x, z);
        std::string far = out_.node("Sub", {out_.numbers(c_.self), out_.node("Mul", {K, out_.number(2)})});
        if (c_.weighted_by_distance) {
            const formula own = make_formula(*c_.k, c_.dims, formula::pair::xx);
            far = out_.node("Max", {out_.node("Add", {far, onnx_kernel(out_, own, x, z)}), out_.number(0)});
        }
        const auto near = out_.nodes("TopK", {far, whole(c_.neighbours)}, 2,
                                     {{"axis", std::int64_t{1}}, {"largest", std::int64_t{0}}});
        const std::string said = out_.node("Gather", {out_.numbers(c_.targets), near[1]});  // n × neighbours × answers
        if (!c_.weighted_by_distance && c_.weight.empty())
            return out_.node("ReduceMean", {said},
                             {{"axes", std::vector<std::int64_t>{1}}, {"keepdims", std::int64_t{0}}});
        std::string vote;
        if (c_.weighted_by_distance) {
            const std::string d = out_.node("Sqrt", {near[0]});
            const std::string nearest = out_.node("Slice", {d, whole(0), whole(1), whole(1)});
            const auto is_zero = [&](const std::string& a) { return out_.node("Equal", {a, out_.number(0)}); };
            vote = out_.node("Where", {is_zero(nearest), cast(is_zero(d), as_double), out_.node("Div", {nearest, d})});
        }
        if (!c_.weight.empty()) {
            const std::string weight = out_.node("Gather", {out_.numbers(c_.weight), near[1]});
            vote = vote.empty() ? weight : out_.node("Mul", {vote, weight});
        }
        const std::string sum =
            out_.node("ReduceSum", {out_.node("Mul", {out_.node("Unsqueeze", {vote, whole(2)}), said}), whole(1)},
                      {{"keepdims", std::int64_t{0}}});
        return out_.node("Div", {sum, out_.node("ReduceSum", {vote, whole(1)})});
    }

    using attributes = onnx_graph::attributes;
    onnx_graph& out_;
    const model_computation& c_;
};

std::vector<float> floats(const double* from, std::size_t count) { return {from, from + count}; }
std::vector<float> floats(const std::vector<double>& from) { return floats(from.data(), from.size()); }
std::vector<float> floats(const matrix<double>& from) {
    return floats(from.data(), static_cast<std::size_t>(from.rows() * from.cols()));
}

// Attributes of both operators of ai.onnx.ml. Their rho is the offset b itself, the negative of LIBSVM's rho.
onnx_graph::attributes svm_attributes(const svm_model& s, const matrix<double>& support, const libsvm_kernel& k) {
    constexpr const char* kinds[] = {"LINEAR", "POLY", "RBF", "SIGMOID"};
    return {{"kernel_type", std::string(kinds[static_cast<int>(k.type)])},
            {"kernel_params", std::vector<float>{static_cast<float>(k.gamma), static_cast<float>(k.coef0),
                                                 static_cast<float>(k.degree)}},
            {"coefficients", floats(s.coef)},
            {"support_vectors", floats(support)},
            {"rho", floats(s.offset)}};
}

void regressor(onnx_graph& out, const model_computation& c, const svm_model& s, onnx_graph::attributes with,
               const std::string& x) {
    with.emplace_back("n_supports", std::int64_t{s.coef.cols()});
    const std::string f = out.nodes("SVMRegressor", {x}, 1, with, "ai.onnx.ml").front();
    operator_writer(out, c).write_answers(out.node("Cast", {f}, {{"to", std::int64_t{11}}}));
}

void classifier(onnx_graph& out, const model_computation& c, const svm_model& s, onnx_graph::attributes with,
                const std::string& x) {
    const auto classes = static_cast<std::int64_t>(s.classes.size());
    with.emplace_back("vectors_per_class", std::vector<std::int64_t>(s.class_support.begin(), s.class_support.end()));
    if (c.names.empty()) {
        with.emplace_back("classlabels_ints", std::vector<std::int64_t>(s.classes.begin(), s.classes.end()));
    } else {
        with.emplace_back("classlabels_strings", c.label_texts());
    }
    const bool probability_form = s.probability && s.probability->kind == calibration::method::sigmoid;
    if (probability_form) {
        with.emplace_back("prob_a", floats(s.probability->A));
        with.emplace_back("prob_b", floats(s.probability->B));
    }
    const auto made = out.nodes("SVMClassifier", {x}, 2, with, "ai.onnx.ml");
    out.output(made[0], "label", c.names.empty() ? type::int64 : type::text, {-1});
    // For two classes the operator gives two columns, -f and f, where f > 0 means the first class.
    const std::int64_t columns = probability_form || classes == 2 ? classes : classes * (classes - 1) / 2;
    out.output(out.node("Cast", {made[1]}, {{"to", std::int64_t{11}}}), probability_form ? "probabilities" : "scores",
               type::float64, {-1, columns});
}

// Writes a support vector machine as SVMClassifier or SVMRegressor. Returns false if these cannot represent it.
bool onnx_svm(onnx_graph& out, const model_computation& c, const svm_model& s, const std::string& x) {
    const auto k = s.k ? libsvm_kernel::from_kernel(*s.k) : std::nullopt;
    index of_classes = 0;
    for (const index each : s.class_support) of_classes += each;
    const bool holds = !s.is_classifier() || (!s.pairs().is_one_vs_rest() && of_classes == s.coef.cols() &&
                                              (c.has_whole_labels() || !c.names.empty()));
    if (!k || !holds || s.coef.cols() == 0) return false;
    const matrix<double> support = dense_rows(s.support, c.dims, "an ONNX file");
    const std::string in_float = out.node("Cast", {x}, {{"to", std::int64_t{1}}});
    // For two classes with probabilities the operator SVMRegressor is used: SVMClassifier computes probabilities by
    // pairwise coupling, an iteration that ends before it has converged.
    if (s.is_classifier() && c.probability_form == model_computation::probability::none)
        classifier(out, c, s, svm_attributes(s, support, *k), in_float);
    else
        regressor(out, c, s, svm_attributes(s, support, *k), in_float);
    return true;
}

std::string json_of(const std::vector<std::string>& names) {
    return nlohmann::json(names).dump(-1, ' ', false, nlohmann::json::error_handler_t::replace);
}

}  // namespace

onnx_file write_onnx(const model& m, bool plain) {
    const model_computation c = make_computation(m, "an ONNX file");
    onnx_graph out;
    out.input("X", type::float64, {-1, c.dims});
    std::string x = "X";
    if (!c.shift.empty()) {
        const std::string moved = out.node("Sub", {x, out.numbers(c.shift)});
        x = out.node("Add", {out.node("Mul", {moved, out.numbers(c.factor)}), out.numbers(c.base)});
    }
    const auto* machine = dynamic_cast<const estimator_of<svm_model>*>(&m.inner());
    onnx_file made;
    made.in_float = machine && !plain && onnx_svm(out, c, machine->model(), x);
    if (!made.in_float) {
        operator_writer plain_operators(out, c);
        plain_operators.write_answers(plain_operators.decision_values(x));
    }
    out.add_metadata("method", c.method);
    if (!c.kernel_text.empty()) out.add_metadata("kernel", c.kernel_text);
    if (!c.feature_names.empty()) out.add_metadata("features", json_of(c.feature_names));
    made.bytes = out.bytes(c.kernel_text.empty() ? c.method : c.method + " with " + c.kernel_text);
    return made;
}

}  // namespace mercer::api

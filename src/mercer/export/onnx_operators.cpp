// What a model computes, as plain ONNX operators.
#include <algorithm>

#include "mercer/export/onnx.h"

namespace mercer::api {
namespace {

using type = onnx_graph::type;
using rule = computation::rule;
using chances = computation::probability;

// TensorProto.DataType, as the operator Cast wants it.
constexpr std::int64_t as_int64 = 7, as_double = 11;

class operators {
public:
    operators(onnx_graph& out, const computation& c) : out_(out), c_(c) {}

    std::string functions_of(const std::string& x) { return c_.how == rule::neighbours ? shares(x) : functions(x); }

    void answers(const std::string& f) {
        const index count = c_.how == rule::neighbours ? c_.says.cols() : c_.functions();
        if (c_.is_regression()) {
            const bool components = c_.gives == answer::none;
            return out_.output(values(f), components ? "components" : "prediction", type::float64, {-1, count});
        }
        labels(places(f));
        out_.output(f, "scores", type::float64, {-1, count});
        if (c_.chances != chances::none)
            out_.output(probabilities(f), "probabilities", type::float64,
                        {-1, static_cast<std::int64_t>(c_.labels.size())});
    }

private:
    std::string functions(const std::string& x) {
        std::string rows = x;
        if (c_.k) rows = onnx_kernel(out_, formula_of(*c_.k, c_.dims), x, out_.numbers(c_.points));
        return out_.node("Add", {out_.node("MatMul", {rows, out_.numbers(c_.coef)}), out_.numbers(c_.offset)});
    }

    std::string values(const std::string& f) {
        if (c_.how == rule::exponential) return out_.node("Exp", {f});
        if (c_.how == rule::logarithm) return out_.node("Sub", {out_.node("Log", {f}), out_.number(c_.scale)});
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
        if (!c_.whole_labels()) return gathered(out_.numbers(c_.labels), type::float64);
        gathered(out_.wholes(std::vector<std::int64_t>(c_.labels.begin(), c_.labels.end())), type::int64);
    }

    // Which class, one number an object.
    std::string places(const std::string& f) {
        if (c_.how == rule::sign) {
            const std::string above = out_.node(c_.zero_is_first ? "GreaterOrEqual" : "Greater", {f, out_.number(0)});
            const std::int64_t all = -1, one = 1;
            const std::string place = out_.node("Reshape", {cast(above, as_int64), out_.wholes(std::span(&all, 1))});
            return c_.positive == 1 ? place : out_.node("Sub", {out_.wholes(std::span(&one, 1)), place});
        }
        return largest(c_.how == rule::votes ? votes(f) : f);
    }

    // Σ over pairs (a, b) of a vote for a where f > 0, else for b.
    std::string votes(const std::string& f) {
        const auto k = static_cast<index>(c_.labels.size());
        matrix<double> turn(c_.functions(), k);  // what f > 0 changes
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
        if (c_.chances == chances::softmax) return out_.node("Softmax", {f}, last);
        std::string of_one = f;
        if (c_.chances == chances::platt)
            of_one = out_.node("Add", {out_.node("Mul", {f, out_.number(-c_.slope)}), out_.number(-c_.intercept)});
        const std::string p = out_.node("Sigmoid", {of_one});
        const std::string rest = out_.node("Sub", {out_.number(1), p});
        return c_.chances == chances::platt ? out_.node("Concat", {p, rest}, last)
                                            : out_.node("Concat", {rest, p}, last);
    }

    // Of the nearest points: the mean of what they say.
    std::string shares(const std::string& x) {
        const auto whole = [&](std::int64_t value) { return out_.wholes(std::span(&value, 1)); };
        const std::string z = out_.numbers(c_.points);
        const std::string K = onnx_kernel(out_, formula_of(*c_.k, c_.dims), x, z);
        std::string far = out_.node("Sub", {out_.numbers(c_.self), out_.node("Mul", {K, out_.number(2)})});
        if (c_.by_distance) {
            const formula own = formula_of(*c_.k, c_.dims, formula::pair::xx);
            far = out_.node("Max", {out_.node("Add", {far, onnx_kernel(out_, own, x, z)}), out_.number(0)});
        }
        const auto near = out_.nodes("TopK", {far, whole(c_.neighbours)}, 2,
                                     {{"axis", std::int64_t{1}}, {"largest", std::int64_t{0}}});
        const std::string said = out_.node("Gather", {out_.numbers(c_.says), near[1]});  // n × neighbours × answers
        if (!c_.by_distance && c_.weight.empty())
            return out_.node("ReduceMean", {said},
                             {{"axes", std::vector<std::int64_t>{1}}, {"keepdims", std::int64_t{0}}});
        std::string vote;
        if (c_.by_distance) {
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
    const computation& c_;
};

}  // namespace

void onnx_answers(onnx_graph& out, const computation& c, const std::string& f) { operators(out, c).answers(f); }

void onnx_operators(onnx_graph& out, const computation& c, const std::string& x) {
    operators made(out, c);
    made.answers(made.functions_of(x));
}

}  // namespace mercer::api

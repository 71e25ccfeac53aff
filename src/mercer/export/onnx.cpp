// A kernel as ONNX operators. Values of pairs are n × m tensors, those of x with itself n × 1 and of z with itself 1 ×
// m, so that every step works on them alike.

#include "mercer/export/onnx.h"

#include <fmt/format.h>

#include <algorithm>
#include <bit>
#include <nlohmann/json.hpp>
#include <optional>

#include "mercer/base/error.h"
#include "mercer/methods/svm/libsvm_model.h"

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

namespace {

constexpr int ir_version = 8, opset = 13, ml_opset = 1;
constexpr const char* ml_domain = "ai.onnx.ml";

// The numbers of the fields in onnx.proto.
namespace field {
enum model {
    model_ir_version = 1,
    producer_name = 2,
    doc_string = 6,
    graph = 7,
    opset_import = 8,
    metadata_props = 14
};
enum opset_id { opset_domain = 1, opset_version = 2 };
enum graph_fields { graph_node = 1, graph_name = 2, initializer = 5, graph_input = 11, graph_output = 12 };
enum node { node_input = 1, node_output = 2, op_type = 4, node_attribute = 5, node_domain = 7 };
enum attribute { attribute_name = 1, whole = 3, text = 4, floats = 7, wholes = 8, texts = 9, kind = 20 };
enum tensor { dims = 1, data_type = 2, string_data = 6, tensor_name = 8, raw_data = 9 };
enum value { value_name = 1, value_type = 2 };
enum tensor_type { elem_type = 1, tensor_shape = 2 };
enum dimension { dim_value = 1, dim_param = 2 };
enum pair { key = 1, pair_value = 2 };
}  // namespace field

protobuf_message attribute_message(const std::string& name, const onnx_graph::attribute_value& value) {
    protobuf_message out;
    out.text(field::attribute_name, name);
    // What kind of value it is, by the number in AttributeProto.AttributeType.
    constexpr int kinds[] = {2, 3, 6, 7, 8};
    std::visit(
        [&](const auto& some) {
            using T = std::decay_t<decltype(some)>;
            if constexpr (std::is_same_v<T, std::int64_t>) out.whole(field::whole, some);
            if constexpr (std::is_same_v<T, std::string>) out.text(field::text, some);
            if constexpr (std::is_same_v<T, std::vector<float>>) out.numbers(field::floats, some);
            if constexpr (std::is_same_v<T, std::vector<std::int64_t>>) out.wholes(field::wholes, some);
            if constexpr (std::is_same_v<T, text_list>)
                for (const std::string& each : some) out.text(field::texts, each);
        },
        value);
    out.whole(field::kind, kinds[value.index()]);
    return out;
}

protobuf_message value_message(const std::string& name, onnx_graph::type of, const onnx_graph::shape& size) {
    protobuf_message shape, tensor, type, out;
    for (const std::int64_t each : size) {
        protobuf_message dimension;
        if (each < 0)
            dimension.text(field::dim_param, "objects");
        else
            dimension.whole(field::dim_value, each);
        shape.message(1, dimension);
    }
    tensor.whole(field::elem_type, static_cast<int>(of));
    tensor.message(field::tensor_shape, shape);
    type.message(1, tensor);
    out.text(field::value_name, name);
    out.message(field::value_type, type);
    return out;
}

}  // namespace

std::string onnx_graph::tensor(type of, const shape& size, std::string_view raw) {
    const std::string name = fresh("c");
    protobuf_message out;
    out.wholes(field::dims, size);
    out.whole(field::data_type, static_cast<int>(of));
    out.text(field::tensor_name, name);
    out.text(field::raw_data, raw);
    initializers_.message(field::initializer, out);
    return name;
}

std::string onnx_graph::number(double value) {
    for (const auto& [known, name] : known_)
        if (std::bit_cast<std::uint64_t>(known) == std::bit_cast<std::uint64_t>(value)) return name;
    known_.emplace_back(value, tensor(type::float64, {}, little_endian(std::span(&value, 1))));
    return known_.back().second;
}

std::string onnx_graph::numbers(std::span<const double> values) {
    return tensor(type::float64, {static_cast<std::int64_t>(values.size())}, little_endian(values));
}

std::string onnx_graph::numbers(const matrix<double>& values) {
    return tensor(type::float64, {values.rows(), values.cols()},
                  little_endian(std::span(values.data(), static_cast<std::size_t>(values.rows() * values.cols()))));
}

std::string onnx_graph::wholes(std::span<const std::int64_t> values) {
    return tensor(type::int64, {static_cast<std::int64_t>(values.size())}, little_endian(values));
}

std::string onnx_graph::texts(std::span<const std::string> values) {
    const std::string name = fresh("c");
    protobuf_message out;
    out.whole(field::dims, static_cast<std::int64_t>(values.size()));
    out.whole(field::data_type, static_cast<int>(type::text));
    for (const std::string& each : values) out.text(field::string_data, each);
    out.text(field::tensor_name, name);
    initializers_.message(field::initializer, out);
    return name;
}

std::string onnx_graph::node(const char* op, const names& from, const attributes& with) {
    return nodes(op, from, 1, with).front();
}

onnx_graph::names onnx_graph::nodes(const char* op, const names& from, int outputs, const attributes& with,
                                    const char* domain) {
    protobuf_message out;
    names made;
    for (const std::string& each : from) out.text(field::node_input, each);
    for (int i = 0; i < outputs; ++i) made.push_back(fresh("t")), out.text(field::node_output, made.back());
    out.text(field::op_type, op);
    for (const auto& [name, value] : with) out.message(field::node_attribute, attribute_message(name, value));
    if (*domain) out.text(field::node_domain, domain);
    uses_ml_ = uses_ml_ || std::string_view(domain) == ml_domain;
    graph_.message(field::graph_node, out);
    return made;
}

void onnx_graph::input(const std::string& name, type of, const shape& size) {
    inputs_.message(field::graph_input, value_message(name, of, size));
}

void onnx_graph::output(const std::string& from, const std::string& name, type of, const shape& size) {
    protobuf_message same;
    same.text(field::node_input, from);
    same.text(field::node_output, name);
    same.text(field::op_type, "Identity");
    graph_.message(field::graph_node, same);
    inputs_.message(field::graph_output, value_message(name, of, size));
}

void onnx_graph::remark(const std::string& key, const std::string& value) {
    protobuf_message out;
    out.text(field::key, key);
    out.text(field::pair_value, value);
    remarks_.message(field::metadata_props, out);
}

std::string onnx_graph::bytes(const std::string& about) const {
    const auto import = [](std::string_view domain, int version) {
        protobuf_message out;
        if (!domain.empty()) out.text(field::opset_domain, domain);
        out.whole(field::opset_version, version);
        return out;
    };
    protobuf_message name, out;
    name.text(field::graph_name, "mercer");
    out.whole(field::model_ir_version, ir_version);
    out.text(field::producer_name, "mercer");
    out.text(field::doc_string, about);
    out.text(field::graph, graph_.bytes() + name.bytes() + initializers_.bytes() + inputs_.bytes());
    out.message(field::opset_import, import("", opset));
    if (uses_ml_) out.message(field::opset_import, import(ml_domain, ml_opset));
    std::string all = out.bytes() + remarks_.bytes();
    if (all.size() > 0x7fffffff)
        fail(errc::unsupported,
             fmt::format("the model takes {} bytes as an ONNX file, which may have 2147483647 at most", all.size()));
    return all;
}

// What a model computes, as plain ONNX operators.

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

// Support vector machines as the operators that ai.onnx.ml has for them, and ONNX files as a whole.

namespace {

using type = onnx_graph::type;

std::vector<float> floats(const double* from, std::size_t count) { return {from, from + count}; }
std::vector<float> floats(const std::vector<double>& from) { return floats(from.data(), from.size()); }
std::vector<float> floats(const matrix<double>& from) {
    return floats(from.data(), static_cast<std::size_t>(from.rows() * from.cols()));
}

// What both operators are told. Their rho is the offset b itself, the negative of LIBSVM's.
onnx_graph::attributes machine(const svm_model& s, const matrix<double>& support, const libsvm_kernel& k) {
    constexpr const char* kinds[] = {"LINEAR", "POLY", "RBF", "SIGMOID"};
    return {{"kernel_type", std::string(kinds[static_cast<int>(k.type)])},
            {"kernel_params", std::vector<float>{static_cast<float>(k.gamma), static_cast<float>(k.coef0),
                                                 static_cast<float>(k.degree)}},
            {"coefficients", floats(s.coef)},
            {"support_vectors", floats(support)},
            {"rho", floats(s.offset)}};
}

void regressor(onnx_graph& out, const computation& c, const svm_model& s, onnx_graph::attributes with,
               const std::string& x) {
    with.emplace_back("n_supports", std::int64_t{s.coef.cols()});
    const std::string f = out.nodes("SVMRegressor", {x}, 1, with, "ai.onnx.ml").front();
    onnx_answers(out, c, out.node("Cast", {f}, {{"to", std::int64_t{11}}}));
}

void classifier(onnx_graph& out, const computation& c, const svm_model& s, onnx_graph::attributes with,
                const std::string& x) {
    const auto classes = static_cast<std::int64_t>(s.classes.size());
    with.emplace_back("vectors_per_class", std::vector<std::int64_t>(s.class_support.begin(), s.class_support.end()));
    if (c.names.empty()) {
        with.emplace_back("classlabels_ints", std::vector<std::int64_t>(s.classes.begin(), s.classes.end()));
    } else {
        with.emplace_back("classlabels_strings", c.label_texts());
    }
    const bool chances = s.probability && s.probability->kind == calibration::method::sigmoid;
    if (chances) {
        with.emplace_back("prob_a", floats(s.probability->A));
        with.emplace_back("prob_b", floats(s.probability->B));
    }
    const auto made = out.nodes("SVMClassifier", {x}, 2, with, "ai.onnx.ml");
    out.output(made[0], "label", c.names.empty() ? type::int64 : type::text, {-1});
    // Of two classes there are two columns, -f and f, where f > 0 says the first class.
    const std::int64_t columns = chances || classes == 2 ? classes : classes * (classes - 1) / 2;
    out.output(out.node("Cast", {made[1]}, {{"to", std::int64_t{11}}}), chances ? "probabilities" : "scores",
               type::float64, {-1, columns});
}

}  // namespace

bool onnx_svm(onnx_graph& out, const computation& c, const svm_model& s, const std::string& x) {
    const auto k = s.k ? libsvm_kernel::of(*s.k) : std::nullopt;
    index of_classes = 0;
    for (const index each : s.class_support) of_classes += each;
    const bool holds = !s.is_classifier() || (!s.pairs().against_rest() && of_classes == s.coef.cols() &&
                                              (c.whole_labels() || !c.names.empty()));
    if (!k || !holds || s.coef.cols() == 0) return false;
    const matrix<double> support = rows_of(s.support, c.dims, "an ONNX file");
    const std::string in_float = out.node("Cast", {x}, {{"to", std::int64_t{1}}});
    // Of two classes the classifier would find probabilities by coupling, an iteration that ends early.
    if (s.is_classifier() && c.chances == computation::probability::none)
        classifier(out, c, s, machine(s, support, *k), in_float);
    else
        regressor(out, c, s, machine(s, support, *k), in_float);
    return true;
}

static std::string json_of(const std::vector<std::string>& names) {
    return nlohmann::json(names).dump(-1, ' ', false, nlohmann::json::error_handler_t::replace);
}

onnx_file onnx_of(const model& m, bool plain) {
    const computation c = computation_of(m, "an ONNX file");
    onnx_graph out;
    out.input("X", type::float64, {-1, c.dims});
    std::string x = "X";
    if (!c.shift.empty()) {
        const std::string moved = out.node("Sub", {x, out.numbers(c.shift)});
        x = out.node("Add", {out.node("Mul", {moved, out.numbers(c.factor)}), out.numbers(c.base)});
    }
    const auto* machine = dynamic_cast<const fitted_as<svm_model>*>(&m.inner());
    onnx_file made;
    made.in_float = machine && !plain && onnx_svm(out, c, machine->model(), x);
    if (!made.in_float) onnx_operators(out, c, x);
    out.remark("method", c.method);
    if (!c.kernel_text.empty()) out.remark("kernel", c.kernel_text);
    if (!c.feature_names.empty()) out.remark("features", json_of(c.feature_names));
    made.bytes = out.bytes(c.kernel_text.empty() ? c.method : c.method + " with " + c.kernel_text);
    return made;
}

namespace {

template <class Bits>
void put(std::string& out, Bits bits) {
    for (std::size_t shift = 0; shift < 8 * sizeof(Bits); shift += 8) out += static_cast<char>(bits >> shift & 0xff);
}

template <class T>
std::string laid_out(std::span<const T> values) {
    std::string out;
    out.reserve(8 * values.size());
    for (const T each : values) put(out, std::bit_cast<std::uint64_t>(each));
    return out;
}

}  // namespace

void protobuf_message::key(int field, wire type) {
    varint(static_cast<std::uint64_t>(field) << 3 | static_cast<std::uint64_t>(type));
}

// Seven bits a byte, the lowest first; the eighth says that more follow.
void protobuf_message::varint(std::uint64_t value) {
    for (; value > 0x7f; value >>= 7) bytes_ += static_cast<char>((value & 0x7f) | 0x80);
    bytes_ += static_cast<char>(value);
}

void protobuf_message::bits(float value) { put(bytes_, std::bit_cast<std::uint32_t>(value)); }

void protobuf_message::whole(int field, std::int64_t value) {
    key(field, wire::varint);
    varint(static_cast<std::uint64_t>(value));
}

void protobuf_message::number(int field, float value) {
    key(field, wire::bits32);
    bits(value);
}

void protobuf_message::text(int field, std::string_view value) {
    key(field, wire::length);
    varint(value.size());
    bytes_ += value;
}

void protobuf_message::wholes(int field, std::span<const std::int64_t> values) {
    protobuf_message all;
    for (const std::int64_t each : values) all.varint(static_cast<std::uint64_t>(each));
    message(field, all);
}

void protobuf_message::numbers(int field, std::span<const float> values) {
    protobuf_message all;
    for (const float each : values) all.bits(each);
    message(field, all);
}

std::string little_endian(std::span<const double> values) { return laid_out(values); }
std::string little_endian(std::span<const std::int64_t> values) { return laid_out(values); }

}  // namespace mercer::api

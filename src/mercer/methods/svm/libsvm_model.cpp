#include "mercer/methods/svm/libsvm_model.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>

#include "mercer/base/decimal.h"
#include "mercer/base/error.h"
#include "mercer/base/file.h"
#include "mercer/base/threads.h"
#include "mercer/io/expected_file.h"
#include "mercer/io/file_contents.h"
#include "mercer/kernels/vectors/constant.h"
#include "mercer/kernels/vectors/gaussian.h"
#include "mercer/kernels/vectors/linear.h"
#include "mercer/kernels/vectors/polynomial.h"
#include "mercer/kernels/vectors/sigmoid.h"

namespace mercer {
namespace {

// (γ xᵀz + r)^d with any r: what LIBSVM computes also where it is no kernel.
struct libsvm_polynomial {
    int degree = 3;
    double gamma = 1;
    double coef0 = 0;

    static kernel_info info() {
        return {"libsvm_poly",
                {},
                "(gamma*x'z + coef0)^degree",
                domain::vectors,
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
    static constexpr statistic what = statistic::dot;
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
    void whole(long long value) { out_.append(digits_, write_whole(digits_, value)); }
    template <class List, class Write>
    void list(std::string_view key, const List& values, Write write) {
        word(key);
        for (const auto& value : values) word(" "), write(value);
        word("\n");
    }
    std::string take() { return std::move(out_); }

private:
    std::string out_;
    char digits_[longest_decimal];
};

// One line of the file: coefficients, then index:value pairs.
class line_writer {
public:
    line_writer(const svm_model& model, int first) : model_(model), first_(first) {}
    void write(index s, std::string& out) {
        char* p = line_.at_least((model_.coef.rows() + 2 * stored(s) + 2) * (longest_decimal + 2));
        for (index m = 0; m < model_.coef.rows(); ++m) {
            const double c = model_.coef(m, s);
            // %.17g of a small whole number is the number: zeros, and multipliers at their bound C
            const auto whole = static_cast<long long>(std::abs(c) < 1e9 ? c : 0.5);
            p = static_cast<double>(whole) == c && !(c == 0 && std::signbit(c)) ? write_whole(p, whole)
                                                                                : write_general(p, c, 17);
            *p++ = ' ';
        }
        if (!model_.k) {
            *p++ = '0', *p++ = ':';
            p = write_whole(p, model_.support_rows[static_cast<std::size_t>(s)] + 1);
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
            p = write_whole(p, column + first_);
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
    int first_;  // index of column 0
    buffer<char> line_;
};

void require_expressible(const svm_model& model, const std::optional<libsvm_kernel>& k) {
    const auto cannot = [](const std::string& what) {
        fail(errc::unsupported, "a LIBSVM model file cannot hold " + what);
    };
    if (!k)
        cannot("the kernel " + model.kernel_text +
               ": only linear, poly, rbf, sigmoid and precomputed have a name there");
    if (model.pairs().against_rest()) cannot("one-versus-rest: it is one-versus-one");
    if (model.k && model.support.size() > 0 && model.support.kind() != domain::vectors)
        cannot(std::string(name(model.support.kind())) + ", only vectors");
    if (model.probability && model.probability->kind != calibration::method::sigmoid)
        cannot("an isotonic calibration, only a sigmoid");
    for (const double label : model.classes)
        if (label != std::floor(label) || std::abs(label) > 2147483647)
            cannot(fmt::format("the class label {}: labels are whole numbers of 32 bits there", label));
}

}  // namespace

std::shared_ptr<const kernel> libsvm_kernel::make() const {
    // With γ = 0 or degree 0 the data do not matter.
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

std::optional<libsvm_kernel> libsvm_kernel::of(const kernel& k) {
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
    const auto k = model.k ? libsvm_kernel::of(*model.k) : libsvm_kernel{libsvm_kernel::kind::precomputed, 3, 1, 0};
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
    const source file = read_expected(path, begins_libsvm_model);
    return made_of(file, [&] { return parse_libsvm_model(file.bytes(), file.name(), zero_based); });
}

}  // namespace mercer

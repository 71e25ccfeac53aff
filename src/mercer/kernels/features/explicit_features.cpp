#include "mercer/kernels/features/explicit_features.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>

#include "mercer/base/error.h"
#include "mercer/base/threads.h"
#include "mercer/data/records.h"
#include "mercer/kernels/expression/all_kernels.h"
#include "mercer/kernels/features/feature_map.h"

namespace mercer {
namespace {

template <class F>
concept has_named_embedding = requires(const F& f) {
    { f.embedding() } -> std::same_as<named_embedding>;
};
template <class F>
concept has_named_features = requires(const F& f) {
    { f.features() } -> std::same_as<named_embedding>;
};

// The named embedding of a leaf, if it has one.
template <class... F>
std::optional<named_embedding> named_embedding_of(const kernel_node& k, kernel_list<F...>) {
    std::optional<named_embedding> found;
    const auto look = [&]<class One>(const leaf_node<One>* leaf) {
        if constexpr (has_named_features<One>) {
            if (leaf) found.emplace(leaf->formula().features());
        } else if constexpr (has_named_embedding<One>) {
            if (leaf) found.emplace(leaf->formula().embedding());
        }
    };
    (look(dynamic_cast<const leaf_node<F>*>(&k)), ...);
    return found;
}
std::optional<named_embedding> named_embedding_of(const kernel_node& k) {
    return named_embedding_of(k, listed_kernels{});
}

double number(const kernel_form& form, std::size_t argument = 0) {
    return std::get<double>(form.arguments[argument].second);
}

[[noreturn]] void refuse(const kernel_node& k) {
    fail(errc::unsupported, fmt::format("{} has no explicit features", k.text()));
}

// The exponent m of k^m as an integer; throws unless it is a whole number from 0 to 20.
int whole_exponent(const kernel_node& k, double m) {
    if (!(m >= 0 && m <= 20) || m != std::floor(m)) refuse(k);
    return static_cast<int>(m);
}

// Builds sparse rows one after another.
class row_builder {
public:
    void add(index column, double value) {
        if (value == 0) return;
        col_.push_back(static_cast<std::int32_t>(column));
        val_.push_back(value);
    }
    void end_row() { start_.push_back(static_cast<index>(col_.size())); }
    sparse<double> finish(index dims) && { return {std::move(start_), std::move(col_), std::move(val_), dims}; }

private:
    std::vector<index> start_{0};
    std::vector<std::int32_t> col_;
    std::vector<double> val_;
};

sparse<double> as_sparse_rows(const dataset& rows) {
    if (const auto* ready = rows.as<sparse<double>>()) return *ready;
    row_builder out;
    if (const auto* narrow = rows.as<sparse<float>>()) {
        for (index i = 0; i < narrow->size(); ++i, out.end_row())
            for (std::size_t e = 0; e < narrow->cols(i).size(); ++e) out.add(narrow->cols(i)[e], narrow->values(i)[e]);
        return std::move(out).finish(narrow->dims());
    }
    if (rows.size() == 0) return std::move(out).finish(rows.dims());
    const dense<double> all = as_dense<double>(rows);
    for (index i = 0; i < all.size(); ++i, out.end_row())
        for (index c = 0; c < all.dims(); ++c) out.add(c, all.row(i)[c]);
    return std::move(out).finish(all.dims());
}

// The rows with `dims` columns, the new ones being zero.
sparse<double> with_columns(const sparse<double>& rows, index dims) {
    if (rows.dims() == dims) return rows;
    row_builder out;
    for (index i = 0; i < rows.size(); ++i, out.end_row())
        for (std::size_t e = 0; e < rows.cols(i).size(); ++e) out.add(rows.cols(i)[e], rows.values(i)[e]);
    return std::move(out).finish(dims);
}

// The columns of a, followed by those of b.
sparse<double> concatenated_columns(const sparse<double>& a, const sparse<double>& b) {
    row_builder out;
    for (index i = 0; i < a.size(); ++i, out.end_row()) {
        for (std::size_t e = 0; e < a.cols(i).size(); ++e) out.add(a.cols(i)[e], a.values(i)[e]);
        for (std::size_t e = 0; e < b.cols(i).size(); ++e) out.add(a.dims() + b.cols(i)[e], b.values(i)[e]);
    }
    return std::move(out).finish(a.dims() + b.dims());
}

// All products of a column of a and a column of b: (c, d) becomes column c·(columns of b) + d.
sparse<double> column_products(const sparse<double>& a, const sparse<double>& b) {
    row_builder out;
    for (index i = 0; i < a.size(); ++i, out.end_row())
        for (std::size_t e = 0; e < a.cols(i).size(); ++e)
            for (std::size_t g = 0; g < b.cols(i).size(); ++g)
                out.add(a.cols(i)[e] * b.dims() + b.cols(i)[g], a.values(i)[e] * b.values(i)[g]);
    return std::move(out).finish(a.dims() * b.dims());
}

// The rows divided by √k(x, x) with k(x, x) = Σ weight_f φ_f(x)²; zero rows if k(x, x) = 0.
sparse<double> normalised(const sparse<double>& rows, const std::vector<double>& weight) {
    row_builder out;
    for (index i = 0; i < rows.size(); ++i, out.end_row()) {
        double square = 0;
        for (std::size_t e = 0; e < rows.cols(i).size(); ++e)
            square += weight[static_cast<std::size_t>(rows.cols(i)[e])] * rows.values(i)[e] * rows.values(i)[e];
        if (!(square > 0)) continue;
        for (std::size_t e = 0; e < rows.cols(i).size(); ++e)
            out.add(rows.cols(i)[e], rows.values(i)[e] / std::sqrt(square));
    }
    return std::move(out).finish(rows.dims());
}

}  // namespace

// Computes the features of each node of an expression from those of its parts.
class feature_algebra {
public:
    static object_features of(const kernel_node& k, const dataset& x, const dataset* z) {
        if (const auto leaf = named_embedding_of(k)) return of_leaf(*leaf, k, x, z);
        const kernel_form form = k.form();
        const auto part = [&](std::size_t p) { return of(*form.parts[p], x, z); };
        if (form.operation == "constant") return constant_feature(k, x, z, number(form));
        if (form.operation == "scale") return scaled(part(0), number(form));
        if (form.operation == "sum") return sum(part(0), part(1));
        if (form.operation == "product") return product(part(0), part(1));
        if (form.operation == "power") return power(k, part(0), whole_exponent(k, number(form)), x, z);
        if (form.operation == "polynomial_of") return polynomial(k, form, x, z);
        if (form.operation == "normalize") return normalise(part(0));
        if (form.operation == "field") return of_field(form, x, z);
        if (k.kind() == object_kind::vectors) return of_vectors(k, x, z);
        refuse(k);
    }

private:
    static object_features of_leaf(const named_embedding& leaf, const kernel_node& k, const dataset& x,
                                   const dataset* z) {
        named_rows made = leaf.named(x, z);
        object_features out;
        out.x_ = as_sparse_rows(made.x);
        if (z) out.z_ = as_sparse_rows(made.z);
        const index dims = std::max(out.x_.dims(), out.z_.dims());
        out.x_ = with_columns(out.x_, dims);  // z may have features that x has not
        if (z) out.z_ = with_columns(out.z_, dims);
        out.weight_.assign(static_cast<std::size_t>(dims), 1);
        out.name_ = [name = std::move(made.name), text = k.text()](index f, const known_names& known) {
            return feature_name{name(f, known), text};
        };
        out.places_ = std::move(made.places);
        return out;
    }
    static object_features of_vectors(const kernel_node& k, const dataset& x, const dataset* z) {
        object_features out;
        if (k.text() == "linear()") {
            const index dims = std::max(x.dims(), z ? z->dims() : 0);
            out.x_ = with_columns(as_sparse_rows(x), dims);
            if (z) out.z_ = with_columns(as_sparse_rows(*z), dims);
            out.weight_.assign(static_cast<std::size_t>(dims), 1);
            out.name_ = [text = k.text()](index f, const known_names& known) {
                return feature_name{f < static_cast<index>(known.size()) ? known[static_cast<std::size_t>(f)]
                                                                         : fmt::format("x{}", f + 1),
                                    text};
            };
            return out;
        }
        constexpr index most = 100'000;
        // Does not own the node: it is not used after this function.
        const std::shared_ptr<const kernel_node> same(std::shared_ptr<void>(), &k);
        const auto map = std::make_shared<const feature_map>(kernel(same), x.dims(), most);
        out.x_ = as_sparse_rows(map->apply(x));
        if (z) out.z_ = as_sparse_rows(map->apply(*z));
        out.weight_.assign(static_cast<std::size_t>(map->size()), 1);
        out.name_ = [map, text = k.text()](index f, const known_names&) { return feature_name{map->name(f), text}; };
        return out;
    }
    // The features of the constant kernel: one feature with the value 1 for every object.
    static object_features constant_feature(const kernel_node& k, const dataset& x, const dataset* z, double c) {
        const auto rows = [](const dataset& of) {
            row_builder out;
            for (index i = 0; i < of.size(); ++i, out.end_row()) out.add(0, 1);
            return std::move(out).finish(1);
        };
        object_features out;
        out.x_ = rows(x);
        if (z) out.z_ = rows(*z);
        out.weight_ = {c};
        out.name_ = [text = k.text()](index, const known_names&) { return feature_name{"1", text}; };
        return out;
    }
    static object_features scaled(object_features a, double c) {
        for (double& each : a.weight_) each *= c;
        return a;
    }
    static object_features sum(const object_features& a, const object_features& b) {
        object_features out;
        const index split = a.size();
        require_columns(static_cast<double>(split) + static_cast<double>(b.size()));
        out.x_ = concatenated_columns(a.x_, b.x_);
        if (a.z_.size()) out.z_ = concatenated_columns(a.z_, b.z_);
        out.weight_ = a.weight_;
        out.weight_.insert(out.weight_.end(), b.weight_.begin(), b.weight_.end());
        out.name_ = [=, a = a.name_, b = b.name_](index f, const known_names& known) {
            return f < split ? a(f, known) : b(f - split, known);
        };
        if (a.places_ || b.places_)
            out.places_ = [=, a = a.places_, b = b.places_](index i) {
                std::vector<feature_place> all = a ? a(i) : std::vector<feature_place>{};
                if (b)
                    for (feature_place& each : b(i)) all.push_back({split + each.column, each.weight, each.parts});
                return all;
            };
        return out;
    }
    static object_features product(const object_features& a, const object_features& b) {
        object_features out;
        const index columns = b.size();
        require_columns(static_cast<double>(a.size()) * static_cast<double>(columns));
        out.x_ = column_products(a.x_, b.x_);
        if (a.z_.size()) out.z_ = column_products(a.z_, b.z_);
        for (const double left : a.weight_)
            for (const double right : b.weight_) out.weight_.push_back(left * right);
        out.name_ = [=, a = a.name_, b = b.name_](index f, const known_names& known) {
            feature_name left = a(f / columns, known), right = b(f % columns, known);
            if (left.text == "1") return right;
            if (right.text == "1") return left;
            return feature_name{left.text + " & " + right.text,
                                left.kernel == right.kernel ? left.kernel : left.kernel + "*" + right.kernel};
        };
        return out;
    }
    static object_features power(const kernel_node& k, const object_features& a, int m, const dataset& x,
                                 const dataset* z) {
        if (m == 0) return constant_feature(k, x, z, 1);
        object_features out = a;
        for (int i = 1; i < m; ++i) out = product(out, a);
        return out;
    }
    static object_features polynomial(const kernel_node& k, const kernel_form& form, const dataset& x,
                                      const dataset* z) {
        const auto& c = std::get<std::vector<double>>(form.arguments[0].second);
        const object_features a = of(*form.parts[0], x, z);
        object_features out = constant_feature(k, x, z, c[0]);
        for (std::size_t i = 1; i < c.size(); ++i)
            if (c[i] != 0) out = sum(out, scaled(power(k, a, whole_exponent(k, static_cast<double>(i)), x, z), c[i]));
        return out;
    }
    static object_features normalise(object_features a) {
        a.x_ = normalised(a.x_, a.weight_);
        if (a.z_.size()) a.z_ = normalised(a.z_, a.weight_);
        return a;
    }
    static object_features of_field(const kernel_form& form, const dataset& x, const dataset* z) {
        const auto part = [&](const dataset& all) {
            const auto* some = all.as<records>();
            if (!some)
                fail(errc::unsupported, fmt::format("field: expected records, got {}", mercer::name(all.kind())));
            return some->of(form.function_name);
        };
        const dataset left = part(x), right = z ? part(*z) : dataset();
        object_features out = of(*form.parts[0], left, z ? &right : nullptr);
        out.name_ = [who = form.function_name, name = out.name_](index f, const known_names&) {
            feature_name inner = name(f, {});
            return feature_name{who + ": " + inner.text, "field(" + who + ", " + inner.kernel + ")"};
        };
        out.places_ = nullptr;
        return out;
    }
    static void require_columns(double columns) {
        constexpr double most = 0x7fffffff;
        if (columns > most)
            fail(errc::unsupported,
                 fmt::format("explicit features: a kernel can have at most 2^31 - 1 features, got {:.3g}", columns));
    }
};

object_features::object_features(const kernel& k, const dataset& x, const dataset* z)
    : object_features(feature_algebra::of(k.node(), x, z)) {}

sparse<double> object_features::rows() const {
    if (std::ranges::all_of(weight_, [](double w) { return w == 1; })) return x_;
    for (std::size_t f = 0; f < weight_.size(); ++f)
        if (!(weight_[f] >= 0))
            fail(errc::not_psd, fmt::format("explicit features: the weight of feature {} must be >= 0, got {}",
                                            name_(static_cast<index>(f), {}).text, weight_[f]));
    row_builder out;
    for (index i = 0; i < x_.size(); ++i, out.end_row())
        for (std::size_t e = 0; e < x_.cols(i).size(); ++e)
            out.add(x_.cols(i)[e], x_.values(i)[e] * std::sqrt(weight_[static_cast<std::size_t>(x_.cols(i)[e])]));
    return std::move(out).finish(x_.dims());
}

std::optional<std::string> missing_features_reason(const kernel& k) {
    if (k.kind() == object_kind::vectors || k.kind() == object_kind::any) {
        try {
            const feature_map some(k, 1);
            return {};
        } catch (const error& reason) {
            return reason.what();
        }
    }
    if (named_embedding_of(k.node())) return {};
    const kernel_form form = k.node().form();
    const bool combines = form.operation == "scale" || form.operation == "sum" || form.operation == "product" ||
                          form.operation == "power" || form.operation == "polynomial_of" ||
                          form.operation == "normalize" || form.operation == "field";
    if (!combines) return fmt::format("{} has no explicit features", k.text());
    if (form.operation == "power" &&
        (number(form) < 0 || number(form) != std::floor(number(form)) || number(form) > 20))
        return fmt::format("{} has no explicit features", k.text());
    for (const auto& part : form.parts)
        if (auto why = missing_features_reason(kernel(part))) return why;
    return {};
}

bool has_sparse_features(const kernel& k) {
    if (named_embedding_of(k.node()) || k.text() == "linear()") return true;
    const kernel_form form = k.node().form();
    if (form.operation == "constant") return true;
    const bool keeps = form.operation == "scale" || form.operation == "sum" || form.operation == "normalize" ||
                       form.operation == "field";
    return keeps && std::ranges::all_of(form.parts, [](const auto& part) { return has_sparse_features(kernel(part)); });
}

index max_objects_within(const kernel& k, const dataset& objects, std::size_t bytes) {
    constexpr std::size_t entry_bytes = 80;  // measured: a value, its column, and its part of the dictionary
    const index count = std::min<index>(16, objects.size());
    if (count == 0) return 0;
    std::vector<index> some;
    for (index i = 0; i < count; ++i) some.push_back(i * objects.size() / count);
    const auto entries = static_cast<std::size_t>(
        object_features(k, gather(objects, std::span<const index>(some))).x().nonzeros() / count);
    return static_cast<index>(bytes / ((entries + 1) * entry_bytes));
}

}  // namespace mercer

#include "stress/problem.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <limits>

namespace mercer::stress {

std::string formula::text() const {
    switch (what) {
        case kind::linear: return "linear()";
        case kind::poly: return fmt::format("poly(degree={}, gamma={:.17g}, coef0={:.17g})", degree, gamma, coef0);
        case kind::rbf: return fmt::format("rbf(gamma={:.17g})", gamma);
        case kind::laplacian: return fmt::format("laplacian(gamma={:.17g})", gamma);
        case kind::sigmoid: return fmt::format("sigmoid(gamma={:.17g}, coef0={:.17g})", gamma, coef0);
    }
    return {};
}

double formula::value(const double* a, const double* b, index dims) const {
    double sum = 0;
    if (what == kind::rbf) {
        for (index i = 0; i < dims; ++i) sum += (a[i] - b[i]) * (a[i] - b[i]);
        return std::exp(-gamma * sum);
    }
    if (what == kind::laplacian) {
        for (index i = 0; i < dims; ++i) sum += std::abs(a[i] - b[i]);
        return std::exp(-gamma * sum);
    }
    for (index i = 0; i < dims; ++i) sum += a[i] * b[i];
    if (what == kind::linear) return sum;
    if (what == kind::sigmoid) return std::tanh(gamma * sum + coef0);
    const double t = gamma * sum + coef0;
    double power = t;
    for (int k = 1; k < degree; ++k) power *= t;
    return power;
}

namespace {

class dice {
public:
    explicit dice(std::uint64_t seed) : random_(seed) {}
    double uniform(double low, double high) {
        return low + (high - low) * std::generate_canonical<double, 53>(random_);
    }
    double logarithmic(double low, double high) { return std::exp(uniform(std::log(low), std::log(high))); }
    index between(index low, index high) { return std::uniform_int_distribution<index>(low, high)(random_); }
    bool one_in(index count) { return between(1, count) == 1; }
    double normal() { return std::normal_distribution<double>()(random_); }

private:
    std::mt19937_64 random_;
};

const char* fill(problem& p, dice& d, bool raw) {
    const index n = p.x.rows(), dims = p.x.cols();
    const auto each = [&](auto value) {
        for (index i = 0; i < n; ++i)
            for (index j = 0; j < dims; ++j) p.x(i, j) = value(i, j);
    };
    const auto normal = [&](index, index) { return d.normal(); };
    switch (d.between(0, raw ? 8 : 5)) {
        case 0: each(normal); return "normal";
        case 1: each([&](index, index) { return d.uniform(-1, 1); }); return "uniform";
        case 2: {  // a few clusters, tight or wide
            const index centres = d.between(2, 12);
            const double width = d.logarithmic(0.01, 1);
            matrix<double> c(centres, dims);
            for (index i = 0; i < centres; ++i)
                for (index j = 0; j < dims; ++j) c(i, j) = d.normal();
            each([&](index i, index j) { return c(i % centres, j) + width * d.normal(); });
            return "clusters";
        }
        case 3: each([&](index, index) { return static_cast<double>(d.between(-1, 1)); }); return "-1, 0, 1";
        case 4: each([&](index, index) { return static_cast<double>(d.between(0, 9)) / 4; }); return "ties";
        case 5: {  // mostly zeros
            const double share = d.logarithmic(0.02, 0.4);
            each([&](index, index) { return d.uniform(0, 1) < share ? d.normal() : 0.0; });
            return "mostly zeros";
        }
        case 6: {  // near-duplicates of a few, and exact ones
            const index few = std::max<index>(2, n / d.between(2, 10));
            const double hair = d.logarithmic(1e-9, 1e-2);
            each(normal);
            for (index i = few; i < n; ++i)
                for (index j = 0; j < dims; ++j) p.x(i, j) = p.x(i % few, j) * (i % 3 == 0 ? 1 : 1 + hair * d.normal());
            return "near-duplicates";
        }
        case 7: {  // far from the origin
            const double offset = d.logarithmic(10, 1e7);
            each([&](index, index) { return offset + d.normal(); });
            return "offset";
        }
        default: {  // columns of their own scales and offsets
            std::vector<double> scale, shift;
            for (index j = 0; j < dims; ++j)
                scale.push_back(d.logarithmic(1e-3, 1e4)),
                    shift.push_back(d.one_in(2) ? scale.back() * d.uniform(-5, 5) : 0);
            each([&](index, index j) {
                return shift[static_cast<std::size_t>(j)] + scale[static_cast<std::size_t>(j)] * d.normal();
            });
            return "unscaled columns";
        }
    }
}

// The medians of squared distances and of squared norms of some pairs, from which γ is chosen.
struct sizes {
    double distance, norm, absolute;
};
sizes typical(const problem& p, dice& d) {
    std::vector<double> distance, norm, absolute;
    for (int k = 0; k < 101; ++k) {
        const double *a = p.x.row(d.between(0, p.size() - 1)), *b = p.x.row(d.between(0, p.size() - 1));
        double square = 0, own = 0, sum = 0;
        for (index j = 0; j < p.x.cols(); ++j)
            square += (a[j] - b[j]) * (a[j] - b[j]), own += a[j] * a[j], sum += std::abs(a[j] - b[j]);
        distance.push_back(square), norm.push_back(own), absolute.push_back(sum);
    }
    const auto middle = [](std::vector<double>& v) {
        std::nth_element(v.begin(), v.begin() + 50, v.end());
        return v[50] > 0 ? v[50] : 1.0;
    };
    return {middle(distance), middle(norm), middle(absolute)};
}

void choose_kernel(problem& p, dice& d) {
    const sizes usual = typical(p, d);
    const index which = d.between(0, 9);
    if (which <= 5) {
        p.k.what = formula::kind::rbf;
        // 1/dims is a common default of users.
        p.k.gamma = d.one_in(6) ? 1.0 / static_cast<double>(p.x.cols()) : d.logarithmic(0.03, 10) / usual.distance;
    } else if (which == 6) {
        p.k.what = formula::kind::linear;
    } else if (which == 7) {
        p.k.what = formula::kind::poly;
        p.k.degree = static_cast<int>(d.between(2, 3));
        p.k.gamma = d.logarithmic(0.3, 3) / usual.norm;
        p.k.coef0 = d.one_in(2) ? 1 : 0;
    } else if (which == 8) {
        p.k.what = formula::kind::laplacian;
        p.k.gamma = d.logarithmic(0.03, 10) / usual.absolute;
    } else {
        p.k.what = d.one_in(3) ? formula::kind::sigmoid : formula::kind::rbf;
        p.k.gamma = d.logarithmic(0.03, 1) / (p.k.positive() ? usual.distance : usual.norm);
        p.k.coef0 = p.k.positive() ? 0 : -0.5;
    }
}

// A smooth function of the examples with noise; classes are its levels, with some wrong labels.
void choose_targets(problem& p, dice& d, index classes) {
    const index n = p.size(), dims = p.x.cols();
    std::vector<double> mean(static_cast<std::size_t>(dims), 0.0), spread(static_cast<std::size_t>(dims), 0.0);
    for (index j = 0; j < dims; ++j) {
        for (index i = 0; i < n; ++i) mean[static_cast<std::size_t>(j)] += p.x(i, j) / static_cast<double>(n);
        for (index i = 0; i < n; ++i)
            spread[static_cast<std::size_t>(j)] +=
                std::pow(p.x(i, j) - mean[static_cast<std::size_t>(j)], 2) / static_cast<double>(n);
    }
    const double noise = d.one_in(4) ? 0 : d.logarithmic(0.01, 2), turn = d.uniform(0.2, 2);
    std::vector<double> f(static_cast<std::size_t>(n));
    for (index i = 0; i < n; ++i) {
        const auto standard = [&](index j) {
            const double s = std::sqrt(spread[static_cast<std::size_t>(j)]);
            return s > 0 ? (p.x(i, j) - mean[static_cast<std::size_t>(j)]) / s : 0.0;
        };
        const double a = standard(0), b = standard(dims - 1), c = standard(dims / 2);
        f[static_cast<std::size_t>(i)] = std::sin(turn * a) + 0.5 * b * c + noise * d.normal();
    }
    const bool regression = p.options.task == svm_task::epsilon_svr || p.options.task == svm_task::nu_svr;
    if (regression) {
        const double scale = d.one_in(2) ? 1 : d.logarithmic(1e-2, 1e3),
                     shift = d.one_in(3) ? d.uniform(-10, 10) * scale : 0;
        for (double& v : f) v = shift + scale * v;
        p.options.epsilon = (d.one_in(6) ? 0 : d.logarithmic(0.01, 1)) * scale;
        p.options.tol *= scale;
        p.y = std::move(f);
        return;
    }
    std::vector<double> sorted = f;
    std::sort(sorted.begin(), sorted.end());
    const double wrong = d.one_in(3) ? 0 : d.uniform(0, 0.3), skew = d.one_in(3) ? d.uniform(1, 3) : 1;
    p.y.resize(f.size());
    for (std::size_t i = 0; i < f.size(); ++i) {
        const double place =
            static_cast<double>(std::lower_bound(sorted.begin(), sorted.end(), f[i]) - sorted.begin()) /
            static_cast<double>(n);
        auto label = static_cast<index>(static_cast<double>(classes) * std::pow(place, skew));
        if (d.uniform(0, 1) < wrong) label = d.between(0, classes - 1);
        p.y[i] = static_cast<double>(std::clamp<index>(label, 0, classes - 1));
    }
    for (index c = 0; c < classes; ++c)
        p.y[static_cast<std::size_t>(c)] = static_cast<double>(c);  // none without an example
}

void choose_options(problem& p, dice& d) {
    svm_options& o = p.options;
    const index n = p.size();
    // The cost of pair updates grows with C: the largest problems get a C that keeps the time acceptable.
    o.C = d.logarithmic(1e-2, n > 5000 ? 10 : n > 1000 ? 100 : 1e4);
    o.nu = d.logarithmic(0.02, 0.95);
    o.shrinking = !d.one_in(8);
    o.canonical_order = d.one_in(8);
    o.memory_bytes = std::size_t{1} << d.between(20, 29);
    o.classes = d.one_in(3) ? multiclass::one_vs_rest : multiclass::one_vs_one;
    if (d.one_in(4)) {
        for (index i = 0; i < n; ++i)
            o.sample_weight.push_back(d.one_in(10) ? 0.0 : d.one_in(3) ? 1.0 : d.logarithmic(0.1, 10));
        for (index i = 0; i < std::min<index>(n, 6); ++i) o.sample_weight[static_cast<std::size_t>(i)] = 1;
    }
    if (d.one_in(4)) o.class_weight = {{0.0, d.logarithmic(0.1, 10)}, {1.0, d.logarithmic(0.1, 10)}};
    p.hard = n <= 800 && o.task == svm_task::c_svc && p.k.what == formula::kind::rbf && d.one_in(8);
    if (p.hard) o.C = std::numeric_limits<double>::infinity(), o.class_weight.clear();
    p.go_on = !p.hard && d.one_in(8);
    p.threads = static_cast<int>(d.between(1, 4));
    p.perturb = static_cast<int>(d.between(0, 255));
}

// The strategies of the solver, each forced by the thresholds that select it.
const char* choose_way(smo::smo_thresholds& l, index n, dice& d) {
    const auto cheap = [&] { l.row_cache.cheap_cost = 1e9, l.row_cache.small_bytes = 0; };
    const auto growing = [&] {
        cheap();
        l.row_cache.near_bytes = static_cast<std::size_t>(d.logarithmic(1e3, 1e6));
        l.row_cache.frequent_requests = static_cast<int>(d.between(2, 4));
        l.row_cache.max_miss_ratio = d.between(0, 1);
    };
    const auto small_blocks = [&] {
        l.full_set_size = d.between(2, 300);
        l.exact_value_ratio = 0;  // the objective in double, as for all problems of normal size
        const index unit = 16 * (1 + n / 1000);
        l.min_working_set = std::min<index>(smo::row_store::max_in_use / 4, unit * d.between(1, 4));
        l.max_working_set = std::min<index>(smo::row_store::max_in_use / 2, l.min_working_set + unit * d.between(0, 8));
        l.max_free = std::min<index>(smo::row_store::max_in_use, l.max_working_set + unit * d.between(0, 30));
    };
    const auto levels = [&] { l.min_sample = d.between(8, 64), l.sample_ratio = d.between(2, 4); };
    const auto newton = [&] {
        l.min_pair_steps = d.between(0, 2), l.factor_cycles = 0, l.max_newton_steps = 1000,
        l.max_newton_size = l.max_barrier_size = 1500;
    };
    switch (d.between(0, 11)) {
        case 0: cheap(); return "cheap rows";
        case 1: growing(); return "growing store";
        case 2: levels(); return "levels";
        case 3: newton(); return "Newton";
        case 4: newton(), l.try_active_set = false; return "barrier";
        case 5: small_blocks(); return "small blocks";
        case 6: small_blocks(), growing(); return "small blocks, growing store";
        case 7: small_blocks(), growing(), levels(), newton(); return "everything";
        default: return "as it is";
    }
}

dataset as_given(problem& p, dice& d, const char*& form) {
    const index n = p.size(), dims = p.x.cols();
    const bool narrow = d.one_in(4);
    if (narrow)  // the examples are rounded to float
        for (index i = 0; i < n; ++i)
            for (index j = 0; j < dims; ++j) p.x(i, j) = static_cast<double>(static_cast<float>(p.x(i, j)));
    if (d.one_in(4)) {
        std::vector<index> start{0};
        std::vector<std::int32_t> col;
        std::vector<double> val;
        for (index i = 0; i < n; ++i) {
            for (index j = 0; j < dims; ++j)
                if (p.x(i, j) != 0) col.push_back(static_cast<std::int32_t>(j)), val.push_back(p.x(i, j));
            start.push_back(static_cast<index>(col.size()));
        }
        form = narrow ? "sparse float" : "sparse";
        if (!narrow) return sparse<double>(std::move(start), std::move(col), std::move(val), dims);
        return sparse<float>(std::move(start), std::move(col), std::vector<float>(val.begin(), val.end()), dims);
    }
    form = narrow ? "float" : "dense";
    if (!narrow) return dense<double>(matrix<double>(p.x));
    matrix<float> rows(n, dims);
    for (index i = 0; i < n; ++i)
        for (index j = 0; j < dims; ++j) rows(i, j) = static_cast<float>(p.x(i, j));
    return dense<float>(std::move(rows));
}

}  // namespace

problem random_problem(std::uint64_t seed, const bounds& within) {
    problem p;
    p.seed = seed;
    dice d(seed);
    const auto n = static_cast<index>(d.logarithmic(12, static_cast<double>(within.largest) + 1));
    p.x = matrix<double>(n, static_cast<index>(d.logarithmic(1, n > 3000 ? 30 : 200)));
    p.options.task = static_cast<svm_task>(d.between(0, 4));
    const bool classifier = p.options.task == svm_task::c_svc || p.options.task == svm_task::nu_svc;
    p.options.tol = d.one_in(3) ? d.logarithmic(1e-6, 0.1) : 1e-3;
    const index classes = classifier && d.one_in(4) ? d.between(3, 5) : 2;
    const char* shape = fill(p, d, within.raw);
    const char* form = nullptr;
    p.objects = as_given(p, d, form);
    choose_kernel(p, d);
    choose_targets(p, d, classes);
    choose_options(p, d);
    if (n <= 2000 && d.one_in(8)) {
        form = "precomputed";
        p.K = matrix<double>(n, n);
        for (index i = 0; i < n; ++i)
            for (index j = 0; j < n; ++j) p.K(i, j) = p.k.value(p.x.row(i), p.x.row(j), p.x.cols());
    }
    if (p.K.rows() > 0) p.options.canonical_order = false;
    const char* way = choose_way(p.limits, n, d);
    const svm_options& o = p.options;
    p.text = fmt::format(
        "{} n={} d={} {} ({}) {} C={:.3g} nu={:.3g} epsilon={:.3g} tol={:.2g}{}{}{}{}{} {} MB {} threads, {}",
        name(o.task), n, p.x.cols(), form, shape, p.k.text(), o.C, o.nu, o.epsilon, o.tol,
        classes > 2 ? fmt::format(" {} classes", classes) : "", o.sample_weight.empty() ? "" : " weights",
        o.class_weight.empty() ? "" : " class weights", o.shrinking ? "" : " no shrinking", p.go_on ? " going on" : "",
        o.memory_bytes >> 20, p.threads, way);
    return p;
}

}  // namespace mercer::stress

#include "mercer/inspection/decision_grid.h"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <cmath>
#include <map>
#include <numeric>
#include <set>
#include <unordered_map>

#include "mercer/base/error.h"
#include "mercer/base/threads.h"
#include "mercer/gram/gram_views.h"
#include "mercer/inspection/binary_problems.h"
#include "mercer/kernel_analysis/spectrum.h"

namespace mercer {
namespace {

// The range of a column of the points with a margin of 1/12 on either side; never empty.
void set_range(const matrix<double>& points, index column, double& low, double& high) {
    low = high = points.rows() > 0 ? points(0, column) : 0.0;
    for (index i = 0; i < points.rows(); ++i)
        low = std::min(low, points(i, column)), high = std::max(high, points(i, column));
    const double margin = high > low ? (high - low) / 12 : std::max(1.0, std::abs(low) / 10);
    low -= margin;
    high += margin;
}

std::string axis_name(const std::vector<std::string>& names, index j) {
    return j < static_cast<index>(names.size()) ? names[static_cast<std::size_t>(j)] : fmt::format("x{}", j + 1);
}

void require_feature(index j, index dims) {
    if (j < 0 || j >= dims)
        fail(errc::invalid_argument,
             fmt::format("the features of a plane must satisfy 0 <= feature < {}, got {}", dims, j));
}

}  // namespace

plane make_feature_plane(const svm_model& model, const dataset& x, index first, index second,
                         const std::vector<std::string>& names, other_features rest) {
    if (x.kind() != object_kind::vectors)
        fail(errc::unsupported, fmt::format("a plane of two features needs vectors, the data are {}", name(x.kind())));
    const dense<double> all = as_dense<double>(x);
    const index n = all.size(), d = all.dims();
    require_feature(first, d);
    require_feature(second, d);
    if (first == second)
        fail(errc::invalid_argument, fmt::format("the two features of a plane must be different, got {} twice", first));
    plane on;
    on.x_name = axis_name(names, first);
    on.y_name = axis_name(names, second);
    on.points = matrix<double>(n, 2);
    on.rows.resize(static_cast<std::size_t>(n));
    std::iota(on.rows.begin(), on.rows.end(), index(0));
    std::vector<double> mean(static_cast<std::size_t>(d), 0.0);
    for (index i = 0; i < n; ++i) {
        on.points(i, 0) = all.row(i)[first];
        on.points(i, 1) = all.row(i)[second];
        for (index j = 0; j < d; ++j) mean[static_cast<std::size_t>(j)] += all.row(i)[j] / static_cast<double>(n);
    }
    set_range(on.points, 0, on.x_low, on.x_high);
    set_range(on.points, 1, on.y_low, on.y_high);
    if (d > 2)
        on.about =
            fmt::format("a cut: the other {} features {}", d - 2,
                        rest == other_features::mean ? "at their means" : "those of the nearest example on the plane");
    const double wide = on.x_high - on.x_low, tall = on.y_high - on.y_low;
    on.decide = [=, points = on.points](matrix_view<const double> places) {
        matrix<double> at(places.rows, d);
        parallel_for(places.rows, [&](index i) {
            const double* from = mean.data();
            if (rest == other_features::nearest && d > 2) {
                double best = -1;
                for (index e = 0; e < n; ++e) {
                    const double u = (points(e, 0) - places(i, 0)) / wide, v = (points(e, 1) - places(i, 1)) / tall;
                    if (best < 0 || u * u + v * v < best) best = u * u + v * v, from = all.row(e);
                }
            }
            std::copy_n(from, d, at.row(i));
            at(i, first) = places(i, 0);
            at(i, second) = places(i, 1);
        });
        return decide(model, dense<double>(std::move(at)), arithmetic::exact);
    };
    return on;
}

plane make_component_plane(const svm_model& model, const gram<double>& K, index most) {
    const index n = K.rows(), m = std::min(n, most), problems = model.problems();
    if (m < 1) fail(errc::data, "principal components: there are no examples");
    plane on;
    for (index i = 0; i < m; ++i) on.rows.push_back(i * n / m);
    const subset<double> some(K, on.rows);
    const gram_spectrum components = decompose(centred<double>(some));
    // g(i, p) = ⟨w, φ(xᵢ)⟩ of the shown examples in problem p.
    matrix<double> coef(model.coef.cols(), problems), g(m, problems);
    for (index p = 0; p < problems; ++p)
        for (const auto& [s, value] : problem_coefficients(model, p)) coef(s, p) = value;
    if (coef.rows() > 0) subset<double>(K, on.rows, model.support_rows).multiply(coef.view(), g.view());
    std::vector<double> level(static_cast<std::size_t>(problems), 0.0);  // ⟨w, μ⟩ + b
    matrix<double> slope(problems, 2);                                   // ⟨w, v₁⟩, ⟨w, v₂⟩
    on.points = matrix<double>(m, 2);
    double kept = 0, total = 0;
    for (const double value : components.values) total += std::max(value, 0.0);
    for (index p = 0; p < problems; ++p) {
        double mean = 0;
        for (index i = 0; i < m; ++i) mean += g(i, p) / static_cast<double>(m);
        level[static_cast<std::size_t>(p)] = mean + model.offset[static_cast<std::size_t>(p)];
        for (index k = 0; k < std::min<index>(2, m); ++k) {
            const double value = components.values[static_cast<std::size_t>(k)];
            if (!(value > components.tolerance)) continue;
            // v = Σ uᵢ(φ(xᵢ) - μ)/√λ
            for (index i = 0; i < m; ++i) slope(p, k) += components.vectors(k, i) * (g(i, p) - mean) / std::sqrt(value);
        }
    }
    for (index k = 0; k < std::min<index>(2, m); ++k) {
        const double value = components.values[static_cast<std::size_t>(k)];
        if (!(value > components.tolerance)) continue;
        kept += value;
        for (index i = 0; i < m; ++i) on.points(i, k) = std::sqrt(value) * components.vectors(k, i);
    }
    set_range(on.points, 0, on.x_low, on.x_high);
    set_range(on.points, 1, on.y_low, on.y_high);
    const auto share = [&](std::size_t k) {
        return total > 0 && k < components.values.size() ? 100 * std::max(components.values[k], 0.0) / total : 0.0;
    };
    on.x_name = fmt::format("first kernel principal component ({:.0f} % of the variance)", share(0));
    on.y_name = fmt::format("second ({:.0f} %)", share(1));
    on.about = fmt::format(
        "feature space seen along its first two principal components, {:.0f} % of the variance{}; lines: the cut of "
        "the hyperplane with this plane",
        total > 0 ? 100 * kept / total : 0.0, m < n ? fmt::format(" ({} of {} examples)", m, n) : "");
    on.decide = [level, slope, problems](matrix_view<const double> places) {
        matrix<double> f(places.rows, problems);
        for (index i = 0; i < places.rows; ++i)
            for (index p = 0; p < problems; ++p)
                f(i, p) = level[static_cast<std::size_t>(p)] + slope(p, 0) * places(i, 0) + slope(p, 1) * places(i, 1);
        return f;
    };
    return on;
}

std::pair<index, index> find_best_separated_features(const dataset& x, const std::vector<double>& y) {
    const dense<double> all = as_dense<double>(x);
    const index n = all.size(), d = all.dims();
    if (d < 2)
        fail(errc::unsupported, fmt::format("a plane of two features needs vectors of at least 2 features, got {}", d));
    std::map<double, std::vector<index>> members;
    for (index i = 0; i < n; ++i)
        members[static_cast<std::size_t>(i) < y.size() ? y[static_cast<std::size_t>(i)] : 0.0].push_back(i);
    constexpr std::size_t enough_values = 10;
    std::vector<index> spread;
    std::vector<double> score(static_cast<std::size_t>(d), 0.0);
    for (index j = 0; j < d; ++j) {
        double mean = 0, between = 0, within = 0;
        for (index i = 0; i < n; ++i) mean += all.row(i)[j] / static_cast<double>(n);
        for (const auto& [label, rows] : members) {
            double own = 0;
            for (const index i : rows) own += all.row(i)[j] / static_cast<double>(rows.size());
            between += static_cast<double>(rows.size()) * (own - mean) * (own - mean);
            for (const index i : rows) within += (all.row(i)[j] - own) * (all.row(i)[j] - own);
        }
        score[static_cast<std::size_t>(j)] = between > 0 ? between / (within + 1e-12 * between) : 0.0;
        std::set<double> values;
        for (index i = 0; i < n && values.size() < enough_values; ++i) values.insert(all.row(i)[j]);
        if (values.size() >= enough_values) spread.push_back(j);
    }
    // Features with few values would put many examples on top of each other.
    if (spread.size() >= 2)
        for (index j = 0; j < d; ++j)
            if (std::ranges::find(spread, j) == spread.end()) score[static_cast<std::size_t>(j)] = -1;
    index best = 0, second = -1;
    for (index j = 1; j < d; ++j)
        if (score[static_cast<std::size_t>(j)] > score[static_cast<std::size_t>(best)]) best = j;
    for (index j = 0; j < d; ++j)
        if (j != best && (second < 0 || score[static_cast<std::size_t>(j)] > score[static_cast<std::size_t>(second)]))
            second = j;
    return std::minmax(best, second);
}

region_grid decide_grid(const svm_model& model, const plane& on, index nx, index ny) {
    if (nx < 2 || ny < 2)
        fail(errc::invalid_argument, fmt::format("a grid must have at least 2 × 2 cells, got {} × {}", nx, ny));
    region_grid grid;
    grid.nx = nx;
    grid.ny = ny;
    matrix<double> places(nx * ny, 2);
    for (index r = 0; r < ny; ++r)
        for (index c = 0; c < nx; ++c) {
            places(r * nx + c, 0) = grid.x(on, c);
            places(r * nx + c, 1) = grid.y(on, r);
        }
    grid.f = on.decide(places.view());
    const std::vector<double> labels = predict(model, grid.f.view());
    grid.winner = class_numbers(model, labels);
    return grid;
}

std::vector<polyline> contour_lines(matrix_view<const double> f, double level,
                                    const std::function<bool(index, index)>& inside) {
    // A crossing is identified by its edge of the grid: 2(row·cols + column) for the edge to the right of a corner, + 1
    // for the edge above it.
    using edge = index;
    const auto corner = [&](index r, index c) { return f(r, c) - level; };
    const auto place = [&](edge e) -> std::pair<double, double> {
        const index at = e / 2, r = at / f.cols, c = at % f.cols;
        const double here = corner(r, c), there = e % 2 == 0 ? corner(r, c + 1) : corner(r + 1, c);
        const double t = here / (here - there);
        return e % 2 == 0 ? std::pair{static_cast<double>(c) + t, static_cast<double>(r)}
                          : std::pair{static_cast<double>(c), static_cast<double>(r) + t};
    };
    std::vector<std::array<edge, 2>> segments;
    for (index r = 0; r + 1 < f.rows; ++r)
        for (index c = 0; c + 1 < f.cols; ++c) {
            if (inside && !inside(c, r)) continue;
            const double v[4] = {corner(r, c), corner(r, c + 1), corner(r + 1, c + 1),
                                 corner(r + 1, c)};  // counter-clockwise from the lower left corner
            if (!std::all_of(v, v + 4, [](double each) { return std::isfinite(each); })) continue;
            const edge sides[4] = {2 * (r * f.cols + c), 2 * (r * f.cols + c + 1) + 1, 2 * ((r + 1) * f.cols + c),
                                   2 * (r * f.cols + c) + 1};
            std::vector<edge> crossed;
            for (int k = 0; k < 4; ++k)
                if ((v[k] > 0) != (v[(k + 1) % 4] > 0)) crossed.push_back(sides[k]);
            if (crossed.size() == 2) segments.push_back({crossed[0], crossed[1]});
            if (crossed.size() == 4) {
                // A saddle: the two corners with the sign of the centre are connected; each of the other two is cut
                // off.
                const bool middle = v[0] + v[1] + v[2] + v[3] > 0;
                const bool joined = (v[0] > 0) == middle;
                segments.push_back(joined ? std::array{sides[0], sides[1]} : std::array{sides[3], sides[0]});
                segments.push_back(joined ? std::array{sides[2], sides[3]} : std::array{sides[1], sides[2]});
            }
        }
    // At most two segments meet in a crossing. They are joined to chains, open chains first, from their ends.
    std::unordered_map<edge, std::vector<std::size_t>> at;
    for (std::size_t s = 0; s < segments.size(); ++s)
        for (const edge e : segments[s]) at[e].push_back(s);
    std::vector<char> used(segments.size(), 0);
    std::vector<polyline> out;
    const auto follow = [&](std::size_t s, edge from) {
        polyline made{place(from)};
        for (;;) {
            used[s] = 1;
            from = segments[s][0] == from ? segments[s][1] : segments[s][0];
            made.push_back(place(from));
            const auto& next = at[from];
            const auto more = std::ranges::find_if(next, [&](std::size_t other) { return !used[other]; });
            if (more == next.end()) break;
            s = *more;
        }
        out.push_back(std::move(made));
    };
    for (std::size_t s = 0; s < segments.size(); ++s)
        for (const edge e : segments[s])
            if (!used[s] && at[e].size() == 1) follow(s, e);
    for (std::size_t s = 0; s < segments.size(); ++s)
        if (!used[s]) follow(s, segments[s][0]);
    return out;
}

}  // namespace mercer

#include "mercer/meta/cells.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <functional>
#include <numeric>

#include "mercer/base/error.h"
#include "mercer/base/random_generator.h"
#include "mercer/base/threads.h"
#include "mercer/gram/distances.h"
#include "mercer/gram/make_gram.h"
#include "mercer/methods/codec.h"
#include "mercer/methods/nystroem/nystroem_problem.h"

namespace mercer {
namespace {

// Calls use(i, squared distances to all centres) for every object, from several threads.
template <class Use>
void each_distance(const kernel& k, const dataset& x, const dataset& centres, Use use) {
    const auto between = make_gram<double>(k, x, centres, std::size_t{64} << 20);
    std::vector<double> own(static_cast<std::size_t>(x.size())), other(static_cast<std::size_t>(centres.size()));
    make_gram<double>(k, x, std::size_t{64} << 20)->diagonal(own);
    make_gram<double>(k, centres, std::size_t{64} << 20)->diagonal(other);
    parallel_runs(x.size(), 256, [&](index first, index end) {
        matrix<double> values(end - first, centres.size());
        between->block(selection(first, end - first), selection(0, centres.size()), values.view());
        for (index i = first; i < end; ++i) {
            double* row = values.row(i - first);
            for (index j = 0; j < centres.size(); ++j)
                row[j] = std::max(0.0, squared_distance(own[static_cast<std::size_t>(i)],
                                                        other[static_cast<std::size_t>(j)], row[j]));
            use(i, row);
        }
    });
}

std::vector<index> nearest_centres(const kernel& k, const dataset& x, const dataset& centres) {
    std::vector<index> out(static_cast<std::size_t>(x.size()));
    each_distance(k, x, centres, [&](index i, const double* d) {
        out[static_cast<std::size_t>(i)] = std::min_element(d, d + centres.size()) - d;
    });
    return out;
}

// Examples far apart, as many as cells of this size are wanted, from a sample of them.
std::vector<index> far_centres(const kernel& k, const dataset& x, const std::vector<index>& among, index size,
                               std::uint64_t seed) {
    const auto n = static_cast<index>(among.size());
    const index wanted = std::max<index>(1, (n + size - 1) / size),
                looked_at = std::min(n, std::max<index>(1000, 20 * wanted));
    std::vector<index> sample = seeded(seed).sample(n, looked_at);
    for (index& each : sample) each = among[static_cast<std::size_t>(each)];
    std::ranges::sort(sample);
    const auto among_sample = make_gram<double>(k, gather(x, std::span<const index>(sample)), std::size_t{64} << 20);
    std::vector<index> out;
    for (const index each : choose_centres(*among_sample, wanted, centre_choice::kmeans_plus_plus, seed + 1, {}))
        out.push_back(sample[static_cast<std::size_t>(each)]);
    return out;
}

std::vector<std::vector<index>> grouped(const std::vector<index>& cell, index cells) {
    std::vector<std::vector<index>> out(static_cast<std::size_t>(cells));
    for (std::size_t i = 0; i < cell.size(); ++i)
        out[static_cast<std::size_t>(cell[i])].push_back(static_cast<index>(i));
    return out;
}

}  // namespace

cell_division divide_into_cells(const kernel& k, const dataset& x, index size, double overlap, std::uint64_t seed,
                                const progress_callback& progress) {
    if (size < 1) fail(errc::invalid_argument, fmt::format("cells: must satisfy size >= 1, got {}", size));
    if (!(overlap >= 0 && overlap <= 1))
        fail(errc::invalid_argument, fmt::format("cells: must satisfy 0 <= overlap <= 1, got {}", overlap));
    require_objects(x, "cells");
    std::vector<index> all(static_cast<std::size_t>(x.size())), centres;
    std::iota(all.begin(), all.end(), index{0});
    centres = far_centres(k, x, all, size, seed);
    // Cells that came out too large are divided again, a few times; those nearly empty are given up.
    for (int round = 0; round < 20; ++round) {
        report(progress, {"cells", std::ssize(centres), 0, 0}, "cells");
        std::ranges::sort(centres);
        centres.erase(std::unique(centres.begin(), centres.end()), centres.end());
        const auto members =
            grouped(nearest_centres(k, x, gather(x, std::span<const index>(centres))), std::ssize(centres));
        std::vector<index> next;
        bool changed = false;
        for (std::size_t c = 0; c < members.size(); ++c) {
            const auto count = std::ssize(members[c]);
            if (count > 2 * size) {
                const auto more = far_centres(k, x, members[c], size, seed + 2 + static_cast<std::uint64_t>(round));
                changed |= more.size() > 1;
                next.insert(next.end(), more.begin(), more.end());
            } else if (10 * count >= size || members.size() == 1) {
                next.push_back(centres[c]);
            } else {
                changed = true;
            }
        }
        if (!changed || next.empty()) break;
        centres = std::move(next);
    }
    std::ranges::sort(centres);
    centres.erase(std::unique(centres.begin(), centres.end()), centres.end());
    return {std::make_shared<const kernel>(k), gather(x, std::span<const index>(centres)), overlap, {}};
}

std::vector<std::vector<cell_division::share>> cell_division::shares(const dataset& x) const {
    std::vector<std::vector<share>> out(static_cast<std::size_t>(x.size()));
    each_distance(*k, x, centres, [&](index i, const double* d) {
        const index nearest = std::min_element(d, d + centres.size()) - d;
        std::vector<share>& mine = out[static_cast<std::size_t>(i)];
        double sum = 0;
        for (index j = 0; j < centres.size(); ++j) {
            const double ratio = d[j] == d[nearest] ? 1 : std::sqrt(d[j] / d[nearest]);
            const double most = reach.empty() ? overlap : reach[static_cast<std::size_t>(j)];
            const double weight = j == nearest ? 1 : most > 0 ? 1 - (ratio - 1) / most : 0;
            if (weight > 0) mine.push_back({j, weight}), sum += weight;
        }
        for (share& each : mine) each.weight /= sum;
    });
    return out;
}

std::vector<std::vector<index>> cell_members(cell_division& cells, const dataset& x) {
    cells.reach.clear();
    std::vector<std::vector<index>> out(static_cast<std::size_t>(cells.centres.size()));
    std::vector<std::vector<std::pair<double, index>>> neighbours(out.size());
    const auto shares = cells.shares(x);
    for (index i = 0; i < x.size(); ++i) {
        const auto& mine = shares[static_cast<std::size_t>(i)];
        const auto own = std::ranges::max_element(mine, {}, &cell_division::share::weight);
        for (const auto& each : mine) {
            const auto cell = static_cast<std::size_t>(each.cell);
            if (each.cell == own->cell)
                out[cell].push_back(i);
            else
                neighbours[cell].emplace_back(-each.weight / own->weight, i);
        }
    }
    for (std::size_t c = 0; c < out.size(); ++c) {
        std::ranges::sort(neighbours[c]);
        const std::size_t count = std::min(neighbours[c].size(), out[c].size());
        // The first example that is left out gets weight 0. Its ratio of distances is 1 + overlap·(1 - weight), with
        // the weight relative to that of its own cell.
        cells.reach.push_back(count < neighbours[c].size() ? cells.overlap * (1 + neighbours[c][count].first)
                                                           : cells.overlap);
        for (std::size_t i = 0; i < count; ++i) out[c].push_back(neighbours[c][i].second);
        std::ranges::sort(out[c]);
    }
    return out;
}

template <>
struct file_form<cell_machine> {
    static void parts(auto& a, auto& m) {
        a.whole("examples", m.examples);
        a.numbers(m.label);
        a.file("bytes", m.bytes);
    }
};
template <>
struct file_form<cells_model> {
    static constexpr std::string_view format = "mercer-cells-model";
    static constexpr int version = 2;  // 1: without the reach of each cell
    static void parts(auto& a, auto& m) {
        const index cells = a.count("cells", m.cells.centres.size(), index{1} << 31);
        a.whole("training_size", m.training_size);
        a.head("machine", m.machine);
        a.numbers(m.cells.overlap);
        if (a.version() > 1) a.list("reach", m.cells.reach, cells);
        a.list("classes", m.classes, 1 << 24);
        a.finite(m.classes, "a class label");
        a.check(std::ranges::is_sorted(m.classes, std::less_equal<>()), "the class labels are not ascending");
        kernel_and_objects(a, m.cells.k, m.cells.centres, cells);
        a.part("machines", m.machines);
        a.check(
            m.machine == "svc" || m.machine == "kernel_logistic" || m.machine == "svr" || m.machine == "kernel_ridge",
            "cells with machines '{}'", m.machine);
        a.check(m.cells.k != nullptr, "cells need a kernel");
        a.check(m.cells.overlap >= 0 && m.cells.overlap <= 1, "an overlap of {}", m.cells.overlap);
        a.check(m.cells.reach.empty() || std::ssize(m.cells.reach) == cells, "{} reaches for {} cells",
                m.cells.reach.size(), cells);
        for (const double each : m.cells.reach)
            a.check(each >= 0 && each <= m.cells.overlap, "a reach of {} with an overlap of {}", each, m.cells.overlap);
        a.check(static_cast<index>(m.machines.size()) == cells, "{} machines for {} cells", m.machines.size(), cells);
    }
};
template struct model_file<cells_model>;

}  // namespace mercer


#include "mercer/meta/cells.h"

#include <fmt/format.h>

#include <algorithm>
#include <atomic>
#include <cmath>
#include <functional>
#include <numeric>

#include "mercer/base/error.h"
#include "mercer/base/random_generator.h"
#include "mercer/base/threads.h"
#include "mercer/data/dataset.h"
#include "mercer/gram/gram_views.h"
#include "mercer/gram/make_gram.h"
#include "mercer/methods/archive.h"
#include "mercer/methods/estimator.h"
#include "mercer/methods/fit_checks.h"
#include "mercer/methods/method.h"
#include "mercer/methods/nystroem/nystroem_problem.h"
#include "mercer/model_selection/search.h"

namespace mercer {
namespace {

// Calls use(i, squared distances of object i to all centres) for every object, from several threads.
template <class Use>
void for_each_distance(const kernel& k, const dataset& x, const dataset& centres, Use use) {
    const auto between = make_gram<double>(k, x, centres, std::size_t{64} << 20);
    std::vector<double> own(static_cast<std::size_t>(x.size())), other(static_cast<std::size_t>(centres.size()));
    make_gram<double>(k, x, std::size_t{64} << 20)->diagonal(own);
    make_gram<double>(k, centres, std::size_t{64} << 20)->diagonal(other);
    parallel_chunks(x.size(), 256, [&](index first, index end) {
        matrix<double> values(end - first, centres.size());
        between->block(row_set(first, end - first), row_set(0, centres.size()), values.view());
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
    for_each_distance(k, x, centres, [&](index i, const double* d) {
        out[static_cast<std::size_t>(i)] = std::min_element(d, d + centres.size()) - d;
    });
    return out;
}

// Chooses centres that are far apart (k-means++) from a sample of `among`, one for each `size` examples.
std::vector<index> choose_far_centres(const kernel& k, const dataset& x, const std::vector<index>& among, index size,
                                      std::uint64_t seed) {
    const auto n = static_cast<index>(among.size());
    const index wanted = std::max<index>(1, (n + size - 1) / size),
                sampled = std::min(n, std::max<index>(1000, 20 * wanted));
    std::vector<index> sample = random_generator(seed).sample(n, sampled);
    for (index& each : sample) each = among[static_cast<std::size_t>(each)];
    std::ranges::sort(sample);
    const auto among_sample = make_gram<double>(k, gather(x, std::span<const index>(sample)), std::size_t{64} << 20);
    std::vector<index> out;
    for (const index each : choose_centres(*among_sample, wanted, centre_choice::kmeans_plus_plus, seed + 1, {}))
        out.push_back(sample[static_cast<std::size_t>(each)]);
    return out;
}

std::vector<std::vector<index>> group_by_cell(const std::vector<index>& cell, index cells) {
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
    centres = choose_far_centres(k, x, all, size, seed);
    // Cells that are too large are divided again, up to 20 times; nearly empty cells are removed.
    for (int round = 0; round < 20; ++round) {
        report(progress, {"cells", std::ssize(centres), 0, 0}, "cells");
        std::ranges::sort(centres);
        centres.erase(std::unique(centres.begin(), centres.end()), centres.end());
        const auto members =
            group_by_cell(nearest_centres(k, x, gather(x, std::span<const index>(centres))), std::ssize(centres));
        std::vector<index> next;
        bool changed = false;
        for (std::size_t c = 0; c < members.size(); ++c) {
            const auto count = std::ssize(members[c]);
            if (count > 2 * size) {
                const auto more =
                    choose_far_centres(k, x, members[c], size, seed + 2 + static_cast<std::uint64_t>(round));
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
    for_each_distance(*k, x, centres, [&](index i, const double* d) {
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
struct file_form<cell_model> {
    static void parts(auto& a, auto& m) {
        a.integer("examples", m.examples);
        a.numbers(m.label);
        a.file("bytes", m.bytes);
    }
};
template <>
struct file_form<cells_model> {
    static constexpr std::string_view format = "mercer-cells-model";
    static constexpr int version = 2;  // version 1 had no reach
    static void parts(auto& a, auto& m) {
        const index cells = a.count("cells", m.cells.centres.size(), index{1} << 31);
        a.integer("training_size", m.training_size);
        a.head("machine", m.machine);
        a.numbers(m.cells.overlap);
        if (a.version() > 1) a.list("reach", m.cells.reach, cells);
        a.list("classes", m.classes, 1 << 24);
        a.check_finite(m.classes, "a class label");
        a.check(std::ranges::is_sorted(m.classes, std::less_equal<>()), "the class labels are not ascending");
        kernel_and_objects(a, m.cells.k, m.cells.centres, cells);
        a.part("machines", m.machines);
        a.check(
            m.machine == "svc" || m.machine == "kernel_logistic" || m.machine == "svr" || m.machine == "kernel_ridge",
            "cells with machines '{}'", m.machine);
        a.check(m.cells.k != nullptr, "cells: a model needs a kernel");
        a.check(m.cells.overlap >= 0 && m.cells.overlap <= 1, "an overlap of {}", m.cells.overlap);
        a.check(m.cells.reach.empty() || std::ssize(m.cells.reach) == cells, "{} reaches for {} cells",
                m.cells.reach.size(), cells);
        for (const double each : m.cells.reach)
            a.check(each >= 0 && each <= m.cells.overlap, "a reach of {} with an overlap of {}", each, m.cells.overlap);
        a.check(static_cast<index>(m.machines.size()) == cells, "{} cells need one model each, got {} models",
                m.machines.size(), cells);
    }
};
template struct model_file<cells_model>;

}  // namespace mercer

namespace mercer::api {

// The methods cells_svc, cells_logistic, cells_svr and cells_ridge.

namespace {

// The fitted models of all cells. A prediction combines the cells that cover the object.
class cells_estimator : public estimator_of<cells_model> {
public:
    explicit cells_estimator(cells_model m) : estimator_of(std::move(m)) {
        for (const cell_model& each : m_.machines) {
            machines_.push_back(each.bytes.empty() ? nullptr : find_method(m_.machine).parse(each.bytes, "a cell"));
            check_machine(machines_.size() - 1);
        }
    }
    std::string kernel_text() const override { return m_.cells.k->text(); }
    target_kind prediction_kind() const override {
        return m_.classes.empty() ? target_kind::values : target_kind::classes;
    }
    // Regression: the weighted mean of the predictions of the cells. Classification: the weighted mean of their scores,
    // a column for each class.
    matrix<double> decide(const examples& x) const override {
        return combine(x.objects(), [&](const estimator& machine, const dataset& some) -> matrix<double> {
            if (m_.classes.empty()) return column_of(machine.predict(some));
            if (m_.machine == "kernel_logistic") return machine.probabilities(some);
            matrix<double> f = estimator_scores(machine, some, machine.predict(some)).value();
            if (!has_two_classes()) softmax_rows(f);
            return f;
        });
    }
    matrix<double> scores(const examples& x) const override {
        if (m_.classes.empty()) return estimator::scores(x);
        return decide(x);
    }
    matrix<double> probabilities(const examples& x) const override {
        if (m_.machine != "kernel_logistic") return estimator::probabilities(x);
        return decide(x);
    }
    std::vector<double> predict(const examples& x) const override {
        // With thousands of classes the scores are computed for batches of objects of about 64 MB.
        const index rows = std::max<index>(1024, (index{1} << 23) / std::max<index>(1, std::ssize(m_.classes)));
        if (x.size() > rows) {
            std::vector<double> all;
            for (index first = 0; first < x.size(); first += rows) {
                const dataset some = mercer::part(x.objects(), first, std::min(rows, x.size() - first));
                std::ranges::copy(predict(some), std::back_inserter(all));
            }
            return all;
        }
        const matrix<double> f = decide(x);
        std::vector<double> out;
        for (index i = 0; i < f.rows(); ++i)
            out.push_back(
                m_.classes.empty()
                    ? f(i, 0)
                    : m_.classes[static_cast<std::size_t>(std::max_element(f.row(i), f.row(i) + f.cols()) - f.row(i))]);
        return out;
    }
    columns details(const examples& x) const override {
        if (m_.classes.empty()) return estimator::details(x);
        return {decide(x), label_names(m_.machine == "kernel_logistic" ? "p" : "score", m_.classes)};
    }
    summary summarise() const override {
        index most = 0, least = m_.training_size, alone = 0;
        for (const cell_model& each : m_.machines) {
            most = std::max(most, each.examples), least = std::min(least, each.examples);
            alone += each.bytes.empty();
        }
        summary out{{"cells", std::ssize(m_.machines)},
                    {"smallest_cell", least},
                    {"largest_cell", most},
                    {"training_size", m_.training_size}};
        if (!m_.classes.empty()) out.add("cells_of_one_class", alone);
        return out;
    }
    std::string warning() const override {
        index count = 0;
        std::string first;
        for (const estimator_ptr& each : machines_)
            if (const std::string wrong = each ? each->warning() : std::string(); !wrong.empty()) {
                if (count++ == 0) first = wrong;
            }
        return count == 0 ? "" : fmt::format("{} of {} cells: {}", count, machines_.size(), first);
    }

private:
    // Throws an error with errc::parse if the model of a cell is missing although one is needed, has another kind of
    // prediction, or predicts a class that is not among the classes of the whole model.
    void check_machine(std::size_t c) const {
        const bool regression = m_.classes.empty();
        if (machines_[c] ? machines_[c]->prediction_kind() != prediction_kind() : regression)
            fail(errc::parse,
                 fmt::format("cell {} has no model that predicts {}", c + 1, regression ? "values" : "classes"));
        if (regression) return;
        for (const double label : classes_of(c))
            if (!std::ranges::binary_search(m_.classes, label))
                fail(errc::parse, fmt::format("cell {} has the class {}, which is not among the classes of the model",
                                              c + 1, label));
    }
    static matrix<double> column_of(const std::vector<double>& values) {
        matrix<double> out(std::ssize(values), 1);
        std::ranges::copy(values, out.data());
        return out;
    }

    bool has_two_classes() const { return m_.classes.size() == 2; }
    // Scores that count votes grow with the number of classes in a cell, so cells with different classes have no common
    // scale. The softmax turns them into shares that sum to 1; one vote less divides a share by e⁴. The order of the
    // classes does not change.
    static void softmax_rows(matrix<double>& f) {
        constexpr double a_vote = 4;
        for (index i = 0; i < f.rows(); ++i) {
            double* const row = f.row(i);
            const double most = *std::max_element(row, row + f.cols());
            double sum = 0;
            for (index j = 0; j < f.cols(); ++j) sum += row[j] = std::exp(a_vote * (row[j] - most));
            for (index j = 0; j < f.cols(); ++j) row[j] /= sum;
        }
    }

    template <class Ask>
    matrix<double> combine(const dataset& x, Ask predict_some) const {
        const index width = m_.classes.empty() ? 1 : std::ssize(m_.classes);
        const auto shares = m_.cells.shares(x);
        std::vector<std::vector<std::pair<index, double>>> queries(machines_.size());
        for (index i = 0; i < x.size(); ++i)
            for (const auto& each : shares[static_cast<std::size_t>(i)])
                queries[static_cast<std::size_t>(each.cell)].emplace_back(i, each.weight);
        matrix<double> out(x.size(), width);
        // Adds in the order of the cells, so that the sums are deterministic.
        for (std::size_t c = 0; c < machines_.size(); ++c) {
            if (queries[c].empty()) continue;
            std::vector<index> rows;
            for (const auto& [row, weight] : queries[c]) rows.push_back(row);
            const dataset some = gather(x, std::span<const index>(rows));
            const matrix<double> f = machines_[c] ? predict_some(*machines_[c], some) : matrix<double>();
            const std::vector<index> place = class_positions(c);
            for (std::size_t i = 0; i < rows.size(); ++i)
                add(out.row(rows[i]), width, queries[c][i].second, f, static_cast<index>(i), place);
        }
        return out;
    }
    std::vector<double> classes_of(std::size_t c) const {
        return machines_[c] ? machines_[c]->classes() : std::vector<double>{m_.machines[c].label};
    }
    // The positions of the classes of a cell among all classes.
    std::vector<index> class_positions(std::size_t c) const {
        if (m_.classes.empty()) return {0};
        std::vector<index> out;
        for (const double each : classes_of(c))
            out.push_back(std::ranges::lower_bound(m_.classes, each) - m_.classes.begin());
        return out;
    }
    // Adds the weighted scores of a cell; classes that the cell does not have get nothing. With two classes and
    // decision values, a cell with a single class gives -1 to the other class.
    void add(double* to, index width, double weight, const matrix<double>& f, index row,
             const std::vector<index>& place) const {
        if (f.cols() == 0) {  // the cell has a single class
            const double others = has_two_classes() && m_.machine != "kernel_logistic" ? -1 : 0;
            for (index j = 0; j < width; ++j) to[j] += weight * (j == place[0] ? 1.0 : others);
            return;
        }
        for (index j = 0; j < f.cols(); ++j) to[place[static_cast<std::size_t>(j)]] += weight * f(row, j);
    }

    std::vector<estimator_ptr> machines_;
};

// The kernel with its width as a free parameter, if it has one.
std::string open_width(const kernel& k) {
    const std::string name = k.node().form().operation;
    if (name == "rbf" || name == "laplacian") return name + "(gamma=?)";
    return k.text();
}

// The training data of a cell, or all training data.
struct cell_data {
    dataset x;
    std::vector<double> y, weight;
};
cell_data select_data(const cell_data& all, const std::vector<index>& rows) {
    cell_data out{gather(all.x, std::span<const index>(rows)), {}, {}};
    for (const index each : rows) {
        const auto at = static_cast<std::size_t>(each);
        out.y.push_back(all.y[at]);
        if (!all.weight.empty()) out.weight.push_back(all.weight[at]);
    }
    return out;
}
// Removes examples with weight 0: they take no part in the division either.
cell_data select_data(const fit_call& t, const std::string& owner) {
    const std::span<const double> y = t.targets();
    cell_data out{t.x.objects(), {y.begin(), y.end()}, t.sample_weight};
    if (out.weight.empty()) return out;
    checked_weights(out.weight, out.x.size(), 1, owner);
    std::vector<index> rows;
    for (index i = 0; i < out.x.size(); ++i)
        if (out.weight[static_cast<std::size_t>(i)] > 0) rows.push_back(i);
    return std::ssize(rows) == out.x.size() ? out : select_data(out, rows);
}

estimator_ptr fit_cell(const std::string& machine, const settings& inner_options, bool tuned, const cell_data& from,
                       const fit_call& t, const fit_control& control) {
    const method& m = find_method(machine);
    settings options = inner_options;
    std::shared_ptr<const kernel> k = t.k;
    if (tuned) {
        spec open{machine, open_width(*k), "", options, {}, {}};
        for (auto& [name, value] : open.options)
            if (name == "C" || name == "alpha") value = "?";
        table data{from.x, from.y, {}, {}};
        tune_options how;
        how.points = 5, how.max_rows = 2000;
        const spec chosen = tune(open, data, how, control).chosen_spec();
        options = chosen.options;
        k = std::make_shared<const kernel>(kernel::parse(chosen.kernel));
    }
    const matrix_view<const double> y(from.y.data(), from.x.size(), 1);
    return fit(m, option_values(m.name, m.options, options), {from.x, y, k, from.weight, t.class_weight, {}}, control);
}

bool has_one_label(const cell_data& of) {
    return std::ranges::all_of(of.y, [&](double y) { return y == of.y.front(); });
}

template <class Value>
estimator_ptr fit_cells(const Value& v, const fit_call& t) {
    const std::string owner = Value::info().name;
    const cell_data all = select_data(t, owner);
    const dataset& x = all.x;
    const bool classes = Value::info().targets == target_kind::classes;
    cells_model out;
    out.machine = Value::machine, out.training_size = x.size();
    if (classes) {
        out.classes = distinct_labels(all.y, x.size(), owner);
        if (out.classes.size() < 2)
            fail(errc::data, fmt::format("{}: at least two classes are needed, the {} examples all have label {}",
                                         owner, x.size(), out.classes.front()));
    }
    const progress_callback ask = t.watch.callback();
    out.cells = divide_into_cells(*t.k, x, v.size, v.overlap, static_cast<std::uint64_t>(v.seed), ask);
    const auto members = cell_members(out.cells, x);
    // The options of the inner method that have the same name as ours.
    settings inner_options;
    const method& inner = find_method(out.machine);
    for (const option_info& each : options_of(v))
        if (each.name != "seed" &&
            std::ranges::find(inner.options, each.name, &option_info::name) != inner.options.end())
            inner_options.emplace_back(each.name, each.default_value);

    // Starts with the largest cells, so that the threads finish at about the same time.
    std::vector<std::size_t> order(members.size());
    std::iota(order.begin(), order.end(), std::size_t{0});
    std::ranges::stable_sort(order, std::ranges::greater{}, [&](std::size_t c) { return members[c].size(); });
    out.machines.resize(members.size());
    fit_control control = t.control;
    control.progress = {};
    const bool side_by_side = std::ssize(members) >= threads();
    if (side_by_side && control.memory_bytes) control.memory_bytes /= static_cast<std::size_t>(threads());
    std::atomic<index> done = 0;
    const auto work = [&](index item) {
        const std::size_t c = order[static_cast<std::size_t>(item)];
        const cell_data from = select_data(all, members[c]);
        cell_model& made = out.machines[c];
        made.examples = from.x.size();
        if (classes && has_one_label(from))
            made.label = from.y.front();
        else
            made.bytes = fit_cell(out.machine, inner_options, v.tune, from, t, control)->bytes();
        report(ask, {"cells", ++done, std::ssize(members), 0}, owner);
    };
    if (side_by_side)
        parallel_for(std::ssize(members), work);
    else
        for (index item = 0; item < std::ssize(members); ++item) work(item);
    return t.made<cells_estimator>(std::move(out));
}

}  // namespace

std::vector<method> cell_methods() {
    return {entry<cells_svc, cells_estimator>(fit_cells<cells_svc>),
            entry<cells_logistic, cells_estimator>(fit_cells<cells_logistic>),
            entry<cells_svr, cells_estimator>(fit_cells<cells_svr>),
            entry<cells_ridge, cells_estimator>(fit_cells<cells_ridge>)};
}

}  // namespace mercer::api

#include "mercer/methods/svm/model_file.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <numeric>
#include <type_traits>
#include <utility>
#include <vector>

#include "mercer/base/error.h"
#include "mercer/io/expected_file.h"
#include "mercer/methods/codec.h"
#include "mercer/methods/svm/libsvm_model.h"

namespace mercer {

template <>
struct file_form<svm_report> {
    static void parts(auto& a, auto& r) {
        if (a.version() > 1)
            a.counts(r.status, r.steps, r.rounds, r.flat_steps, r.concave_steps, r.size, r.margin_vectors, r.no_margin);
        else
            a.counts(r.status, r.steps, r.rounds, r.flat_steps, r.concave_steps, r.size, r.margin_vectors);
        a.check(r.status <= fit_status::stalled, "unknown status {}", static_cast<int>(r.status));
        a.numbers(r.gap, r.objective, r.offset_low, r.offset_high, r.epsilon);
        if (a.version() > 1) {
            a.numbers(r.C);
            a.check(r.C >= 0 && std::isfinite(r.C), "C is {}", r.C);
        }
        if constexpr (!std::is_const_v<std::remove_reference_t<decltype(r)>>)
            if (r.offset_low > r.offset_high) std::swap(r.offset_low, r.offset_high);  // as files of version 1 have it
    }
};

template <>
struct file_form<calibration> {
    static void parts(auto& a, auto& p) {
        a.choice("kind", p.kind, {"sigmoid", "isotonic"});
        a.numbers(p.sigma);
        const index sigmoids = a.count("sigmoids", std::ssize(p.A));
        a.list(p.A, sigmoids);
        a.list(p.B, sigmoids);
        std::vector<index> knots;
        for (const auto& each : p.knots) knots.push_back(std::ssize(each));
        a.head("knots", knots);
        a.resize(p.knots, std::ssize(knots));
        a.resize(p.values, std::ssize(knots));
        for (std::size_t i = 0; i < knots.size(); ++i) a.list(p.knots[i], knots[i]), a.list(p.values[i], knots[i]);
    }
};

template <>
struct file_form<svm_model> {
    static constexpr std::string_view format = "mercer-svm-model";
    // 1: reports without C and no_margin, offset_low and offset_high in any order
    // 2: a report of each problem, a coefficient for each support vector and row
    static constexpr int version = 3;
    static constexpr index most_sparse_numbers = index{1} << 28;  // of the table that sparse coefficients become

    static void parts(auto& a, auto& m) {
        a.choice("task", m.task, svm_task::nu_svr);
        a.choice("scheme", m.scheme, {"one_vs_one", "one_vs_rest"});
        a.kernel(m.k, m.kernel_text);
        a.head("class_names", m.class_names);
        a.head("class_support", m.class_support);
        a.whole("training_size", m.training_size);
        a.whole("dims", m.dims);
        const index rows = a.count("coef_rows", m.coef.rows(), 1 << 24), support = a.count("support", m.coef.cols());
        a.numbers(m.C);
        a.list("classes", m.classes);
        a.finite(m.classes, "a class label");
        a.list("problems", m.offset);
        if (a.version() > 2 && a.flag("sparse_coef", is_sparse(m)))
            sparse_table(a, m.coef, rows, support);
        else
            a.table(m.coef, rows, support);
        a.list(m.support_rows, support);
        // -1: not an example but w itself (svm_solvers.h)
        a.within(m.support_rows, m.k ? -1 : 0, m.training_size, "the number of a support vector");
        a.part("reports", m.reports);
        a.check(a.version() < 3 || m.reports.size() < 2 || std::ssize(m.reports) == m.problems(),
                "{} reports for {} problems", m.reports.size(), m.problems());
        a.part("probability", m.probability);
        if (m.k) a.objects("objects", m.support);
        check(a, m);
    }

    // Models that versions before 3 can hold are written as version 2, for earlier versions of the program.
    static int version_of(const svm_model& m) {
        const bool one_report = m.reports.size() == 1 && m.problems() > 1;
        return one_report || is_sparse(m) ? 3 : 2;
    }

    // Whether a list of the coefficients that are not 0 takes less than half of the table, and the table over 1 MB.
    static bool is_sparse(const svm_model& m) {
        const index all = m.coef.rows() * m.coef.cols();
        if (all <= index{1} << 17 || all > most_sparse_numbers) return false;
        const index zeros = std::count(m.coef.data(), m.coef.data() + all, 0.0);
        return 2 * (2 * (all - zeros) + m.coef.rows()) < all;
    }

    // The number of coefficients in each row that are not 0; then their columns; then their values.
    static void sparse_table(auto& a, auto& coef, index rows, index cols) {
        constexpr bool writes = std::is_const_v<std::remove_reference_t<decltype(coef)>>;
        std::vector<index> counts(writes ? static_cast<std::size_t>(rows) : 0), column;
        std::vector<double> value;
        if constexpr (writes)
            for (index m = 0; m < rows; ++m)
                for (index s = 0; s < cols; ++s)
                    if (coef(m, s) != 0) {
                        ++counts[static_cast<std::size_t>(m)];
                        column.push_back(s), value.push_back(coef(m, s));
                    }
        a.list(counts, rows);
        a.within(counts, 0, cols + 1, "the number of coefficients in a row");
        const index entries = std::accumulate(counts.begin(), counts.end(), index{0});
        a.list(column, entries);
        a.within(column, 0, cols, "the column of a coefficient");
        a.list(value, entries);
        if constexpr (!writes) {
            a.check(cols == 0 || rows <= most_sparse_numbers / cols, "{} x {} coefficients are too many", rows, cols);
            coef = matrix<double>(rows, cols);
            std::size_t at = 0;
            for (index m = 0; m < rows; ++m)
                for (index e = 0; e < counts[static_cast<std::size_t>(m)]; ++e, ++at) coef(m, column[at]) = value[at];
        }
    }

    // The parts must fit each other: everything predict() relies on.
    static void check(auto& a, const svm_model& m) {
        const index k = std::ssize(m.classes), count = m.coef.cols();
        a.check(m.is_classifier() ? k >= 1 : k == 0, "a classifier has classes, others have none");
        a.check(k < (1 << 20), "too many classes");
        a.check(m.problems() == m.pairs().count(), "the number of offsets does not fit the classes");
        a.check(m.coef.rows() == m.pairs().coefficient_rows() || count == 0,
                "the rows of coefficients do not fit the classes");
        a.check(!m.k || m.support.size() == count, "the support objects do not fit their coefficients");
        if (!m.is_classifier()) return;
        a.check(std::ssize(m.class_support) == k, "support vectors are not counted by class");
        a.within(m.class_support, 0, count + 1, "a count of support vectors");
        a.check(std::accumulate(m.class_support.begin(), m.class_support.end(), index{0}) == count,
                "the counts of support vectors do not add up");
        if (!m.probability) return;
        const auto fits = [&](const auto& list) { return std::ssize(list) == m.problems(); };
        const calibration& p = *m.probability;
        a.check(p.kind == calibration::method::sigmoid ? fits(p.A) : fits(p.knots),
                "the probabilities do not fit the problems");
    }
};

template <>
std::string model_file<svm_model>::bytes(const svm_model& m) {
    archive_writer out(file_form<svm_model>::version_of(m));
    out.part(m);
    return out.bytes(file_form<svm_model>::format);
}
template struct model_file<svm_model>;

svm_model parse_any_model(std::string_view bytes, const std::string& name, bool zero_based) {
    if (!bytes.starts_with(file_form<svm_model>::format)) return parse_libsvm_model(bytes, name, zero_based);
    svm_model model = parse_model<svm_model>(bytes, name);
    if (!zero_based || !model.k) return model;
    const auto* x = model.support.as<sparse<double>>();
    if (!x)
        fail(errc::unsupported,
             fmt::format("{}: only a model of sparse double vectors can be moved to columns that start from 0", name));
    std::vector<index> start{0};
    std::vector<std::int32_t> col;
    std::vector<double> val;
    for (index i = 0; i < x->size(); ++i) {
        for (const std::int32_t c : x->cols(i)) col.push_back(c + 1);
        val.insert(val.end(), x->values(i).begin(), x->values(i).end());
        start.push_back(static_cast<index>(col.size()));
    }
    model.dims = x->dims() + 1;
    model.support = sparse<double>(std::move(start), std::move(col), std::move(val), model.dims);
    return model;
}

bool begins_any_model(std::string_view text) { return text.starts_with("mercer-") || begins_libsvm_model(text); }

svm_model load_any_model(const std::string& path, bool zero_based) {
    const source file = read_expected(path, begins_any_model);
    return made_of(file, [&] { return parse_any_model(file.bytes(), file.name(), zero_based); });
}

}  // namespace mercer

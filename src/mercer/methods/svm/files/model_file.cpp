#include "mercer/methods/svm/files/model_file.h"

#include <fmt/format.h>

#include <limits>
#include <nlohmann/json.hpp>

#include "mercer/base/error.h"
#include "mercer/base/file.h"
#include "mercer/data/readers/source.h"
#include "mercer/kernels/algebra.h"
#include "mercer/methods/archive.h"
#include "mercer/methods/svm/files/libsvm_model.h"

namespace mercer {
namespace {

using json = nlohmann::json;
constexpr std::string_view format_name = "mercer-svm-model";
constexpr int version = 1;

void write_report(const svm_report& r, json& counts, archive_writer& out) {
    counts.push_back(
        {static_cast<int>(r.status), r.steps, r.rounds, r.flat_steps, r.concave_steps, r.size, r.margin_vectors});
    for (const double value : {r.gap, r.objective, r.offset_low, r.offset_high, r.epsilon}) out.one(value);
}

svm_report read_report(const json& counts, archive_reader& in) {
    if (!counts.is_array() || counts.size() != 7) throw std::runtime_error("a report must have 7 counts");
    const auto count = [&](std::size_t i, index most = std::numeric_limits<index>::max()) {
        const json one{{"count", counts[i]}};
        return whole(one, "count", most);
    };
    svm_report r;
    r.status = static_cast<fit_status>(count(0, static_cast<index>(fit_status::stalled)));
    r.steps = count(1), r.rounds = count(2), r.flat_steps = count(3), r.concave_steps = count(4), r.size = count(5),
    r.margin_vectors = count(6);
    for (double* value : {&r.gap, &r.objective, &r.offset_low, &r.offset_high, &r.epsilon}) *value = in.one();
    return r;
}

// The parts must fit each other: everything predict() relies on.
void check(const svm_model& m, const archive_reader& in) {
    const index k = static_cast<index>(m.classes.size()), count = m.coef.cols();
    const auto need = [&](bool ok, const char* what) {
        if (!ok) in.bad(what);
    };
    need(m.is_classifier() ? k >= 1 : k == 0, "a classifier has classes, others have none");
    need(k < (1 << 20), "too many classes");
    need(m.problems() == m.pairs().count(), "the number of offsets does not fit the classes");
    need(m.coef.rows() == m.pairs().coefficient_rows() || count == 0,
         "the rows of coefficients do not fit the classes");
    need(static_cast<index>(m.support_rows.size()) == count,
         "the numbers of the support vectors do not fit their coefficients");
    need(!m.k || m.support.size() == count, "the support objects do not fit their coefficients");
    // -1: not an example but w itself (train.h)
    for (const index row : m.support_rows)
        need(row >= (m.k ? -1 : 0) && row < m.training_size, "a support vector is not among the training examples");
    if (m.is_classifier()) {
        need(static_cast<index>(m.class_support.size()) == k, "support vectors are not counted by class");
        index sum = 0;
        for (const index each : m.class_support) {
            need(each >= 0 && each <= count, "a count of support vectors is out of range");
            sum += each;
        }
        need(sum == count, "the counts of support vectors do not add up");
    }
    if (!m.probability || !m.is_classifier()) return;
    const auto fits = [&](const auto& list) { return static_cast<index>(list.size()) == m.problems(); };
    if (m.probability->kind == calibration::method::sigmoid)
        need(fits(m.probability->A) && fits(m.probability->B), "the sigmoids do not fit the problems");
    else
        need(fits(m.probability->knots) && fits(m.probability->values), "the step functions do not fit the problems");
}

}  // namespace

std::string model_bytes(const svm_model& m) {
    archive_writer out;
    json& head = out.head;
    head = {{"task", name(m.task)},
            {"scheme", m.scheme == multiclass::one_vs_one ? "one_vs_one" : "one_vs_rest"},
            {"kernel", m.k ? lasting_text(*m.k) : m.kernel_text},
            {"precomputed", !m.k}};
    head["class_names"] = m.class_names;
    head["classes"] = m.classes.size();
    head["class_support"] = m.class_support;
    head["problems"] = m.offset.size();
    head["support"] = m.coef.cols();
    head["coef_rows"] = m.coef.rows();
    head["training_size"] = m.training_size;
    head["dims"] = m.dims;
    out.one(m.C);
    out.all(m.classes);
    out.all(m.offset);
    out.numbers(m.coef);
    out.all(m.support_rows);
    head["reports"] = json::array();
    for (const auto& each : m.reports) write_report(each, head["reports"], out);
    if (m.probability) {
        const calibration& p = *m.probability;
        json about{{"kind", p.kind == calibration::method::sigmoid ? "sigmoid" : "isotonic"},
                   {"sigmoids", p.A.size()},
                   {"knots", json::array()}};
        out.one(p.sigma);
        out.all(p.A);
        out.all(p.B);
        for (std::size_t i = 0; i < p.knots.size(); ++i) {
            about["knots"].push_back(p.knots[i].size());
            out.all(p.knots[i]);
            out.all(p.values[i]);
        }
        head["probability"] = about;
    }
    if (m.k) out.objects("objects", m.support);
    return out.bytes(format_name, version);
}

void save_model(const svm_model& model, const std::string& path) { write_atomically(path, model_bytes(model)); }

svm_model parse_model(std::string_view bytes, const std::string& name) {
    archive_reader in(bytes, format_name, version, name);
    const json& head = in.head;
    svm_model m;
    in.read([&] {
        const std::string task = head.at("task").get<std::string>(), scheme = head.at("scheme").get<std::string>();
        int which = 0;
        while (which < 5 && task != mercer::name(static_cast<svm_task>(which))) ++which;
        if (which == 5) in.bad("unknown task " + task);
        m.task = static_cast<svm_task>(which);
        if (scheme != "one_vs_one" && scheme != "one_vs_rest") in.bad("unknown scheme " + scheme);
        m.scheme = scheme == "one_vs_one" ? multiclass::one_vs_one : multiclass::one_vs_rest;
        m.kernel_text = head.at("kernel").get<std::string>();
        if (!head.at("precomputed").get<bool>()) m.k = std::make_shared<const kernel>(kernel::parse(m.kernel_text));
        m.class_names = head.at("class_names").get<std::vector<std::string>>();
        m.class_support = head.at("class_support").get<std::vector<index>>();
        m.training_size = whole(head, "training_size");
        m.dims = whole(head, "dims");
        const index support = whole(head, "support"), rows = whole(head, "coef_rows", 1 << 24);
        m.C = in.one();
        m.classes = in.class_labels(whole(head, "classes"));
        m.offset = in.all<double>(whole(head, "problems"));
        m.coef = in.numbers(rows, support);
        m.support_rows = in.all<index>(support);
        for (const auto& counts : head.at("reports")) m.reports.push_back(read_report(counts, in));
        if (head.contains("probability")) {
            const json& about = head.at("probability");
            calibration p;
            const std::string kind = about.at("kind").get<std::string>();
            if (kind != "sigmoid" && kind != "isotonic") in.bad("unknown calibration " + kind);
            p.kind = kind == "sigmoid" ? calibration::method::sigmoid : calibration::method::isotonic;
            p.sigma = in.one();
            const index sigmoids = whole(about, "sigmoids");
            p.A = in.all<double>(sigmoids);
            p.B = in.all<double>(sigmoids);
            for (const auto& count : about.at("knots")) {
                const json one{{"knots", count}};
                p.knots.push_back(in.all<double>(whole(one, "knots")));
                p.values.push_back(in.all<double>(whole(one, "knots")));
            }
            m.probability = std::move(p);
        }
        if (m.k) m.support = in.objects("objects");
        check(m, in);
    });
    return m;
}

svm_model load_model(const std::string& path) {
    const source file = read_source(path);
    return parse_model(file.bytes(), file.name());
}

svm_model parse_any_model(std::string_view bytes, const std::string& name, bool zero_based) {
    if (!bytes.starts_with(format_name)) return parse_libsvm_model(bytes, name, zero_based);
    svm_model model = parse_model(bytes, name);
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

svm_model load_any_model(const std::string& path, bool zero_based) {
    const source file = read_source(path);
    return parse_any_model(file.bytes(), file.name(), zero_based);
}

}  // namespace mercer

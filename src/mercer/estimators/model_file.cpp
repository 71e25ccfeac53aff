#include "mercer/estimators/model_file.h"

#include <fmt/format.h>

#include <bit>
#include <cstring>
#include <limits>
#include <nlohmann/json.hpp>

#include "mercer/base/error.h"
#include "mercer/base/file.h"
#include "mercer/data/readers/source.h"
#include "mercer/estimators/libsvm_model.h"

namespace mercer {
namespace {

static_assert(std::endian::native == std::endian::little, "model files are little-endian: byte order has to be turned here");

using json = nlohmann::json;
constexpr std::string_view format_name = "mercer-svm-model";
constexpr int version = 1;
constexpr index many = index{1} << 48;

std::uint64_t checksum(std::string_view bytes) {
    // FNV-1a over words of 8 bytes, the tail padded with zeros
    std::uint64_t sum = 0xCBF29CE484222325ull;
    for (std::size_t at = 0; at < bytes.size(); at += 8) {
        std::uint64_t word = 0;
        std::memcpy(&word, bytes.data() + at, std::min<std::size_t>(8, bytes.size() - at));
        sum = (sum ^ word) * 0x100000001B3ull;
        sum ^= sum >> 29;
    }
    return sum;
}

class number_writer {
public:
    template <class T>
    void all(std::span<const T> values) {
        out_.append(reinterpret_cast<const char*>(values.data()), values.size_bytes());
    }
    template <class T>
    void all(const std::vector<T>& values) {
        all(std::span<const T>(values));
    }
    void one(double value) { all(std::span<const double>(&value, 1)); }
    std::string& text() { return out_; }

private:
    std::string out_;
};

class number_reader {
public:
    number_reader(std::string_view bytes, const std::string& name) : rest_(bytes), name_(name) {}
    template <class T>
    std::vector<T> all(index count) {
        need(count, sizeof(T));
        std::vector<T> out(static_cast<std::size_t>(count));
        if (count > 0) std::memcpy(out.data(), rest_.data(), out.size() * sizeof(T));
        rest_.remove_prefix(out.size() * sizeof(T));
        return out;
    }
    double one() { return all<double>(1)[0]; }
    std::string_view text(index count) {
        need(count, 1);
        const std::string_view out = rest_.substr(0, static_cast<std::size_t>(count));
        rest_.remove_prefix(out.size());
        return out;
    }
    void finish() const {
        if (!rest_.empty()) bad(fmt::format("{} bytes are left over", rest_.size()));
    }
    [[noreturn]] void bad(const std::string& why) const { fail(errc::parse, fmt::format("{}: not a valid model: {}", name_, why)); }

private:
    void need(index count, std::size_t size) const {
        if (count < 0 || static_cast<std::size_t>(count) > rest_.size() / size) bad(fmt::format("{} numbers of {} bytes are announced, {} bytes are there", count, size, rest_.size()));
    }
    std::string_view rest_;
    const std::string& name_;
};

// Support objects: how many and of what kind in the JSON, contents in the numbers.
json write_objects(const dataset& x, number_writer& out) {
    return std::visit(
        [&](const auto& some) -> json {
            using kind = std::decay_t<decltype(some)>;
            json about{{"size", some.size()}};
            if constexpr (requires { some.row(0); }) {
                about["kind"] = std::is_same_v<kind, dense<double>> ? "dense64" : "dense32";
                about["dims"] = some.dims();
                for (index i = 0; i < some.size(); ++i) out.all(std::span(some.row(i), static_cast<std::size_t>(some.dims())));
            } else if constexpr (requires { some.cols(0); }) {
                about["kind"] = std::is_same_v<kind, sparse<double>> ? "sparse64" : "sparse32";
                about["dims"] = some.dims();
                about["entries"] = some.nonzeros();
                std::vector<index> lengths;
                for (index i = 0; i < some.size(); ++i) lengths.push_back(static_cast<index>(some.cols(i).size()));
                out.all(lengths);
                for (index i = 0; i < some.size(); ++i) out.all(some.cols(i));
                for (index i = 0; i < some.size(); ++i) out.all(some.values(i));
            } else if constexpr (std::is_same_v<kind, strings>) {
                about["kind"] = "strings";
                std::vector<index> lengths;
                for (index i = 0; i < some.size(); ++i) lengths.push_back(static_cast<index>(some[i].size()));
                out.all(lengths);
                for (index i = 0; i < some.size(); ++i) out.text() += some[i];
            } else if constexpr (std::is_same_v<kind, sets>) {
                about["kind"] = "sets";
                std::vector<index> lengths;
                for (index i = 0; i < some.size(); ++i) lengths.push_back(static_cast<index>(some[i].size()));
                out.all(lengths);
                for (index i = 0; i < some.size(); ++i) out.all(some[i]);
            } else {
                fail(errc::unsupported, fmt::format("a model file cannot hold {}", name(dataset(some).kind())));
            }
            return about;
        },
        x.items());
}

index whole(const json& from, const char* key, index most = many) {
    const json& value = from.at(key);
    if (!value.is_number_integer() || value.is_number_float()) throw std::runtime_error(fmt::format("{} must be a whole number, got {}", key, value.dump()));
    if (value.is_number_unsigned() && value.get<std::uint64_t>() > static_cast<std::uint64_t>(most)) throw std::runtime_error(fmt::format("{} must be <= {}, got {}", key, most, value.dump()));
    const auto got = value.get<index>();
    if (got < 0 || got > most) throw std::runtime_error(fmt::format("{} must satisfy 0 <= {} <= {}, got {}", key, key, most, got));
    return got;
}

template <class T>
dataset read_dense(const json& about, number_reader& in) {
    const index rows = whole(about, "size"), dims = whole(about, "dims", std::numeric_limits<std::int32_t>::max());
    if (dims > 0 && rows > many / dims) in.bad("too many coordinates");
    const auto values = in.all<T>(rows * dims);
    matrix<T> out(rows, dims);
    std::copy(values.begin(), values.end(), out.data());
    return dense<T>(std::move(out));
}

// Lengths → starts, their sum checked.
std::vector<index> read_starts(const json& about, number_reader& in) {
    std::vector<index> start{0};
    for (const index length : in.all<index>(whole(about, "size"))) {
        if (length < 0 || length > many - start.back()) in.bad(fmt::format("an object of length {}", length));
        start.push_back(start.back() + length);
    }
    return start;
}

template <class T>
dataset read_sparse(const json& about, number_reader& in) {
    auto start = read_starts(about, in);
    const index entries = start.back();
    auto cols = in.all<std::int32_t>(entries);
    auto values = in.all<T>(entries);
    return sparse<T>(std::move(start), std::move(cols), std::move(values), whole(about, "dims", index{1} << 31));
}

dataset read_objects(const json& about, number_reader& in) {
    const std::string kind = about.at("kind").get<std::string>();
    if (kind == "dense64") return read_dense<double>(about, in);
    if (kind == "dense32") return read_dense<float>(about, in);
    if (kind == "sparse64") return read_sparse<double>(about, in);
    if (kind == "sparse32") return read_sparse<float>(about, in);
    if (kind == "strings") {
        const auto start = read_starts(about, in);
        std::vector<std::string> items;
        for (std::size_t i = 0; i + 1 < start.size(); ++i) items.emplace_back(in.text(start[i + 1] - start[i]));
        return strings(std::move(items));
    }
    if (kind == "sets") {
        const auto start = read_starts(about, in);
        std::vector<std::vector<std::int64_t>> items;
        for (std::size_t i = 0; i + 1 < start.size(); ++i) items.push_back(in.all<std::int64_t>(start[i + 1] - start[i]));
        return sets(std::move(items));
    }
    throw std::runtime_error(fmt::format("unknown kind of support objects: {}", kind));
}

void write_report(const svm_report& r, json& counts, number_writer& out) {
    counts.push_back({static_cast<int>(r.status), r.steps, r.rounds, r.flat_steps, r.concave_steps, r.size, r.margin_vectors});
    for (const double value : {r.gap, r.objective, r.offset_low, r.offset_high, r.epsilon}) out.one(value);
}

svm_report read_report(const json& counts, number_reader& in) {
    if (!counts.is_array() || counts.size() != 7) throw std::runtime_error("a report must have 7 counts");
    const auto count = [&](std::size_t i, index most = std::numeric_limits<index>::max()) {
        const json one{{"count", counts[i]}};
        return whole(one, "count", most);
    };
    svm_report r;
    r.status = static_cast<smo_status>(count(0, static_cast<index>(smo_status::stalled)));
    r.steps = count(1), r.rounds = count(2), r.flat_steps = count(3), r.concave_steps = count(4), r.size = count(5), r.margin_vectors = count(6);
    for (double* value : {&r.gap, &r.objective, &r.offset_low, &r.offset_high, &r.epsilon}) *value = in.one();
    return r;
}

// The parts must fit each other: everything predict() relies on.
void check(const svm_model& m, const number_reader& in) {
    const index k = static_cast<index>(m.classes.size()), count = m.coef.cols();
    const auto need = [&](bool ok, const char* what) {
        if (!ok) in.bad(what);
    };
    need(m.is_classifier() ? k >= 1 : k == 0, "a classifier has classes, others have none");
    const bool rest = m.scheme == multiclass::one_vs_rest && k > 2;
    need(k < (1 << 20), "too many classes");
    const index problems = !m.is_classifier() ? 1 : rest ? k : k * (k - 1) / 2, rows = !m.is_classifier() ? 1 : rest ? k : k - 1;
    need(m.problems() == problems, "the number of offsets does not fit the classes");
    need(m.coef.rows() == rows || count == 0, "the rows of coefficients do not fit the classes");
    need(static_cast<index>(m.support_rows.size()) == count, "the numbers of the support vectors do not fit their coefficients");
    need(!m.k || m.support.size() == count, "the support objects do not fit their coefficients");
    for (const index row : m.support_rows) need(row >= 0 && row < m.training_size, "a support vector is not among the training examples");
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
    const auto fits = [&](const auto& list) { return static_cast<index>(list.size()) == problems; };
    if (m.probability->kind == calibration::method::sigmoid)
        need(fits(m.probability->A) && fits(m.probability->B), "the sigmoids do not fit the problems");
    else
        need(fits(m.probability->knots) && fits(m.probability->values), "the step functions do not fit the problems");
}

}  // namespace

std::string model_bytes(const svm_model& m) {
    number_writer out;
    json head{{"task", name(m.task)}, {"scheme", m.scheme == multiclass::one_vs_one ? "one_vs_one" : "one_vs_rest"}, {"kernel", m.kernel_text}, {"precomputed", !m.k}};
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
    out.all(std::span<const double>(m.coef.data(), static_cast<std::size_t>(m.coef.rows() * m.coef.cols())));
    out.all(m.support_rows);
    head["reports"] = json::array();
    for (const auto& each : m.reports) write_report(each, head["reports"], out);
    if (m.probability) {
        const calibration& p = *m.probability;
        json about{{"kind", p.kind == calibration::method::sigmoid ? "sigmoid" : "isotonic"}, {"sigmoids", p.A.size()}, {"knots", json::array()}};
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
    if (m.k) head["objects"] = write_objects(m.support, out);
    const std::string about = head.dump(-1, ' ', false, json::error_handler_t::strict) + "\n";
    const std::string body = about + out.text();
    return fmt::format("{} {} {} {} {:016x}\n", format_name, version, about.size(), out.text().size(), checksum(body)) + body;
}

void save_model(const svm_model& model, const std::string& path) { write_atomically(path, model_bytes(model)); }

svm_model parse_model(std::string_view bytes, const std::string& name) {
    const auto bad = [&](const std::string& why) { fail(errc::parse, fmt::format("{}: {}", name, why)); };
    const std::string first(bytes.substr(0, std::min(bytes.find('\n'), std::size_t{200})));
    if (!first.starts_with(std::string(format_name) + " ")) bad("not a model file of this program");
    int found = 0;
    unsigned long long head_size = 0, body_size = 0, sum = 0;
    const int fields = std::sscanf(first.c_str() + format_name.size(), "%9d %18llu %18llu %16llx", &found, &head_size, &body_size, &sum);
    if (fields >= 1 && found > version) bad(fmt::format("a model file of version {}, newer than the {} this program knows", found, version));
    if (fields != 4 || found < 1) bad("the first line of the model file is damaged");
    const std::string_view rest = bytes.substr(std::min(bytes.size(), first.size() + 1));
    const auto expected = static_cast<std::uint64_t>(head_size) + body_size;
    if (rest.size() < expected) bad(fmt::format("the model file is cut short: {} bytes of {} are there", rest.size(), expected));
    if (rest.size() > expected) bad(fmt::format("the model file has {} bytes too many", rest.size() - expected));
    if (checksum(rest) != sum) bad("the model file is damaged: its checksum does not fit");

    number_reader in(rest.substr(head_size), name);
    svm_model m;
    try {
        const json head = json::parse(rest.substr(0, head_size));
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
        if (rows > 0 && support > many / rows) in.bad("too many coefficients");
        m.C = in.one();
        m.classes = in.all<double>(whole(head, "classes"));
        m.offset = in.all<double>(whole(head, "problems"));
        const auto coef = in.all<double>(support * rows);
        m.support_rows = in.all<index>(support);
        m.coef = matrix<double>(rows, support);
        std::copy(coef.begin(), coef.end(), m.coef.data());
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
        if (m.k) m.support = read_objects(head.at("objects"), in);
        in.finish();
        check(m, in);
    } catch (const error& caught) {
        if (caught.code() == errc::parse && std::string_view(caught.what()).starts_with(name)) throw;
        in.bad(caught.what());
    } catch (const std::exception& caught) {
        in.bad(caught.what());
    }
    return m;
}

svm_model load_model(const std::string& path) {
    const source file = read_source(path);
    return parse_model(file.bytes(), file.name());
}

svm_model load_any_model(const std::string& path, bool zero_based) {
    const source file = read_source(path);
    if (!file.bytes().starts_with(format_name)) return parse_libsvm_model(file.bytes(), file.name(), zero_based);
    svm_model model = parse_model(file.bytes(), file.name());
    if (!zero_based || !model.k) return model;
    const auto* x = model.support.as<sparse<double>>();
    if (!x) fail(errc::unsupported, fmt::format("{}: only a model of sparse double vectors can be moved to columns that start from 0", path));
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

}  // namespace mercer

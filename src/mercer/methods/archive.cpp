#include "mercer/methods/archive.h"

#include <bit>
#include <cstdio>
#include <limits>
#include <nlohmann/json.hpp>

#include "mercer/base/error.h"
#include "mercer/base/json.h"
#include "mercer/data/all_kinds.h"
#include "mercer/kernels/expression/algebra.h"
#include "mercer/kernels/expression/registered_functions.h"

namespace mercer {
namespace {

static_assert(std::endian::native == std::endian::little,
              "model files are little-endian: byte order has to be turned here");

using nlohmann::json;
constexpr index max_numbers = index{1} << 48;

// FNV-1a over words of 8 bytes, the last one padded with zeros, of the concatenation of two texts.
std::uint64_t checksum(std::string_view bytes, std::string_view more = {}) {
    std::uint64_t sum = 0xCBF29CE484222325ull;
    for (std::size_t at = 0; at < bytes.size() + more.size(); at += 8) {
        std::uint64_t word = 0;
        const std::size_t own = at < bytes.size() ? std::min<std::size_t>(8, bytes.size() - at) : 0;
        if (own > 0) std::memcpy(&word, bytes.data() + at, own);
        if (own < 8 && !more.empty()) {
            const std::size_t from = at + own - bytes.size(), count = std::min(8 - own, more.size() - from);
            std::memcpy(reinterpret_cast<char*>(&word) + own, more.data() + from, count);
        }
        sum = (sum ^ word) * 0x100000001B3ull;
        sum ^= sum >> 29;
    }
    return sum;
}

// The value of a key, which is added if it is missing; a null value becomes an object. nlohmann's operator[] would mark
// a null value as an object before it allocates the object, and if that allocation fails the destructor of the value
// crashes.
json& member(json& of, const char* key) {
    if (of.is_null()) of = json::object();
    return of[key];
}

}  // namespace

archive_writer::archive_writer(int version) : version_(version), head_(std::make_unique<json>()), at_(head_.get()) {}
archive_writer::~archive_writer() = default;

template <class V>
void archive_writer::head(const char* key, const V& value) {
    member(*at_, key) = value;
}
template void archive_writer::head(const char*, const bool&);
template void archive_writer::head(const char*, const std::string&);
template void archive_writer::head(const char*, const std::vector<std::string>&);
template void archive_writer::head(const char*, const std::vector<index>&);

index archive_writer::count(const char* key, index n, index /*most*/) { return member(*at_, key) = n, n; }

void archive_writer::unnamed_counts(std::initializer_list<index> values) { *at_ = json(std::vector<index>(values)); }

json* archive_writer::head_part(const char* key) { return &member(*at_, key); }

std::vector<json*> archive_writer::head_parts(const char* key, index n) {
    json& at = *head_part(key);
    at = json::array();
    for (index i = 0; i < n; ++i) at.emplace_back();
    std::vector<json*> out;
    for (json& each : at) out.push_back(&each);
    return out;
}

void archive_writer::require_size(index found, index wanted) {
    if (found != wanted)
        fail(errc::data, fmt::format("a model with {} numbers in place of {} cannot be written", found, wanted));
}

void archive_writer::kernel(const std::shared_ptr<const mercer::kernel>& k, const std::string& text) {
    head("kernel", k ? file_text(*k) : text);
    head("precomputed", !k);
}

void archive_writer::table(const matrix<double>& values, index rows, index cols) {
    require_size(values.rows(), rows);
    require_size(values.cols(), cols);
    row(values.data(), rows * cols);
}

void archive_writer::upper_triangle(const matrix<double>& values, index n) {
    require_size(values.rows(), n);
    for (index i = 0; i < n; ++i) row(values.row(i) + i, n - i);
}

void archive_writer::objects(const char* key, const dataset& x) {
    (*at_)[key] = std::visit(
        [&](const auto& some) -> json {
            using kind = std::decay_t<decltype(some)>;
            json about{{"size", some.size()}};
            if constexpr (requires { some.row(0); }) {
                about["kind"] = std::is_same_v<kind, dense<double>> ? "dense64" : "dense32";
                about["dims"] = some.dims();
                reserve_body(static_cast<std::size_t>(some.size() * some.dims()) * sizeof(*some.row(0)));
                for (index i = 0; i < some.size(); ++i)
                    write_numbers(std::span(some.row(i), static_cast<std::size_t>(some.dims())));
            } else if constexpr (requires { some.cols(0); }) {
                about["kind"] = std::is_same_v<kind, sparse<double>> ? "sparse64" : "sparse32";
                about["dims"] = some.dims();
                about["entries"] = some.nonzeros();
                reserve_body(static_cast<std::size_t>(some.nonzeros()) * (4 + sizeof(some.values(0)[0])) +
                             static_cast<std::size_t>(some.size()) * sizeof(index));
                std::vector<index> lengths;
                for (index i = 0; i < some.size(); ++i) lengths.push_back(static_cast<index>(some.cols(i).size()));
                write_numbers(lengths);
                for (index i = 0; i < some.size(); ++i) write_numbers(some.cols(i));
                for (index i = 0; i < some.size(); ++i) write_numbers(some.values(i));
            } else {
                about["kind"] = name(some.kind());
                some.write(*this);
            }
            return about;
        },
        x.items());
}

// Reserves memory for this number of bytes and the head: repeated growth would take twice the memory and copy the body.
void archive_writer::reserve_body(std::size_t bytes) {
    if (bytes > std::size_t{1} << 20) body_.reserve(body_.size() + bytes + bytes / 16);
}

std::string archive_writer::bytes(std::string_view format) {
    std::string about;
    try {
        about = head_->dump(-1, ' ', false, json::error_handler_t::strict) + "\n";
    } catch (const json::type_error&) {  // replacing the invalid characters would change the name
        fail(errc::data,
             "a model file stores names in UTF-8, but a name of a class, a feature or an item is not valid UTF-8");
    }
    body_.insert(
        0, fmt::format("{} {} {} {} {:016x}\n", format, version_, about.size(), body_.size(), checksum(about, body_)) +
               about);
    return std::move(body_);
}

archive_reader::archive_reader(std::string_view bytes, std::string_view format, int version, std::string name)
    : head_(std::make_unique<json>()), at_(head_.get()), name_(std::move(name)) {
    const auto wrong = [&](const std::string& why) { fail(errc::parse, fmt::format("{}: {}", name_, why)); };
    const std::string first(bytes.substr(0, std::min(bytes.find('\n'), std::size_t{200})));
    if (!first.starts_with(std::string(format) + " ")) wrong("not a model file of this method");
    int& found = version_;
    unsigned long long head_size = 0, body_size = 0, sum = 0;
    const int fields =
        std::sscanf(first.c_str() + format.size(), "%9d %18llu %18llu %16llx", &found, &head_size, &body_size, &sum);
    if (fields >= 1 && found > version)
        wrong(fmt::format("the model file has version {}, but this mercer reads versions up to {}: use a newer mercer",
                          found, version));
    if (fields != 4 || found < 1) wrong("the first line of the model file is damaged");
    rest_ = bytes.substr(std::min(bytes.size(), first.size() + 1));
    const auto expected = static_cast<std::uint64_t>(head_size) + body_size;
    if (rest_.size() < expected)
        wrong(fmt::format("the model file is truncated: it has {} bytes, expected {}", rest_.size(), expected));
    if (rest_.size() > expected)
        wrong(fmt::format("the model file is damaged: {} bytes follow the end of the model", rest_.size() - expected));
    if (checksum(rest_) != sum) wrong("the model file is damaged: its checksum does not match");
    try {
        *head_ = parse_json(rest_.substr(0, head_size));
    } catch (const std::bad_alloc&) {
        throw;
    } catch (const std::exception& caught) {
        fail_invalid(caught.what());
    }
    rest_.remove_prefix(head_size);
}

archive_reader::~archive_reader() { const json_release at_end(*head_); }

template <class V>
void archive_reader::head(const char* key, V& value) {
    if constexpr (std::is_same_v<V, std::vector<index>>)
        value = json_integers(at_->at(key), key);
    else
        at_->at(key).get_to(value);
}
template void archive_reader::head(const char*, bool&);
template void archive_reader::head(const char*, std::string&);
template void archive_reader::head(const char*, std::vector<std::string>&);
template void archive_reader::head(const char*, std::vector<index>&);

index archive_reader::count(const char* key, index /*n*/, index most) { return json_integer(at_->at(key), key, most); }

bool archive_reader::has(const char* key, bool /*yes*/) const { return at_->contains(key); }

std::string archive_reader::text(const char* key) const {
    const json& found = at_->at(key);
    return found.is_string() ? found.get<std::string>() : found.dump();
}

std::vector<index> archive_reader::unnamed_counts(std::size_t n) const {
    check(at_->is_array() && at_->size() == n, "expected {} counts", n);
    std::vector<index> out;
    for (const json& each : *at_) out.push_back(json_integer(each, "count", std::numeric_limits<index>::max()));
    return out;
}

const json* archive_reader::head_part(const char* key) const { return &at_->at(key); }

std::vector<const json*> archive_reader::head_parts(const char* key) const {
    std::vector<const json*> out;
    for (const json& each : *head_part(key)) out.push_back(&each);
    return out;
}

void archive_reader::fail_invalid(const std::string& why) const {
    fail(errc::parse, fmt::format("{}: not a valid model: {}", name_, why));
}

std::string_view archive_reader::take(index count, std::size_t size) {
    if (count < 0 || static_cast<std::size_t>(count) > rest_.size() / size)
        fail_invalid(fmt::format("the file announces {} numbers of {} bytes, but has only {} bytes left", count, size,
                                 rest_.size()));
    const std::string_view out = rest_.substr(0, static_cast<std::size_t>(count) * size);
    rest_.remove_prefix(out.size());
    return out;
}

void archive_reader::finish() const {
    if (!rest_.empty()) fail_invalid(fmt::format("{} bytes remain after the last part", rest_.size()));
}

void archive_reader::rethrow(const std::exception& caught) const {
    if (const auto* ours = dynamic_cast<const error*>(&caught);
        ours && ours->code() == errc::parse && std::string_view(ours->what()).starts_with(name_))
        throw error(*ours);
    fail_invalid(caught.what());
}

void archive_reader::fail_unknown(const char* key, const std::string& value) const {
    fail_invalid(fmt::format("unknown {} {}", key, value));
}

void archive_reader::status(fit_status& value) {
    const json& found = at_->at("status");
    constexpr fit_status numbered[] = {fit_status::converged, fit_status::step_limit, fit_status::stalled,
                                       fit_status::cancelled};
    value = found.is_string() ? parse_fit_status(found.get<std::string>()) : numbered[json_integer(found, "status", 3)];
}

void archive_reader::kernel(std::shared_ptr<const mercer::kernel>& k, std::string& text) {
    head("kernel", text);
    if (!flag("precomputed", false)) k = std::make_shared<const mercer::kernel>(mercer::kernel::parse(text));
}

void archive_reader::table(matrix<double>& values, index rows, index cols) {
    check(cols == 0 || rows <= max_numbers / cols, "{} x {} numbers are too many", rows, cols);
    const auto found = read_numbers<double>(rows * cols);
    values = matrix<double>(rows, cols);
    std::ranges::copy(found, values.data());
}

void archive_reader::upper_triangle(matrix<double>& values, index n) {
    check(n < (index{1} << 24), "a matrix of {} rows is too large", n);
    const auto half =
        read_numbers<double>(n * (n + 1) / 2);  // fails for a truncated file before the matrix is allocated
    values = matrix<double>(n, n);
    auto from = half.begin();
    for (index i = 0; i < n; from += n - i, ++i) std::copy_n(from, n - i, values.row(i) + i);
}

template <class T>
dataset archive_reader::dense_objects() {
    const index rows = count("size", 0), dims = count("dims", 0, largest<std::int32_t>);
    check(dims == 0 || rows <= max_numbers / dims, "{} vectors of {} features are too many", rows, dims);
    const auto values = read_numbers<T>(rows * dims);
    matrix<T> out(rows, dims);
    std::ranges::copy(values, out.data());
    return dense<T>(std::move(out));
}

template <class T>
dataset archive_reader::sparse_objects() {
    auto start = read_offsets(count("size", 0));
    const index entries = start.back();
    auto cols = read_numbers<std::int32_t>(entries);
    auto values = read_numbers<T>(entries);
    return sparse<T>(std::move(start), std::move(cols), std::move(values), count("dims", 0, index{1} << 31));
}

void archive_reader::objects(const char* key, dataset& x) {
    const json* const before = std::exchange(at_, &at_->at(key));
    const auto kind = at_->at("kind").get<std::string>();
    x = kind == "dense64"    ? dense_objects<double>()
        : kind == "dense32"  ? dense_objects<float>()
        : kind == "sparse64" ? sparse_objects<double>()
        : kind == "sparse32" ? sparse_objects<float>()
                             : read_objects(kind, *this, count("size", 0));
    at_ = before;
}

}  // namespace mercer

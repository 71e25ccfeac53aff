#include "mercer/methods/archive.h"

#include <fmt/format.h>

#include <bit>
#include <cmath>
#include <cstdio>
#include <limits>

#include "mercer/base/error.h"
#include "mercer/data/kinds/all_kinds.h"

namespace mercer {
namespace {

static_assert(std::endian::native == std::endian::little,
              "model files are little-endian: byte order has to be turned here");

using nlohmann::json;
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

}  // namespace

void archive_writer::objects(const char* key, const dataset& x) {
    head[key] = std::visit(
        [&](const auto& some) -> json {
            using kind = std::decay_t<decltype(some)>;
            json about{{"size", some.size()}};
            if constexpr (requires { some.row(0); }) {
                about["kind"] = std::is_same_v<kind, dense<double>> ? "dense64" : "dense32";
                about["dims"] = some.dims();
                for (index i = 0; i < some.size(); ++i)
                    all(std::span(some.row(i), static_cast<std::size_t>(some.dims())));
            } else if constexpr (requires { some.cols(0); }) {
                about["kind"] = std::is_same_v<kind, sparse<double>> ? "sparse64" : "sparse32";
                about["dims"] = some.dims();
                about["entries"] = some.nonzeros();
                std::vector<index> lengths;
                for (index i = 0; i < some.size(); ++i) lengths.push_back(static_cast<index>(some.cols(i).size()));
                all(lengths);
                for (index i = 0; i < some.size(); ++i) all(some.cols(i));
                for (index i = 0; i < some.size(); ++i) all(some.values(i));
            } else {
                about["kind"] = name(some.where());
                some.write(*this);
            }
            return about;
        },
        x.items());
}

std::string archive_writer::bytes(std::string_view format, int version) const {
    std::string about;
    try {
        about = head.dump(-1, ' ', false, json::error_handler_t::strict) + "\n";
    } catch (const json::type_error&) {  // a name that is changed would not be found again
        fail(errc::data,
             "a model file can hold names in UTF-8 only, and a name of a class, a feature or an item is not");
    }
    const std::string body = about + body_;
    return fmt::format("{} {} {} {} {:016x}\n", format, version, about.size(), body_.size(), checksum(body)) + body;
}

archive_reader::archive_reader(std::string_view bytes, std::string_view format, int version, std::string name)
    : name_(std::move(name)) {
    const auto wrong = [&](const std::string& why) { fail(errc::parse, fmt::format("{}: {}", name_, why)); };
    const std::string first(bytes.substr(0, std::min(bytes.find('\n'), std::size_t{200})));
    if (!first.starts_with(std::string(format) + " ")) wrong("not a model file of this program");
    int& found = version_;
    unsigned long long head_size = 0, body_size = 0, sum = 0;
    const int fields =
        std::sscanf(first.c_str() + format.size(), "%9d %18llu %18llu %16llx", &found, &head_size, &body_size, &sum);
    if (fields >= 1 && found > version)
        wrong(fmt::format("a model file of version {}, newer than the {} this program knows", found, version));
    if (fields != 4 || found < 1) wrong("the first line of the model file is damaged");
    rest_ = bytes.substr(std::min(bytes.size(), first.size() + 1));
    const auto expected = static_cast<std::uint64_t>(head_size) + body_size;
    if (rest_.size() < expected)
        wrong(fmt::format("the model file is cut short: {} bytes of {} are there", rest_.size(), expected));
    if (rest_.size() > expected) wrong(fmt::format("the model file has {} bytes too many", rest_.size() - expected));
    if (checksum(rest_) != sum) wrong("the model file is damaged: its checksum does not fit");
    try {
        head = json::parse(rest_.substr(0, head_size));
    } catch (const std::exception& caught) {
        bad(caught.what());
    }
    rest_.remove_prefix(head_size);
}

void archive_reader::bad(const std::string& why) const {
    fail(errc::parse, fmt::format("{}: not a valid model: {}", name_, why));
}

std::string_view archive_reader::take(index count, std::size_t size) {
    if (count < 0 || static_cast<std::size_t>(count) > rest_.size() / size)
        bad(fmt::format("{} numbers of {} bytes are announced, {} bytes are there", count, size, rest_.size()));
    const std::string_view out = rest_.substr(0, static_cast<std::size_t>(count) * size);
    rest_.remove_prefix(out.size());
    return out;
}

void archive_reader::finish() const {
    if (!rest_.empty()) bad(fmt::format("{} bytes are left over", rest_.size()));
}

void archive_reader::rethrow(const std::exception& caught) const {
    if (const auto* ours = dynamic_cast<const error*>(&caught);
        ours && ours->code() == errc::parse && std::string_view(ours->what()).starts_with(name_))
        throw error(*ours);
    bad(caught.what());
}

std::vector<double> archive_reader::class_labels(index count) {
    std::vector<double> labels = all<double>(count);
    for (const double each : labels)
        if (!std::isfinite(each)) bad(fmt::format("a class label must be finite, got {}", each));
    return labels;
}

matrix<double> archive_reader::numbers(index rows, index cols) {
    if (cols > 0 && rows > many / cols) bad("too many numbers");
    const auto values = all<double>(rows * cols);
    matrix<double> out(rows, cols);
    std::copy(values.begin(), values.end(), out.data());
    return out;
}

template <class T>
dataset archive_reader::dense_objects(const json& about) {
    const index rows = whole(about, "size"), dims = whole(about, "dims", std::numeric_limits<std::int32_t>::max());
    if (dims > 0 && rows > many / dims) bad("too many coordinates");
    const auto values = all<T>(rows * dims);
    matrix<T> out(rows, dims);
    std::copy(values.begin(), values.end(), out.data());
    return dense<T>(std::move(out));
}

template <class T>
dataset archive_reader::sparse_objects(const json& about) {
    auto start = starts(whole(about, "size"));
    const index entries = start.back();
    auto cols = all<std::int32_t>(entries);
    auto values = all<T>(entries);
    return sparse<T>(std::move(start), std::move(cols), std::move(values), whole(about, "dims", index{1} << 31));
}

dataset archive_reader::objects(const char* key) {
    const json& about = head.at(key);
    const std::string kind = about.at("kind").get<std::string>();
    if (kind == "dense64") return dense_objects<double>(about);
    if (kind == "dense32") return dense_objects<float>(about);
    if (kind == "sparse64") return sparse_objects<double>(about);
    if (kind == "sparse32") return sparse_objects<float>(about);
    return read_objects(kind, *this, whole(about, "size"));
}

index whole(const json& from, const char* key, index most) {
    const json& value = from.at(key);
    if (!value.is_number_integer() || value.is_number_float())
        throw std::runtime_error(fmt::format("{} must be a whole number, got {}", key, value.dump()));
    if (value.is_number_unsigned() && value.get<std::uint64_t>() > static_cast<std::uint64_t>(most))
        throw std::runtime_error(fmt::format("{} must be <= {}, got {}", key, most, value.dump()));
    const auto got = value.get<index>();
    if (got < 0 || got > most)
        throw std::runtime_error(fmt::format("{} must satisfy 0 <= {} <= {}, got {}", key, key, most, got));
    return got;
}

fit_status status_in(const json& head) {
    if (head.at("status").is_string()) return fit_status_named(head.at("status").get<std::string>());
    constexpr fit_status numbered[] = {fit_status::converged, fit_status::step_limit, fit_status::stalled,
                                       fit_status::cancelled};
    return numbered[whole(head, "status", 3)];
}

}  // namespace mercer

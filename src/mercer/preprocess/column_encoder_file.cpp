// The file form of column encoders.
#include <fmt/format.h>

#include <cmath>
#include <nlohmann/json.hpp>

#include "mercer/base/error.h"
#include "mercer/base/json.h"
#include "mercer/preprocess/column_encoder.h"

namespace mercer {
namespace {

using json = nlohmann::json;
constexpr const char* format_name = "mercer-columns";
constexpr const char* kind_names[] = {"numbers", "categories", "dates", "texts", "left out"};
constexpr const char* order_names[] = {"year first", "day first", "month first"};

template <class E, std::size_t N>
E named(const json& in, const char* key, const char* const (&names)[N], const std::string& file) {
    const auto text = in.at(key).get<std::string>();
    for (std::size_t i = 0; i < N; ++i)
        if (text == names[i]) return static_cast<E>(i);
    fail(errc::parse, fmt::format("{}: '{}' is no {} of a column", file, text, key));
}

std::size_t position(const json& in, const char* key) {
    return static_cast<std::size_t>(whole_number(in.at(key), key));
}

json written(const column_rule& r) {
    json out{{"name", r.name}, {"kind", kind_names[static_cast<int>(r.kind)]}, {"missing", r.missing}};
    if (r.kind == column_kind::left_out) out["why"] = r.why;
    if (r.kind == column_kind::numbers || r.kind == column_kind::dates) {
        out["median"] = r.fill;
        out["centre"] = r.centre;
        out["spread"] = r.spread;
    }
    if (r.kind == column_kind::dates) {
        out["order"] = order_names[static_cast<int>(r.order)];
        out["year"] = r.year;
        out["week"] = r.week;
    }
    if (!r.values.empty()) out["values"] = r.values;
    if (r.kind == column_kind::categories) out["most_frequent"] = r.most_frequent;
    if (r.words) out["words"] = parse_json(r.words->to_json());
    return out;
}

column_rule read_rule(const json& in, const std::string& file) {
    column_rule out;
    out.name = in.at("name").get<std::string>();
    out.kind = named<column_kind>(in, "kind", kind_names, file);
    out.missing = whole_number(in.at("missing"), "missing");
    const auto bad = [&](const std::string& what) {
        fail(errc::parse, fmt::format("{}: column '{}': {}", file, out.name, what));
    };
    if (out.kind == column_kind::left_out) out.why = in.at("why").get<std::string>();
    if (out.kind == column_kind::numbers || out.kind == column_kind::dates) {
        out.fill = in.at("median").get<double>();
        out.centre = in.at("centre").get<double>();
        out.spread = in.at("spread").get<double>();
        if (!std::isfinite(out.fill) || !std::isfinite(out.centre) || !(out.spread > 0) || !std::isfinite(out.spread))
            bad("median, centre and spread must be finite, spread > 0");
    }
    if (out.kind == column_kind::dates) {
        out.order = named<date_order>(in, "order", order_names, file);
        out.year = in.at("year").get<bool>();
        out.week = in.at("week").get<bool>();
    }
    if (in.contains("values")) out.values = in["values"].get<std::vector<std::string>>();
    if (out.kind == column_kind::categories) {
        out.most_frequent = position(in, "most_frequent");
        if (out.most_frequent >= out.values.size())
            bad(fmt::format("most_frequent must be below {}, got {}", out.values.size(), out.most_frequent));
    }
    if (out.kind == column_kind::texts) out.words = text_features::from_json(in.at("words").dump(), file);
    return out;
}

}  // namespace

std::string column_encoder::to_json() const {
    json out{{"format", format_name}, {"version", 1},    {"missing", options_.missing},  {"scale", options_.scale},
             {"target", target_},     {"named", named_}, {"target_position", target_at_}};
    json all = json::array();
    for (const column_rule& each : rules_) all.push_back(written(each));
    out["columns"] = std::move(all);
    return out.dump(-1, ' ', false, json::error_handler_t::replace);
}

column_encoder column_encoder::from_json(std::string_view text, const std::string& name) {
    try {
        json in = parse_json(text, fmt::format("{}: columns of a table", name));
        const json_release at_end(in);
        if (in.at("format") != format_name) fail(errc::parse, fmt::format("{}: expected {}", name, format_name));
        if (in.at("version") != 1)
            fail(errc::unsupported,
                 fmt::format("{}: columns of version {}, this program knows 1", name, in["version"].dump()));
        column_encoder out;
        out.options_ = {in.at("missing").get<std::string>(), in.at("scale").get<std::string>()};
        out.target_ = in.at("target").get<std::string>();
        out.target_at_ = position(in, "target_position");
        out.named_ = in.at("named").get<bool>();
        for (const json& each : in.at("columns")) out.rules_.push_back(read_rule(each, name));
        if (out.target_at_ > out.rules_.size())
            fail(errc::parse, fmt::format("{}: target_position must be at most {}, got {}", name, out.rules_.size(),
                                          out.target_at_));
        return out;
    } catch (const std::bad_alloc&) {
        throw;
    } catch (const error&) {
        throw;
    } catch (const std::exception& wrong) {
        fail(errc::parse, fmt::format("{}: columns of a table: {}", name, wrong.what()));
    }
}

}  // namespace mercer

#include "mercer/preprocess/text_features.h"

#include <fast_float/fast_float.h>
#include <fmt/format.h>

#include <cmath>
#include <limits>
#include <nlohmann/json.hpp>

#include "mercer/base/error.h"
#include "mercer/base/json.h"
#include "mercer/base/text.h"
#include "mercer/base/threads.h"

namespace mercer {
namespace {

using json = nlohmann::json;
constexpr const char* text_format_name = "mercer-text-features";
constexpr const char* norm_names[] = {"none", "l1", "l2"};

const strings& texts_in(const dataset& x) {
    const auto* texts = x.as<strings>();
    if (!texts) fail(errc::unsupported, fmt::format("features of texts need strings, got {}", name(x.kind())));
    return *texts;
}

token_options tokens_with_language(const text_options& options) {
    token_options out = options.terms;
    if (!options.language.empty())
        for (std::string& word : stop_words(options.language)) out.stop.push_back(std::move(word));
    return out;
}

void check(const text_options& options) {
    constexpr index most = std::numeric_limits<std::int32_t>::max();
    if (options.hashed < 0 || options.hashed > most)
        fail(errc::invalid_argument,
             fmt::format("hashed columns must satisfy 0 <= hashed <= {}, got {}", most, options.hashed));
    if (options.hashed > 0 && options.choice != term_selection{})
        fail(errc::invalid_argument,
             "min_df, max_df and max_features need a list of terms, which hashed columns do not have: leave hashed or "
             "the other options out");
}

}  // namespace

text_features::text_features(const text_options& options)
    : options_(options), tokeniser_(tokens_with_language(options)) {
    check(options_);
}

index text_features::dims() const { return options_.hashed > 0 ? options_.hashed : terms_.size(); }

text_features text_features::fit(const dataset& x, const text_options& options, dataset* rows) {
    const strings& texts = texts_in(x);
    if (texts.size() < 1) fail(errc::invalid_argument, "features of texts need at least one text, got none");
    text_features out(options);
    out.texts_ = texts.size();
    count_rows counts;
    if (options.hashed > 0) {
        if (options.idf || rows)
            counts = count_hashed_terms(texts, out.tokeniser_, static_cast<std::int32_t>(options.hashed));
        if (options.idf) {
            out.document_counts_.assign(static_cast<std::size_t>(options.hashed), 0);
            for (const std::int32_t column : counts.col) ++out.document_counts_[static_cast<std::size_t>(column)];
        }
    } else {
        term_counts found = count_terms(texts, out.tokeniser_, options.choice);
        if (found.terms.size() == 0)
            fail(errc::data, fmt::format("{} texts have no terms: they contain only stop words and words shorter than "
                                         "{}, or min_df and max_df exclude all terms",
                                         texts.size(), options.terms.min_length));
        out.terms_ = std::move(found.terms);
        out.document_counts_ = std::move(found.document_counts);
        counts = std::move(found.rows);
    }
    out.compute_idf();
    if (rows) *rows = out.apply_weights(std::move(counts));
    return out;
}

void text_features::compute_idf() {
    idf_.clear();
    if (!options_.idf) return;
    const double more = options_.smooth ? 1 : 0, n = static_cast<double>(texts_) + more;
    // A hashed column may occur in no text. Without smoothing its weight would be infinite, so it is set to 0.
    for (const index df : document_counts_)
        idf_.push_back(df > 0 || options_.smooth ? std::log(n / (static_cast<double>(df) + more)) + 1 : 0);
}

dataset text_features::apply(const dataset& x) const {
    const strings& texts = texts_in(x);
    return apply_weights(options_.hashed > 0
                             ? count_hashed_terms(texts, tokeniser_, static_cast<std::int32_t>(options_.hashed))
                             : count_known_terms(texts, tokeniser_, terms_));
}

dataset text_features::apply_weights(count_rows counts) const {
    std::vector<double> value(counts.col.size());
    parallel_chunks(static_cast<index>(counts.start.size()) - 1, 64, [&](index first, index end) {
        for (index i = first; i < end; ++i) {
            const auto begin = static_cast<std::size_t>(counts.start[static_cast<std::size_t>(i)]),
                       stop = static_cast<std::size_t>(counts.start[static_cast<std::size_t>(i) + 1]);
            double size = 0;
            for (std::size_t k = begin; k < stop; ++k) {
                const double tf = options_.binary ? 1 : counts.count[k];
                value[k] = options_.sublinear ? std::log(tf) + 1 : tf;
                if (options_.idf) value[k] *= idf_[static_cast<std::size_t>(counts.col[k])];
                size += options_.norm == text_norm::l2 ? value[k] * value[k] : std::abs(value[k]);
            }
            if (options_.norm == text_norm::l2) size = std::sqrt(size);
            if (options_.norm != text_norm::none && size > 0)
                for (std::size_t k = begin; k < stop; ++k) value[k] /= size;
        }
    });
    return sparse<double>(std::move(counts.start), std::move(counts.col), std::move(value), dims());
}

std::string text_features::to_json() const {
    std::size_t bytes = 0;
    for (std::int32_t t = 0; t < terms_.size(); ++t) bytes += terms_[t].size();
    require_json_memory(static_cast<std::size_t>(terms_.size()) + document_counts_.size(), 4 * bytes);
    json out{{"format", text_format_name},
             {"version", 1},
             {"unit", options_.terms.unit == text_unit::words ? "words" : "characters"},
             {"ngram_min", options_.terms.ngram_min},
             {"ngram_max", options_.terms.ngram_max},
             {"lower", options_.terms.lower},
             {"min_length", options_.terms.min_length},
             {"stop", tokeniser_.options().stop},
             {"idf", options_.idf},
             {"smooth", options_.smooth},
             {"sublinear", options_.sublinear},
             {"binary", options_.binary},
             {"norm", norm_names[static_cast<int>(options_.norm)]},
             {"hashed", options_.hashed},
             {"texts", texts_}};
    const json_release at_end(out);
    json terms = json::array();
    const json_release terms_at_end(terms);
    for (std::int32_t t = 0; t < terms_.size(); ++t) terms.push_back(std::string(terms_[t]));
    out["terms"] = std::move(terms);
    if (options_.idf) out["document_counts"] = document_counts_;
    return out.dump(-1, ' ', false, json::error_handler_t::replace) + "\n";
}

text_features text_features::from_json(std::string_view text, const std::string& name) {
    try {
        json in = parse_json(text);
        const json_release at_end(in);
        if (in.at("format") != text_format_name)
            throw std::runtime_error(
                fmt::format("the format must be {}, got {}", text_format_name, in["format"].dump()));
        if (in.at("version") != 1)
            throw std::runtime_error(fmt::format("the version must be 1, got {}", in["version"].dump()));
        const auto number = [&](const char* key) { return json_integer(in.at(key), key); };
        text_options options;
        const std::string unit = in.at("unit"), norm = in.at("norm");
        if (unit != "words" && unit != "characters") throw std::runtime_error(fmt::format("unknown unit '{}'", unit));
        options.terms.unit = unit == "words" ? text_unit::words : text_unit::characters;
        options.terms.ngram_min = number("ngram_min");
        options.terms.ngram_max = number("ngram_max");
        options.terms.lower = in.at("lower");
        options.terms.min_length = number("min_length");
        options.terms.stop = in.at("stop").get<std::vector<std::string>>();
        options.idf = in.at("idf");
        options.smooth = in.at("smooth");
        options.sublinear = in.at("sublinear");
        options.binary = in.at("binary");
        options.hashed = number("hashed");
        const auto* const found = std::ranges::find(norm_names, norm);
        if (found == std::end(norm_names)) throw std::runtime_error(fmt::format("unknown norm '{}'", norm));
        options.norm = static_cast<text_norm>(found - norm_names);
        text_features out(options);
        out.texts_ = number("texts");
        for (const json& term : in.at("terms")) {
            const auto& one = term.get_ref<const std::string&>();
            if (out.terms_.find(one) >= 0) throw std::runtime_error(fmt::format("the term '{}' occurs twice", one));
            out.terms_.add(one);
        }
        if (options.idf) out.document_counts_ = json_integers(in.at("document_counts"), "document_counts");
        if (options.idf && static_cast<index>(out.document_counts_.size()) != out.dims())
            throw std::runtime_error(fmt::format("{} counts for {} columns", out.document_counts_.size(), out.dims()));
        for (const index df : out.document_counts_)
            if (df < 0 || df > out.texts_)
                throw std::runtime_error(fmt::format("a term in {} of {} texts", df, out.texts_));
        out.compute_idf();
        return out;
    } catch (const std::bad_alloc&) {
        throw;
    } catch (const std::exception& bad) {
        fail(errc::parse, fmt::format("{}: not features of texts: {}", name, bad.what()));
    }
}

// The text form of text_options: "tfidf(ngram=2, min_df=3, stop=english)".

namespace {

constexpr const char* all_names =
    "ngram, ngram_min, unit, lower, min_length, min_df, max_df, max_features, idf, smooth, sublinear, binary, norm, "
    "hashed, stop";

[[noreturn]] void fail_option(std::string_view name, const char* wanted, std::string_view value) {
    fail(errc::invalid_argument, fmt::format("option '{}' must be {}, got {}", name, wanted, detail::quoted(value)));
}

double parse_number_option(std::string_view name, std::string_view value) {
    double out = 0;
    const auto read = fast_float::from_chars(value.data(), value.data() + value.size(), out);
    if (read.ec != std::errc() || read.ptr != value.data() + value.size() || !std::isfinite(out))
        fail_option(name, "a number", value);
    return out;
}

index parse_whole(std::string_view name, std::string_view value) {
    const double out = parse_number_option(name, value);
    if (out != std::floor(out) || std::abs(out) > 1e15) fail_option(name, "a whole number", value);
    return static_cast<index>(out);
}

bool parse_switch(std::string_view name, std::string_view value) {
    if (value == "1" || value == "true") return true;
    if (value != "0" && value != "false") fail_option(name, "0 or 1", value);
    return false;
}

void set_token_option(token_options& o, bool& known, std::string_view name, std::string_view value) {
    if (name == "ngram") {
        o.ngram_max = parse_whole(name, value);
    } else if (name == "ngram_min") {
        o.ngram_min = parse_whole(name, value);
    } else if (name == "unit") {
        if (value != "words" && value != "characters") fail_option(name, "words or characters", value);
        o.unit = value == "words" ? text_unit::words : text_unit::characters;
    } else if (name == "lower") {
        o.lower = parse_switch(name, value);
    } else if (name == "min_length") {
        o.min_length = parse_whole(name, value);
    } else {
        known = false;
    }
}

void set_option(text_options& o, std::string_view name, std::string_view value) {
    bool known = true;
    set_token_option(o.terms, known, name, value);
    if (known) return;
    if (name == "min_df") {
        o.choice.min_df = parse_number_option(name, value);
    } else if (name == "max_df") {
        o.choice.max_df = parse_number_option(name, value);
    } else if (name == "max_features") {
        o.choice.max_features = parse_whole(name, value);
    } else if (name == "idf") {
        o.idf = parse_switch(name, value);
    } else if (name == "smooth") {
        o.smooth = parse_switch(name, value);
    } else if (name == "sublinear") {
        o.sublinear = parse_switch(name, value);
    } else if (name == "binary") {
        o.binary = parse_switch(name, value);
    } else if (name == "norm") {
        if (value != "none" && value != "l1" && value != "l2") fail_option(name, "none, l1 or l2", value);
        o.norm = value == "none" ? text_norm::none : value == "l1" ? text_norm::l1 : text_norm::l2;
    } else if (name == "hashed") {
        o.hashed = parse_whole(name, value);
    } else if (name == "stop") {
        stop_words(value);
        o.language = value;
    } else {
        fail(errc::invalid_argument,
             fmt::format("features of texts have no option {}: the options are {}", detail::quoted(name), all_names));
    }
}

}  // namespace

text_options parse_text_options(std::string_view text) {
    const std::size_t open = text.find('(');
    const std::string_view what = detail::trimmed(text.substr(0, open));
    text_options out;
    if (what == "counts" || what == "binary") {
        out.idf = false;
        out.norm = text_norm::none;
        out.binary = what == "binary";
    } else if (what != "tfidf") {
        fail(errc::invalid_argument,
             fmt::format("features of texts must be tfidf, counts or binary, got {}", detail::quoted(what)));
    }
    if (open == std::string_view::npos) return out;
    const std::string_view rest = detail::trimmed(text.substr(open + 1));
    if (!rest.ends_with(')'))
        fail(errc::invalid_argument, fmt::format("expected ')' at the end of {}", detail::quoted(text)));
    const std::string_view inside = detail::trimmed(rest.substr(0, rest.size() - 1));
    if (inside.empty()) return out;
    for (const std::string_view each : detail::split(inside, ",")) {
        const std::size_t equal = each.find('=');
        if (equal == std::string_view::npos)
            fail(errc::invalid_argument, fmt::format("expected name=value, got {}", detail::quoted(each)));
        set_option(out, detail::trimmed(each.substr(0, equal)), detail::trimmed(each.substr(equal + 1)));
    }
    return out;
}

}  // namespace mercer

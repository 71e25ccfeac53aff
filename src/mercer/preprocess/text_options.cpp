// The written form of what is made of texts: "tfidf(ngram=2, min_df=3, stop=english)".
#include <fast_float/fast_float.h>
#include <fmt/format.h>

#include <cmath>

#include "mercer/base/error.h"
#include "mercer/base/readers_text.h"
#include "mercer/preprocess/text_features.h"

namespace mercer {
namespace {

constexpr const char* all_names =
    "ngram, ngram_min, unit, lower, min_length, min_df, max_df, max_features, idf, smooth, sublinear, binary, norm, "
    "hashed, stop";

[[noreturn]] void wrong(std::string_view name, const char* wanted, std::string_view value) {
    fail(errc::invalid_argument, fmt::format("{} must be {}, got {}", name, wanted, detail::quoted(value)));
}

double number(std::string_view name, std::string_view value) {
    double out = 0;
    const auto read = fast_float::from_chars(value.data(), value.data() + value.size(), out);
    if (read.ec != std::errc() || read.ptr != value.data() + value.size() || !std::isfinite(out))
        wrong(name, "a number", value);
    return out;
}

index whole(std::string_view name, std::string_view value) {
    const double out = number(name, value);
    if (out != std::floor(out) || std::abs(out) > 1e15) wrong(name, "a whole number", value);
    return static_cast<index>(out);
}

bool on(std::string_view name, std::string_view value) {
    if (value == "1" || value == "true") return true;
    if (value != "0" && value != "false") wrong(name, "0 or 1", value);
    return false;
}

void set_terms(token_options& o, bool& known, std::string_view name, std::string_view value) {
    if (name == "ngram") {
        o.ngram_max = whole(name, value);
    } else if (name == "ngram_min") {
        o.ngram_min = whole(name, value);
    } else if (name == "unit") {
        if (value != "words" && value != "characters") wrong(name, "words or characters", value);
        o.unit = value == "words" ? text_unit::words : text_unit::characters;
    } else if (name == "lower") {
        o.lower = on(name, value);
    } else if (name == "min_length") {
        o.min_length = whole(name, value);
    } else {
        known = false;
    }
}

void set(text_options& o, std::string_view name, std::string_view value) {
    bool known = true;
    set_terms(o.terms, known, name, value);
    if (known) return;
    if (name == "min_df") {
        o.choice.min_df = number(name, value);
    } else if (name == "max_df") {
        o.choice.max_df = number(name, value);
    } else if (name == "max_features") {
        o.choice.max_features = whole(name, value);
    } else if (name == "idf") {
        o.idf = on(name, value);
    } else if (name == "smooth") {
        o.smooth = on(name, value);
    } else if (name == "sublinear") {
        o.sublinear = on(name, value);
    } else if (name == "binary") {
        o.binary = on(name, value);
    } else if (name == "norm") {
        if (value != "none" && value != "l1" && value != "l2") wrong(name, "none, l1 or l2", value);
        o.norm = value == "none" ? text_norm::none : value == "l1" ? text_norm::l1 : text_norm::l2;
    } else if (name == "hashed") {
        o.hashed = whole(name, value);
    } else if (name == "stop") {
        stop_words(value);
        o.language = value;
    } else {
        fail(errc::invalid_argument,
             fmt::format("features of texts have no {}: there are {}", detail::quoted(name), all_names));
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
             fmt::format("features of texts are tfidf, counts or binary, got {}", detail::quoted(what)));
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
        set(out, detail::trimmed(each.substr(0, equal)), detail::trimmed(each.substr(equal + 1)));
    }
    return out;
}

}  // namespace mercer

#include "mercer/io/series_files.h"

#include <fmt/format.h>

#include <algorithm>
#include <cctype>
#include <unordered_map>

#include "mercer/base/text.h"
#include "mercer/data/series.h"
#include "mercer/io/read.h"
#include "mercer/io/record_ends.h"
#include "mercer/io/target_column.h"

namespace mercer {
namespace {

// The first characters of lines that are comments.
constexpr std::string_view ts_comments = "#%", arff_comments = "%", arff_comments_in_data = "%@";

std::string lower_case(std::string_view text) {
    std::string out(text);
    for (char& c : out) c = static_cast<char>(std::tolower(static_cast<unsigned char>(c)));
    return out;
}

// The lines of a file, and the series and labels read so far.
class series_file {
public:
    series_file(std::string_view text, const std::string& name, const tsv_options& options)
        : text_(detail::without_byte_order_mark(text)), rest_(text_), name_(name), options_(options) {}

    // Reads the next line that is neither blank nor a comment, trimmed. Returns false at the end.
    bool next(std::string_view& line, std::string_view comments) {
        while (detail::next_line(rest_, line)) {
            line = detail::trimmed(line);
            if (!line.empty() && comments.find(line[0]) == std::string_view::npos) return true;
        }
        return false;
    }
    [[noreturn]] void fail_at(std::string_view part, const std::string& expected, std::string_view got) const {
        detail::fail_at(errc::parse, name_, text_, static_cast<std::size_t>(part.data() - text_.data()),
                        fmt::format("expected {}, got {}", expected, detail::quoted(got)));
    }
    [[noreturn]] void fail_at_end(const std::string& expected) const {
        detail::fail_at(errc::parse, name_, text_, text_.size(),
                        fmt::format("expected {}, got the end of the file", expected));
    }
    double number(std::string_view token) const {
        double value = 0;
        const auto fault = detail::parse_number(token, value);
        if (fault != detail::number_error::none || detail::is_missing(token)) fail_at(token, "a finite number", token);
        return value;
    }
    bool labelled() const { return options_.labelled; }
    void add_label(std::string_view label) {
        if (label.empty()) fail_at(label, "a label", label);
        if (labelled()) labels_.add(label, static_cast<std::size_t>(label.data() - text_.data()));
        any_label_ = true;
    }
    // Adds a series, given as one list of values for each coordinate.
    void add(const std::vector<std::vector<double>>& coordinates, std::string_view line) {
        one_series one;
        one.dims = std::max<index>(1, static_cast<index>(coordinates.size()));
        const std::size_t length = coordinates.empty() ? 0 : coordinates[0].size();
        for (const auto& each : coordinates)
            if (each.size() != length)
                fail_at(line, fmt::format("{} values in every dimension", length), fmt::format("{}", each.size()));
        for (std::size_t t = 0; t < length; ++t)
            for (const auto& each : coordinates) one.values.push_back(each[t]);
        items_.push_back(std::move(one));
    }
    void add(one_series one) { items_.push_back(std::move(one)); }
    table finish() {
        if (items_.empty()) fail(errc::data, fmt::format("{}: expected at least one example, got none", name_));
        table result;
        if (labelled() && any_label_) labels_.finish(name_, text_, options_.classes, result);
        result.x = series(std::move(items_));
        return result;
    }

private:
    std::string_view text_, rest_;
    const std::string& name_;
    const tsv_options& options_;
    detail::label_column labels_;
    bool any_label_ = false;
    std::vector<one_series> items_;
};

bool is_true(const series_file& file, std::string_view line, std::string_view rest) {
    const std::string value = lower_case(rest.substr(0, rest.find_first_of(" \t")));
    if (value != "true" && value != "false") file.fail_at(line, "true or false after its name", line);
    return value == "true";
}

// Reads the header up to @data. Calls each(name, rest of the line, line) for every line `@name …`.
template <class Line>
void read_header(series_file& file, std::string_view comments, Line each) {
    for (std::string_view line; file.next(line, comments);) {
        if (line[0] != '@') file.fail_at(line, "a line that begins with @, up to @data", line);
        const std::size_t end = std::min(line.find_first_of(" \t"), line.size());
        const std::string name = lower_case(line.substr(1, end - 1));
        if (name == "data") return;
        each(name, detail::trimmed(line.substr(end)), line);
    }
    file.fail_at_end("@data");
}

}  // namespace

table parse_ts(std::string_view text, const std::string& name, const tsv_options& options) {
    series_file file(text, name, options);
    bool labelled = false;
    read_header(file, ts_comments, [&](const std::string& what, std::string_view rest, std::string_view line) {
        if ((what == "classlabel" || what == "targetlabel") && is_true(file, line, rest)) labelled = true;
        if (what == "timestamps" && is_true(file, line, rest)) file.fail_at(line, "@timeStamps false", line);
    });
    for (std::string_view line; file.next(line, ts_comments);) {
        auto parts = detail::split(line, ":");
        if (labelled) {
            if (parts.size() < 2) file.fail_at(line, "values:label", line);
            file.add_label(parts.back());
            parts.pop_back();
        }
        std::vector<std::vector<double>> coordinates;
        for (const std::string_view part : parts) {
            auto& values = coordinates.emplace_back();
            if (part.empty()) continue;
            for (const std::string_view token : detail::split(part, ",")) values.push_back(file.number(token));
        }
        file.add(coordinates, line);
    }
    return file.finish();
}

namespace {

// Returns the numbers of one coordinate. Values `?` are allowed at the end only.
std::vector<double> values_of(const series_file& file, const std::vector<std::string_view>& tokens) {
    std::vector<double> values;
    for (std::size_t i = 0; i < tokens.size(); ++i) {
        if (tokens[i] == "?") {
            for (std::size_t j = i; j < tokens.size(); ++j)
                if (tokens[j] != "?") file.fail_at(tokens[i], "a number, because further values follow", tokens[i]);
            break;
        }
        values.push_back(file.number(tokens[i]));
    }
    return values;
}

void add_quoted(series_file& file, std::string_view line, bool labelled) {
    const std::size_t end = line.find(line[0], 1);
    if (end == std::string_view::npos) file.fail_at(line, fmt::format("a closing {}", line[0]), line);
    std::vector<std::vector<double>> coordinates;
    for (std::string_view body = line.substr(1, end - 1);;) {
        const std::size_t stop = body.find("\\n");
        coordinates.push_back(values_of(file, detail::split(body.substr(0, stop), ",")));
        if (stop == std::string_view::npos) break;
        body.remove_prefix(stop + 2);
    }
    std::string_view rest = detail::trimmed(line.substr(end + 1));
    if (labelled) {
        if (!rest.starts_with(',')) file.fail_at(line.substr(end), "a comma and a label", rest);
        file.add_label(detail::trimmed(rest.substr(1)));
    } else if (!rest.empty()) {
        file.fail_at(rest, "the end of the line", rest);
    }
    file.add(coordinates, line);
}

}  // namespace

table parse_arff(std::string_view text, const std::string& name, const tsv_options& options) {
    series_file file(text, name, options);
    bool labelled = false;
    read_header(file, arff_comments, [&](const std::string& what, std::string_view rest, std::string_view) {
        if (what != "attribute") return;
        std::string called = lower_case(rest.substr(0, rest.find_first_of(" \t{")));
        std::erase_if(called, [](char c) { return c == '\'' || c == '"'; });
        labelled = rest.find('{') != std::string_view::npos || called == "class" || called == "target";
    });
    for (std::string_view line; file.next(line, arff_comments_in_data);) {
        if (line[0] == '\'' || line[0] == '"') {
            add_quoted(file, line, labelled);
            continue;
        }
        auto tokens = detail::split(line, ",");
        if (labelled) {
            file.add_label(tokens.back());
            tokens.pop_back();
        }
        file.add({values_of(file, tokens)}, line);
    }
    return file.finish();
}

namespace {

char detect_separator_in_header(std::string_view header) {
    for (const char c : {'\t', ';', ','})
        if (header.find(c) != std::string_view::npos) return c;
    return ',';
}

bool is_long_header(std::string_view header) {
    const auto names = detail::split(header, std::string(1, detect_separator_in_header(header)));
    return names.size() >= 3 && lower_case(names[0]) == "id" && lower_case(names[1]) == "time";
}

struct long_series {
    struct sample {
        double time;
        std::string_view place;
        std::vector<double> values;
    };
    std::vector<sample> samples;
    std::string_view label;
};

void add_long_series(series_file& file, long_series& from, std::size_t dims) {
    std::ranges::stable_sort(from.samples, {}, &long_series::sample::time);
    one_series one;
    one.dims = static_cast<index>(dims);
    for (std::size_t s = 0; s < from.samples.size(); ++s) {
        if (s > 0 && from.samples[s].time == from.samples[s - 1].time)
            file.fail_at(from.samples[s].place, "a time that the series does not have yet", from.samples[s].place);
        one.values.insert(one.values.end(), from.samples[s].values.begin(), from.samples[s].values.end());
    }
    file.add(std::move(one));
}

}  // namespace

table parse_long_series(std::string_view text, const std::string& name, const tsv_options& options) {
    series_file file(text, name, options);
    std::string_view line;
    if (!file.next(line, "#")) fail(errc::data, fmt::format("{}: expected at least one example, got none", name));
    if (!is_long_header(line)) file.fail_at(line, "a header id,time,value", line);
    const std::string separator(1, detect_separator_in_header(line));
    const auto names = detail::split(line, separator);
    std::size_t label = 0;  // the column of labels; 0: there is none
    for (std::size_t c = 2; c < names.size(); ++c)
        if (const std::string called = lower_case(names[c]); called == "label" || called == "class") label = c;
    const std::size_t dims = names.size() - 2 - (label ? 1 : 0);
    if (dims == 0) file.fail_at(line, "a column of values", line);
    std::vector<long_series> all;
    std::unordered_map<std::string_view, std::size_t> number;
    while (file.next(line, "#")) {
        const auto fields = detail::split(line, separator);
        if (fields.size() != names.size()) file.fail_at(line, fmt::format("{} fields", names.size()), line);
        const auto [entry, is_new] = number.emplace(fields[0], all.size());
        if (is_new) all.emplace_back();
        long_series& one = all[entry->second];
        long_series::sample sample{file.number(fields[1]), fields[1], {}};
        for (std::size_t c = 2; c < fields.size(); ++c)
            if (c != label) sample.values.push_back(file.number(fields[c]));
        one.samples.push_back(std::move(sample));
        if (label && is_new) one.label = fields[label];
        if (label && fields[label] != one.label)
            file.fail_at(fields[label],
                         fmt::format("the label {}, as in the other lines of this series", detail::quoted(one.label)),
                         fields[label]);
    }
    for (long_series& each : all) {
        if (label) file.add_label(each.label);
        add_long_series(file, each, dims);
    }
    return file.finish();
}

namespace {

// Implements file_format::cut_to_rows: every line after @data is a series, except blank lines and lines that begin with
// one of these characters, which differ before and after @data.
bool cut_to_series(std::string& text, index rows, std::string_view comments_before, std::string_view comments_behind) {
    std::string_view rest = detail::without_byte_order_mark(text), line;
    bool in_data = false;
    for (index found = 0; found < rows;) {
        if (!detail::next_complete_line(rest, line)) return false;
        line = detail::trimmed(line);
        const std::string_view comments = in_data ? comments_behind : comments_before;
        if (line.empty() || comments.find(line[0]) != std::string_view::npos) continue;
        found += in_data;
        in_data = in_data || lower_case(line.substr(0, line.find_first_of(" \t"))) == "@data";
    }
    text.resize(text.size() - rest.size());
    return true;
}

template <table (*parse)(std::string_view, const std::string&, const tsv_options&)>
table parse_source(const file_contents& file, const read_options& options) {
    return parse(file.bytes(), file.name(), options.tsv);
}

}  // namespace

const file_format& ts_format() {
    static const file_format about{
        "ts",
        {".ts"},
        [](const file_beginning& file) { return lower_case(file.first_line).starts_with("@problemname"); },
        parse_source<parse_ts>,
        nullptr,
        nullptr,
        [](std::string& text, index rows, const read_options&) {
            return cut_to_series(text, rows, ts_comments, ts_comments);
        }};
    return about;
}

const file_format& arff_format() {
    static const file_format about{"arff",
                                   {".arff"},
                                   [](const file_beginning& file) {
                                       return lower_case(file.first_line).starts_with("@relation") ||
                                              file.first_line[0] == '%';
                                   },
                                   parse_source<parse_arff>,
                                   nullptr,
                                   nullptr,
                                   [](std::string& text, index rows, const read_options&) {
                                       return cut_to_series(text, rows, arff_comments, arff_comments_in_data);
                                   }};
    return about;
}

const file_format& long_series_format() {
    static const file_format about{"series",
                                   {".series"},
                                   [](const file_beginning& file) {
                                       return is_long_header(file.first_line) &&
                                              lower_case(file.first_line).find("value") != std::string::npos;
                                   },
                                   parse_source<parse_long_series>};
    return about;
}

}  // namespace mercer

#include "mercer/io/fasta.h"

#include <fmt/format.h>

#include <algorithm>

#include "mercer/base/text.h"
#include "mercer/data/strings.h"
#include "mercer/io/read.h"
#include "mercer/io/record_ends.h"
#include "mercer/io/target_column.h"

namespace mercer {
namespace {

// The lines of a file, and the sequences and labels read so far.
class sequence_file {
public:
    sequence_file(std::string_view text, const std::string& name, const tsv_options& options)
        : text_(detail::without_byte_order_mark(text)), rest_(text_), name_(name), options_(options) {}

    // Reads the next line that is not blank, trimmed. Returns false at the end.
    bool next(std::string_view& line) {
        while (detail::next_line(rest_, line)) {
            line = detail::trimmed(line);
            if (!line.empty()) return true;
        }
        return false;
    }
    std::size_t offset(std::string_view part) const { return static_cast<std::size_t>(part.data() - text_.data()); }
    [[noreturn]] void fail_here(std::string_view part, const std::string& message) const {
        detail::fail_at(errc::parse, name_, text_, offset(part), message);
    }
    // Throws an error at the end of the file.
    [[noreturn]] void fail_at_end(const std::string& message) const {
        detail::fail_at(errc::parse, name_, text_, text_.size(), message + ", got the end of the file");
    }
    void begin(std::string_view header) {
        items_.emplace_back();
        if (!options_.labelled) return;
        const std::string_view label = label_of(header);
        labels_.add(label, offset(label));
    }
    std::string& last() { return items_.back(); }
    void add_letters(std::string_view line) {
        if (const auto blank = line.find_first_of(" \t"); blank != std::string_view::npos)
            fail_here(line.substr(blank),
                      fmt::format("expected letters of a sequence, got {}", detail::quoted(line.substr(blank, 1))));
        last() += line;
    }
    table finish() {
        if (items_.empty()) fail(errc::data, fmt::format("{}: expected at least one example, got none", name_));
        table result;
        if (options_.labelled) labels_.finish(name_, text_, options_.classes, result);
        result.x = strings(std::move(items_));
        return result;
    }

private:
    std::string_view label_of(std::string_view header) const {
        constexpr std::string_view mark = "label=";
        std::string_view found;
        // The id, then more words; adjacent blanks give empty words.
        const auto words = detail::split(header.substr(1), " \t");
        for (std::size_t w = 0; w < words.size(); ++w) {
            if (words[w].starts_with(mark)) {
                found = words[w].substr(mark.size());
                break;
            }
            if (w > 0 && found.empty()) found = words[w];
        }
        if (found.empty())
            fail_here(header, fmt::format("expected '{}id label' or 'label=NAME' in the header, got {}", header[0],
                                          detail::quoted(header)));
        return found;
    }

    std::string_view text_, rest_;
    const std::string& name_;
    const tsv_options& options_;
    detail::label_column labels_;
    std::vector<std::string> items_;
};

}  // namespace

table parse_fasta(std::string_view text, const std::string& name, const tsv_options& options) {
    sequence_file file(text, name, options);
    bool any = false;
    for (std::string_view line; file.next(line);) {
        if (line[0] == ';') continue;
        if (line[0] == '>') {
            file.begin(line);
            any = true;
        } else if (!any) {
            file.fail_here(line, fmt::format("expected a header that begins with '>', got {}", detail::quoted(line)));
        } else {
            file.add_letters(line);
        }
    }
    return file.finish();
}

table parse_fastq(std::string_view text, const std::string& name, const tsv_options& options) {
    sequence_file file(text, name, options);
    for (std::string_view line; file.next(line);) {
        if (line[0] != '@')
            file.fail_here(line, fmt::format("expected a header that begins with '@', got {}", detail::quoted(line)));
        file.begin(line);
        for (;;) {
            if (!file.next(line)) file.fail_at_end("expected a line that begins with '+'");
            if (line[0] == '+') break;
            file.add_letters(line);
        }
        for (std::size_t left = file.last().size(); left > 0; left -= line.size()) {
            if (!file.next(line)) file.fail_at_end(fmt::format("expected {} more quality characters", left));
            if (line.size() > left)
                file.fail_here(line.substr(left),
                               fmt::format("expected {} quality characters, one for each letter of "
                                           "the sequence, got {}",
                                           file.last().size(), file.last().size() + line.size() - left));
        }
    }
    return file.finish();
}

table read_fasta(const std::string& path, const tsv_options& options) {
    const file_contents file = read_file(path);
    return parse_untruncated(file, [&] { return parse_fasta(file.bytes(), file.name(), options); });
}

table read_fastq(const std::string& path, const tsv_options& options) {
    const file_contents file = read_file(path);
    return parse_untruncated(file, [&] { return parse_fastq(file.bytes(), file.name(), options); });
}

namespace {

// Implements file_format::cut_to_rows: a FASTA sequence ends before the next header.
bool cut_to_sequences(std::string& text, index rows, const read_options&) {
    const std::string_view body = detail::without_byte_order_mark(text);
    std::size_t at = body.starts_with('>') ? 0 : body.find("\n>");
    for (index found = 0; found < rows && at != std::string_view::npos; ++found) at = body.find("\n>", at + 1);
    if (at == std::string_view::npos) return false;
    text.resize(text.size() - body.size() + at + 1);
    return true;
}

// Implements file_format::cut_to_rows: a FASTQ sequence ends with the line of its last quality.
bool cut_to_qualities(std::string& text, index rows, const read_options&) {
    std::string_view rest = detail::without_byte_order_mark(text), line;
    const auto next = [&] {
        while (detail::next_complete_line(rest, line))
            if (line = detail::trimmed(line); !line.empty()) return true;
        return false;
    };
    for (index found = 0; found < rows; ++found) {
        if (!next()) return false;  // the header
        std::size_t letters = 0;
        for (; next() && line[0] != '+'; letters += line.size()) {
        }
        if (line.empty() || line[0] != '+') return false;
        while (letters > 0 && next()) letters -= std::min(letters, line.size());
        if (letters > 0) return false;
    }
    text.resize(text.size() - rest.size());
    return true;
}

}  // namespace

const file_format& fasta_format() {
    static const file_format about{"fasta",
                                   {".fasta", ".fa", ".fna", ".faa", ".ffn"},
                                   [](const file_beginning& file) {
                                       return file.first_line[0] == '>' ||
                                              (file.first_line[0] == ';' && file.second_line[0] == '>');
                                   },
                                   [](const file_contents& file, const read_options& options) {
                                       return parse_fasta(file.bytes(), file.name(), options.tsv);
                                   },
                                   nullptr,
                                   nullptr,
                                   cut_to_sequences};
    return about;
}

const file_format& fastq_format() {
    static const file_format about{"fastq",
                                   {".fastq", ".fq"},
                                   nullptr,
                                   [](const file_contents& file, const read_options& options) {
                                       return parse_fastq(file.bytes(), file.name(), options.tsv);
                                   },
                                   nullptr,
                                   nullptr,
                                   cut_to_qualities};
    return about;
}

}  // namespace mercer

// Options and messages shared by svm-train, svm-predict and svm-scale. They match LIBSVM's programs.
#pragma once

#include <unistd.h>

#include <algorithm>
#include <cerrno>
#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <filesystem>
#include <limits>
#include <string>
#include <string_view>

#include "mercer/base/error.h"
#include "mercer/base/file.h"
#include "mercer/base/memory.h"
#include "mercer/base/terminal_text.h"
#include "mercer/io/file_contents.h"
#include "mercer/io/libsvm.h"

namespace mercer::programs {

// Thrown to end the program with this exit code, after the message (if any) has been printed to stderr.
struct program_exit {
    int code;
};

[[noreturn]] inline void end_with(const std::string& message, int code = 1) {
    std::fputs((terminal_safe(stderr, message) + "\n").c_str(), stderr);
    throw program_exit{code};
}

[[noreturn]] inline void show_usage(const char* text) {
    std::fputs(text, stdout);
    throw program_exit{1};
}

// Parses a whole token as a number. Any other text shows the usage, as in Debian's version of the programs.
inline double number_option(const char* text, const char* usage) {
    char* end = nullptr;
    errno = 0;
    const double value = std::strtod(text, &end);
    if (end == text || *end != '\0' || errno == ERANGE) show_usage(usage);
    return value;
}
inline int whole_option(const char* text, const char* usage) {
    char* end = nullptr;
    errno = 0;
    const long value = std::strtol(text, &end, 10);
    if (end == text || *end != '\0' || errno == ERANGE || value < std::numeric_limits<int>::min() ||
        value > std::numeric_limits<int>::max())
        show_usage(usage);
    return static_cast<int>(value);
}

// Reads a file once, because a pipe cannot be opened again. Ends the program with the message `otherwise` and the path
// if the file cannot be opened. For is_expected see read_file_if().
inline file_contents open_file(const std::string& path, const char* otherwise,
                               bool (*is_expected)(std::string_view beginning) = nullptr) {
    try {
        file_contents file = is_expected ? read_file_if(path, is_expected) : read_file(path);
        if (file.bytes().size() > (std::size_t{1} << 20)) prepare_heap();
        return file;
    } catch (const error& caught) {
        if (caught.code() != errc::io) throw;
        end_with(otherwise + path);
    }
}

// Ends the program if an output file is also an input: writing would destroy the input.
inline void require_other_file(const std::string& output, const std::string& input) {
    std::error_code unknown;
    if (!output.empty() && std::filesystem::is_regular_file(input, unknown) && is_same_file(output, input))
        end_with("can't open output file " + output + ": it is the same file as the input " + input);
}

struct examples {
    table data;
    bool zero_based = false;  // an index 0 occurs: column j holds index j, else index j + 1
};

// Returns the line number of "file:line:column: …", 0 if there is none.
inline long line_of(const std::string& message, const std::string& name) {
    return message.starts_with(name + ":") ? std::atol(message.c_str() + name.size() + 1) : 0;
}

// Prints LIBSVM's message, followed by the exact error, and ends the program.
[[noreturn]] inline void wrong_format(long line, const std::string& detail) {
    std::string message = "Wrong input format at line " + std::to_string(line);
    if (!detail.empty()) message += "\n" + detail;
    end_with(message);
}

inline index count_lines(const file_contents& file) {
    constexpr std::size_t piece = 1 << 22;
    const std::string_view text = file.bytes();
    index lines = !text.empty() && text.back() != '\n';
    for (std::size_t at = 0; at < text.size(); at += piece) {
        const std::string_view here = text.substr(at, piece);
        lines += std::count(here.begin(), here.end(), '\n');
        file.release_pages(here);
    }
    return lines;
}

// Every line of the file must be an example: LIBSVM refuses blank lines, and each input line has one output line.
inline void require_no_blank_lines(const file_contents& file, index rows) {
    if (count_lines(file) == rows) return;
    std::string_view rest = file.bytes(), line;
    for (long number = 1; detail::next_line(rest, line); ++number) {
        const std::string_view body = detail::trimmed(line);
        if (body.empty() || body.front() == '#')
            wrong_format(number,
                         file.name() + ":" + std::to_string(number) + ": expected an example, got a line without one");
    }
}

inline examples parse_examples(const file_contents& file, bool precomputed, bool zero_based, index dims = 0) {
    libsvm_options options;
    options.dims = dims;
    options.precomputed = precomputed;
    examples out;
    const auto attempt = [&](index_base base) {
        options.base = base;
        out.data = parse_libsvm(file, options);
        out.zero_based = base == index_base::zero;
    };
    const auto report = [&](const error& caught) {
        const long line = line_of(caught.what(), file.name());
        if (line > 0) wrong_format(line, caught.what());
        end_with(caught.what());
    };
    try {
        attempt(zero_based ? index_base::zero : index_base::one);
    } catch (const error& first) {
        if (zero_based || precomputed) report(first);
        try {
            attempt(index_base::zero);  // LIBSVM accepts index 0 as an additional feature
        } catch (const error& second) {
            report(second);
        }
    }
    require_no_blank_lines(file, out.data.x.size());
    return out;
}

// Runs the body of main() and converts exceptions to exit codes.
template <class Body>
int run_program(Body body) {
    remove_temporaries_on_signals();
    try {
        return body();
    } catch (const program_exit& end) {
        return end.code;
    } catch (const error& caught) {
        std::fprintf(stderr, "ERROR: %s\n", terminal_safe(stderr, caught.what()).c_str());
    } catch (const std::bad_alloc&) {
        std::fputs("ERROR: out of memory\n", stderr);
    } catch (const std::exception& caught) {
        std::fprintf(stderr, "ERROR: %s\n", terminal_safe(stderr, caught.what()).c_str());
    }
    return 1;
}

}  // namespace mercer::programs

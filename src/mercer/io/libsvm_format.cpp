// How LIBSVM's files are recognised.
#include <algorithm>

#include "mercer/base/number.h"
#include "mercer/base/readers_text.h"
#include "mercer/io/read.h"

namespace mercer {
namespace {

// number [qid:…] index:value …, without a comment at its end
bool looks_like_libsvm(std::string_view line) {
    line = detail::trimmed(line.substr(0, line.find('#')));
    bool label = true;
    for (const std::string_view token : detail::split(line, " \t")) {
        if (token.empty()) continue;
        if (label) {
            if (!detail::is_number(token)) return false;
            label = false;
            continue;
        }
        const auto colon = token.find(':');
        if (colon == std::string_view::npos || colon == 0) return false;
        if (token.starts_with("qid:")) continue;
        if (!std::all_of(token.begin(), token.begin() + static_cast<std::ptrdiff_t>(colon), detail::is_digit))
            return false;
    }
    return !label;
}

}  // namespace

const file_format& libsvm_format() {
    static const file_format about{"libsvm",
                                   {".svm", ".libsvm", ".svmlight"},
                                   [](const file_beginning& file) { return looks_like_libsvm(file.first_line); },
                                   [](const source& file, const read_options& options) {
                                       libsvm_options libsvm = options.libsvm;
                                       libsvm.numbers = options.numbers;
                                       return parse_libsvm(file, libsvm);
                                   },
                                   nullptr,
                                   nullptr,
                                   [](std::string& text, index rows, const read_options&) {
                                       return detail::cut_to_lines(text, rows, [](std::string_view line) {
                                           return detail::is_filled(line.substr(0, line.find('#')));
                                       });
                                   }};
    return about;
}

}  // namespace mercer

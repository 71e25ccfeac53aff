// svm-scale: a replacement of LIBSVM's program. It maps columns to [lower, upper] by x ↦ lower + (upper - lower)(x -
// min)/(max - min) and drops columns with min = max.
#include <limits>
#include <numeric>
#include <optional>

#include "libsvm_programs.h"
#include "mercer/base/text.h"
#include "mercer/base/threads.h"
#include "mercer/data/vectors.h"

namespace mercer::programs {
namespace {

constexpr const char* usage =
    "Usage: svm-scale [options] data_filename\n"
    "options:\n"
    "-l lower : x scaling lower limit (default -1)\n"
    "-u upper : x scaling upper limit (default +1)\n"
    "-y y_lower y_upper : y scaling limits (default: no y scaling)\n"
    "-s save_filename : save scaling parameters to save_filename\n"
    "-r restore_filename : restore scaling parameters from restore_filename\n";

constexpr double max_double = std::numeric_limits<double>::max();

// The range of one column or of the targets, and the map to the new range.
struct range {
    double low = max_double;
    double high = -max_double;
    void include(double value) {
        low = std::min(low, value);
        high = std::max(high, value);
    }
    double map(double value, double lower, double upper) const {
        if (value == low) return lower;
        if (value == high) return upper;
        return lower + (upper - lower) * (value - low) / (high - low);
    }
};

struct scale {
    double lower = -1, upper = 1;
    bool targets = false;
    double y_lower = 0, y_upper = 0;
    range y;
    std::vector<std::int32_t> at;  // indices of the columns, ascending: at least all that are not the same in every row
    std::vector<range> column;     // one range for each entry of `at`

    std::size_t position(index wanted) const {
        return static_cast<std::size_t>(std::ranges::lower_bound(at, wanted) - at.begin());
    }
};

struct command {
    scale how;
    std::string save, restore, data;
};

command parse(int argc, char** argv) {
    command c;
    int i = 1;
    const auto next = [&] {
        if (++i >= argc) show_usage(usage);
        return argv[i];
    };
    for (; i < argc && argv[i][0] == '-'; ++i) {
        switch (argv[i][1]) {
            case 'l': c.how.lower = number_option(next(), usage); break;
            case 'u': c.how.upper = number_option(next(), usage); break;
            case 'y':
                c.how.y_lower = number_option(next(), usage);
                c.how.y_upper = number_option(next(), usage);
                c.how.targets = true;
                break;
            case 's': c.save = next(); break;
            case 'r': c.restore = next(); break;
            default: std::fputs("unknown option\n", stderr); show_usage(usage);
        }
    }
    if (!(c.how.upper > c.how.lower) || (c.how.targets && !(c.how.y_upper > c.how.y_lower)))
        end_with("inconsistent lower/upper specification");
    if (!c.save.empty() && !c.restore.empty()) end_with("cannot use -r and -s simultaneously");
    if (argc != i + 1) show_usage(usage);
    c.data = argv[i];
    return c;
}

// Reads the data; index j becomes column j, index 0 included. An empty file gives no rows.
table read_rows(const file_contents& file) {
    if (file.bytes().empty()) return {sparse<double>({0}, {}, {}, 1), {}, {}, {}};
    libsvm_options options;
    options.base = index_base::zero;
    table rows;
    try {
        rows = parse_libsvm(file, options);
    } catch (const error& caught) {
        if (std::string_view(caught.what()).find("expected a label") != std::string_view::npos)
            end_with("ERROR: failed to read labels", 255);
        wrong_format(line_of(caught.what(), file.name()), caught.what());
    }
    if (count_lines(file) != rows.x.size()) end_with("ERROR: failed to read labels", 255);  // a blank line has no label
    return rows;
}

// Reads a range file: "y", the limits and the range of the targets; "x", the limits; then index, min and max of each
// column.
struct saved_range {
    index at;
    range seen;
};
std::vector<saved_range> read_ranges(const file_contents& file, scale& how) {
    std::string_view rest = file.bytes();
    constexpr std::string_view blanks = " \t\r\n";
    const auto token = [&] {
        rest.remove_prefix(std::min(rest.find_first_not_of(blanks), rest.size()));
        const std::string_view made = rest.substr(0, rest.find_first_of(blanks));
        rest.remove_prefix(made.size());
        return made;
    };
    const auto number = [&](std::string_view text) {
        double value = 0;
        if (detail::parse_number(text, value) != detail::number_error::none)
            end_with("ERROR: failed to read scaling parameters", 255);
        return value;
    };
    std::string_view word = token();
    if (word == "y") {
        how.targets = true;
        how.y_lower = number(token()), how.y_upper = number(token());
        how.y.low = number(token()), how.y.high = number(token());
        word = token();
    }
    if (word != "x") end_with("ERROR: failed to read scaling parameters", 255);
    how.lower = number(token()), how.upper = number(token());
    std::vector<saved_range> found;
    for (word = token(); !word.empty(); word = token()) {
        const double at = number(word);
        const double low = number(token()), high = number(token());
        if (!(at >= 0 && at <= std::numeric_limits<std::int32_t>::max() &&
              at == static_cast<double>(static_cast<index>(at))))
            end_with("ERROR: failed to read scaling parameters", 255);
        found.push_back({static_cast<index>(at), {low, high}});
    }
    return found;
}

void measure_columns(scale& how, const sparse<double>& x, std::span<const double> y) {
    std::vector<index> stored(how.column.size(), 0);
    for (const double target : y) how.y.include(target);
    for (index i = 0; i < x.size(); ++i)
        for (std::size_t e = 0; e < x.cols(i).size(); ++e) {
            const auto c = static_cast<std::size_t>(x.cols(i)[e]);
            how.column[c].include(x.values(i)[e]);
            ++stored[c];
        }
    // A missing value is zero. Index 0 is not a regular index: it is not counted as zero if it is missing.
    for (std::size_t c = 0; c < how.column.size(); ++c)
        if (how.at[c] > 0 && stored[c] < x.size()) how.column[c].include(0);
}

void restore(scale& how, const std::vector<saved_range>& saved, const command& c) {
    std::size_t next = how.position(1);
    const auto unseen_before = [&](std::size_t end) {
        for (; next < end; ++next)
            if (how.column[next].low != how.column[next].high) {
                std::fprintf(stderr,
                             "WARNING: feature index %ld appeared in file %s was not seen in the scaling factor file "
                             "%s. The feature is scaled to 0.\n",
                             static_cast<long>(how.at[next]), c.data.c_str(), c.restore.c_str());
                how.column[next] = {0, 0};
            }
    };
    for (const auto& [at, seen] : saved) {
        const std::size_t here = how.position(at);
        unseen_before(here);
        how.column[here] = seen;
        next = here + 1;
    }
    unseen_before(how.column.size());
}

void save(const scale& how, const std::string& path) {
    std::string text;
    char digits[max_decimal_length];
    const auto line = [&](double a, double b) {
        text.append(digits, write_general(digits, a, 17)) += ' ';
        text.append(digits, write_general(digits, b, 17)) += '\n';
    };
    if (how.targets) {
        text += "y\n";
        line(how.y_lower, how.y_upper);
        line(how.y.low, how.y.high);
    }
    text += "x\n";
    line(how.lower, how.upper);
    for (std::size_t c = how.position(1); c < how.column.size(); ++c)
        if (how.column[c].low != how.column[c].high) {
            text.append(digits, write_integer(digits, how.at[c])) += ' ';
            line(how.column[c].low, how.column[c].high);
        }
    try {
        write_atomically(path, text, durability::unsynced);
    } catch (const error&) {
        end_with("can't open file " + path);
    }
}

// Writes rows as text.
class row_writer {
public:
    row_writer(const scale& how, const sparse<double>& x, std::span<const double> y) : how_(how), x_(x), y_(y) {
        for (std::size_t c = how.position(1); c < how.column.size(); ++c)
            if (std::string made; entry(c, 0, made)) zeros_.push_back({c, std::move(made)});
    }

    // Appends rows first … end-1 to `text`; returns the number of nonzero values.
    long write(index first, index end, std::string& text) const {
        long count = 0;
        char digits[max_decimal_length];
        for (index i = first; i < end; ++i) {
            const double target = y_[static_cast<std::size_t>(i)];
            text.append(digits,
                        write_general(digits, how_.targets ? how_.y.map(target, how_.y_lower, how_.y_upper) : target,
                                      17)) += ' ';
            auto zero = zeros_.begin();
            const auto zeros_before = [&](std::size_t stop) {
                for (; zero != zeros_.end() && zero->column < stop; ++zero) text += zero->text, ++count;
            };
            for (std::size_t e = 0; e < x_.cols(i).size(); ++e) {
                const auto c = static_cast<std::size_t>(x_.cols(i)[e]);
                zeros_before(c);
                if (zero != zeros_.end() && zero->column == c) ++zero;
                count += entry(c, x_.values(i)[e], text);
            }
            zeros_before(how_.column.size());
            text += '\n';
        }
        return count;
    }

    // Returns the number of rows, at most 256, whose text takes some megabytes.
    index rows_at_once() const {
        const double entries = static_cast<double>(zeros_.size()) +
                               static_cast<double>(x_.nonzeros()) / static_cast<double>(std::max<index>(1, x_.size()));
        return static_cast<index>(std::clamp((1 << 18) / (entries + 1), 1.0, 256.0));
    }

private:
    bool entry(std::size_t c, double value, std::string& out) const {
        const range& column = how_.column[c];
        if (column.low == column.high) return false;
        const double scaled = column.map(value, how_.lower, how_.upper);
        if (scaled == 0) return false;
        char digits[max_decimal_length];
        out.append(digits, write_integer(digits, how_.at[c])) += ':';
        out.append(digits, write_general(digits, scaled, 6)) += ' ';
        return true;
    }

    const scale& how_;
    const sparse<double>& x_;
    std::span<const double> y_;
    // Columns in which 0 is mapped to a nonzero value; they occur in every row.
    struct filled {
        std::size_t column;
        std::string text;
    };
    std::vector<filled> zeros_;
};

// Writes all rows to standard output, a limited number at a time to bound the memory. Returns the number of nonzero
// values.
long print_rows(const row_writer& rows, index size) {
    const index at_once = rows.rows_at_once(), chunks = (size + at_once - 1) / at_once, together = index{4} * threads();
    std::vector<std::string> text(static_cast<std::size_t>(together));
    std::vector<long> nonzeros(static_cast<std::size_t>(together));
    long all = 0;
    for (index first = 0; first < chunks; first += together) {
        const index count = std::min(together, chunks - first);
        parallel_for(count, [&](index k) {
            text[static_cast<std::size_t>(k)].clear();
            nonzeros[static_cast<std::size_t>(k)] = rows.write(
                (first + k) * at_once, std::min(size, (first + k + 1) * at_once), text[static_cast<std::size_t>(k)]);
        });
        for (std::size_t k = 0; k < static_cast<std::size_t>(count); ++k) {
            if (std::fwrite(text[k].data(), 1, text[k].size(), stdout) != text[k].size())
                end_with("can't write to standard output");
            all += nonzeros[k];
        }
    }
    if (std::fflush(stdout) != 0) end_with("can't write to standard output");
    return all;
}

int run(int argc, char** argv) {
    command c = parse(argc, argv);
    require_other_file(c.save, c.data);
    scale& how = c.how;
    std::optional<file_contents> data = open_file(c.data, "can't open file ");
    std::vector<saved_range> saved;
    scale restored = how;
    if (!c.restore.empty()) saved = read_ranges(open_file(c.restore, "can't open file "), restored);
    table rows = parse_untruncated(*data, [&] { return read_rows(*data); });
    data.reset();  // frees the text, which may be large

    // If most indices do not occur, keeps arrays only for those that do.
    if (mostly_empty_columns(rows.x) ||
        std::ranges::any_of(saved, [&](const saved_range& each) { return each.at >= rows.x.dims(); })) {
        how.at = used_columns(rows.x);
        for (const auto& each : saved) how.at.push_back(static_cast<std::int32_t>(each.at));
        std::ranges::sort(how.at);
        how.at.erase(std::unique(how.at.begin(), how.at.end()), how.at.end());
        rows.x = compact_columns(rows.x, how.at);
    } else {
        how.at.resize(static_cast<std::size_t>(std::max<index>(rows.x.dims(), 1)));
        std::iota(how.at.begin(), how.at.end(), 0);
    }
    const auto& x = *rows.x.as<sparse<double>>();
    bool zero = std::ranges::any_of(saved, [](const saved_range& each) { return each.at == 0; });
    for (index i = 0; i < x.size() && !how.at.empty() && how.at.front() == 0; ++i)
        zero = zero || (!x.cols(i).empty() && x.cols(i)[0] == 0);
    if (zero) std::fputs("WARNING: minimal feature index is 0, but indices should start from 1\n", stderr);
    how.column.resize(how.at.size());
    measure_columns(how, x, rows.y);
    if (!c.restore.empty()) {
        restored.at = std::move(how.at);
        restored.column = std::move(how.column);
        if (restored.y.low > restored.y.high) restored.y = how.y;
        how = std::move(restored);
        restore(how, saved, c);
    }
    if (!c.save.empty()) {
        if (zero)
            std::fprintf(stderr,
                         "WARNING: scaling factors with indices smaller than 1 are not stored to the file %s.\n",
                         c.save.c_str());
        save(how, c.save);
    }
    const long after = print_rows(row_writer(how, x, rows.y), x.size());
    if (const auto before = static_cast<long>(x.nonzeros()); after > before)
        std::fprintf(stderr,
                     "WARNING: original #nonzeros %ld\n       > new      #nonzeros %ld\n"
                     "If feature values are non-negative and sparse, use -l 0 rather than the default -l -1\n",
                     before, after);
    return 0;
}

}  // namespace
}  // namespace mercer::programs

int main(int argc, char** argv) {
    return mercer::programs::run_program([&] { return mercer::programs::run(argc, argv); });
}

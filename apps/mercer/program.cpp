#include "program.h"

#include <fmt/format.h>
#include <unistd.h>

#include <algorithm>
#include <cerrno>
#include <chrono>
#include <csignal>
#include <cstdio>
#include <cstring>
#include <fstream>
#include <numeric>
#include <random>
#include <unordered_map>

#include "former_names.h"
#include "mercer/base/error.h"
#include "mercer/base/file.h"
#include "mercer/base/memory.h"
#include "mercer/base/terminal_text.h"
#include "mercer/base/threads.h"
#include "mercer/io/first_rows.h"
#include "mercer/kernels/expression/algebra.h"
#include "mercer/kernels/kernel_info.h"
#include "mercer/preprocess/scaling.h"
#include "mercer/preprocess/text_features.h"

namespace mercer::cli {

namespace {

// State of the process, set once from the command line or by a signal.
bool quiet_program = false;
bool stdout_is_output = false;  // standard output is an output file
int exit_code_of_program = 0;
std::atomic<bool> line_is_visible{false};  // a progress line is visible and has to be cleared before other output
std::atomic<bool> interrupt_flag{false};
bool interrupt_acknowledged = false;
std::atomic<std::int64_t> interrupt_time{0};

std::int64_t nanoseconds_now() {
    timespec now{};
    clock_gettime(CLOCK_MONOTONIC, &now);  // may be called in a signal handler
    return std::int64_t{1'000'000'000} * now.tv_sec + now.tv_nsec;
}

}  // namespace

void watch_interrupt() {
    struct sigaction before {};
    if (sigaction(SIGINT, nullptr, &before) == 0 && before.sa_handler == SIG_IGN) return;
    struct sigaction action {};
    action.sa_handler = [](int) {
        interrupt_time.store(nanoseconds_now());
        interrupt_flag.store(true);
    };
    action.sa_flags = static_cast<int>(SA_RESETHAND);
    sigaction(SIGINT, &action, nullptr);
}
bool is_interrupted() { return interrupt_flag.load(); }
bool interrupt_grace_expired() {
    constexpr std::int64_t grace = 1'500'000'000;
    return is_interrupted() && nanoseconds_now() - interrupt_time.load() > grace;
}
bool acknowledge_interrupt() {
    if (!interrupt_flag.exchange(false)) return false;
    interrupt_acknowledged = true;
    set_exit_code(130);
    return true;
}
bool was_interrupted() { return interrupt_acknowledged; }
void set_exit_code(int code) { exit_code_of_program = code; }
int exit_code() { return exit_code_of_program; }

bool& output_to_stdout() { return stdout_is_output; }

void common_options::add_to(CLI::App& command) {
    command.add_flag("--json", as_json, "Print the result as JSON")->group("Output");
    command.add_flag("-q,--quiet", quiet, "Print only results and errors, no progress and no warnings")
        ->group("Output");
    command
        .add_option("--threads", threads, "Number of threads (default: $MERCER_THREADS, else all usable processors)")
        ->option_text("N")
        ->check(CLI::Range(1, max_threads))
        ->group("Output");
}

void common_options::apply() const {
    quiet_program = quiet;
    if (threads > 0)
        set_threads(threads);
    else
        (void)mercer::threads();  // reports an invalid MERCER_THREADS before any work
}

CLI::Validator format_validator() {
    std::vector<std::string> names{"auto"};
    for (const file_format* each : all_formats()) names.emplace_back(each->name);
    return CLI::IsMember(names);
}

CLI::Validator range_validator(double least, double most) {
    CLI::Validator range = CLI::Range(least, most);
    range.operation([least, most](std::string& text) {
        double value = 0;
        if (CLI::detail::lexical_cast(text, value) && value >= least && value <= most) return std::string();
        return fmt::format("expected a number from {} to {}, got '{}'", least, most, text);
    });
    return range;
}

std::function<std::string(std::string)> split_format_prefix(std::string& format) {
    return [&format](const std::string& text) {
        const auto colon = text.find(':');
        if (colon == std::string::npos) return text;
        for (const file_format* each : all_formats())
            if (text.substr(0, colon) == each->name && !std::ifstream(text)) {
                format = each->name;
                return text.substr(colon + 1);
            }
        return text;
    };
}

void data_options::add_to(CLI::App& command) {
    command.add_option("DATA", path, "Data file (also .gz or .xz) or folder; csv:FILE reads FILE in the format csv")
        ->required()
        ->transform(split_format_prefix(format));
    command
        .add_option("--format", format,
                    "File format (names: `mercer manual fit`; default: detected by name and content)")
        ->option_text("NAME")
        ->check(format_validator())
        ->group("Data");
    command
        .add_option("--target", label, "Target column of CSV: name, position from 0 (-1: last) or none (default: none)")
        ->option_text("COLUMN")
        ->group("Data");
    command.add_option("--scale", scale, "Scale the features: standard (mean 0, variance 1) or minmax (-1 to 1)")
        ->option_text("HOW")
        ->check(CLI::IsMember({"standard", "minmax"}))
        ->group("Data");
    command.add_option("--text", text, "Convert texts to bags of words: tfidf, counts, binary, e.g. 'tfidf(ngram=2)'")
        ->option_text("HOW")
        ->group("Data");
    command
        .add_option("--text-column", text_column,
                    "CSV column with the texts: name or position from 0; used as the only feature")
        ->option_text("COLUMN")
        ->group("Data");
    auto* first = command.add_option("--rows", rows, "Read only the first N rows")
                      ->option_text("N")
                      ->check(CLI::PositiveNumber)
                      ->group("Data");
    command.add_option("--sample", sample, "Use a random sample of N rows (see --seed)")
        ->option_text("N")
        ->check(CLI::PositiveNumber)
        ->excludes(first)
        ->group("Data");
    command.add_option("--seed", seed, "Random seed of --sample (default: 1)")->option_text("N")->group("Data");
}

std::string loaded_data::class_of(index i) const {
    if (data.y.empty()) return {};
    const double y = data.y[static_cast<std::size_t>(i)];
    const bool named = y >= 0 && y < static_cast<double>(data.class_names.size());
    return named ? data.class_names[static_cast<std::size_t>(y)] : number_text(y);
}

namespace {

// Returns `count` different numbers below n, ascending. The result is the same for every standard library.
std::vector<index> random_rows(index n, index count, std::uint64_t seed) {
    std::vector<index> rows(static_cast<std::size_t>(n));
    std::iota(rows.begin(), rows.end(), index(0));
    std::mt19937_64 random(seed);
    for (index i = 0; i < count; ++i)
        std::swap(rows[static_cast<std::size_t>(i)],
                  rows[static_cast<std::size_t>(i) + random() % static_cast<std::uint64_t>(n - i)]);
    rows.resize(static_cast<std::size_t>(count));
    std::ranges::sort(rows);
    return rows;
}

// Scaling changes zeros, so sparse data are made dense first if they have at most 2²⁷ values. For larger data
// scaling::fit fails and says what to do.
dataset scaled(const dataset& x, const std::string& how) {
    if (x.kind() != object_kind::vectors)
        fail(errc::unsupported,
             fmt::format("--scale needs vectors, but the data are {}: leave --scale out", name(x.kind())));
    constexpr index most_numbers = index(1) << 27;
    const bool fits = x.size() == 0 || x.dims() <= most_numbers / x.size();
    const dataset from = x.is_sparse() && fits ? dataset(as_dense<double>(x)) : x;
    scaling_options options;
    options.method = how == "standard" ? scaling_method::standardise : scaling_method::minmax;
    return scaling::fit(from, options).apply(from);
}

}  // namespace

std::vector<index> select_rows(const data_options& options, index n) {
    const index wanted = options.rows > 0 ? options.rows : options.sample > 0 ? options.sample : n;
    if (wanted > n)
        fail(errc::invalid_argument, fmt::format("{} must be at most the number of rows in '{}', {}, got {}",
                                                 options.rows > 0 ? "--rows" : "--sample", options.path, n, wanted));
    if (options.sample > 0) return random_rows(n, wanted, options.seed);
    std::vector<index> first(static_cast<std::size_t>(wanted));
    std::iota(first.begin(), first.end(), index(0));
    return first;
}

read_options read_options_for(std::string kernel) {
    read_options how;
    std::ranges::replace(kernel, '?', '1');
    try {
        if (kernel.find("field") != std::string::npos) how.records.kinds = kinds_of_fields(kernel::parse(kernel));
    } catch (const error&) {  // the caller reports an invalid kernel where it uses the kernel
    }
    return how;
}

namespace {

read_options with_command_line_options(const data_options& options, read_options how) {
    if (options.format != "auto") how.format = &find_file_format(options.format);
    how.csv.label = options.label;
    how.csv.text = options.text_column;
    how.tsv.labelled = options.label != "none";
    return how;
}

}  // namespace

file_contents data_options::open(const read_options& how, std::size_t memory) const {
    return rows > 0 ? read_first_rows(path, rows, with_command_line_options(*this, how), memory)
                    : read_file_or_folder(path, memory);
}

loaded_data load(const data_options& options, read_options how) {
    const file_contents file = options.open(how);
    return load(options, file, std::move(how));
}

loaded_data load(const data_options& options, const file_contents& file, read_options how) {
    how = with_command_line_options(options, std::move(how));
    loaded_data from;
    from.data = parse_table(file, how);
    const index all = from.data.x.size();
    if (all == 0) fail(errc::data, fmt::format("{}: the data have no examples", options.path));
    from.rows = select_rows(options, all);
    const auto wanted = static_cast<index>(from.rows.size());
    if (wanted < all) {
        from.data.x = gather(from.data.x, std::span<const index>(from.rows));
        std::vector<double> y;
        if (!from.data.y.empty())
            for (const index row : from.rows) y.push_back(from.data.y[static_cast<std::size_t>(row)]);
        from.data.y = std::move(y);
    }
    if (!options.text.empty()) text_features::fit(from.data.x, parse_text_options(options.text), &from.data.x);
    if (!options.scale.empty()) from.data.x = scaled(from.data.x, options.scale);
    from.about = options.rows > 0 ? fmt::format("{}, the first {} {}", options.path, wanted, name(from.data.x.kind()))
                 : wanted < all   ? fmt::format("{}, {} of {} {}", options.path, wanted, all, name(from.data.x.kind()))
                                  : fmt::format("{}, {} {}", options.path, all, name(from.data.x.kind()));
    if (from.data.x.kind() == object_kind::vectors) from.about += fmt::format(" with {} features", from.data.x.dims());
    if (!options.scale.empty()) from.about += options.scale == "standard" ? ", standardised" : ", scaled to -1 ... 1";
    return from;
}

void warn(const std::string& message) {
    if (quiet_program) return;
    std::fflush(stdout);
    fmt::print(stderr, "{}mercer: {}\n", line_is_visible.exchange(false) ? "\r\033[K" : "",
               mercer::terminal_safe(stderr, message));
}

kernel parse_kernel(const std::string& text) {
    try {
        return kernel::parse(text);
    } catch (const error& wrong) {
        throw usage_error(fmt::format("{}\n  `mercer kernel list` lists all kernels", wrong.what()));
    }
}

void require_fit(const kernel& k, const loaded_data& from, const std::string& path) {
    const object_kind have = from.data.x.kind();
    if (k.kind() == object_kind::any || k.kind() == have) return;
    fail(errc::unsupported, fmt::format("{} is a kernel on {}, but '{}' was read as {}: take a kernel of `mercer "
                                        "kernel list --kind {}`, or name the format with --format",
                                        k.text(), name(k.kind()), path, name(have), name(have)));
}

void require_memory(index n, int copies, const std::string& what) {
    const auto free = static_cast<double>(free_memory());
    const double need = 8.0 * static_cast<double>(n) * static_cast<double>(n) * copies;
    if (need > free)
        fail(errc::memory, fmt::format("{} of {} examples needs {:.1f} GB of memory, but {:.1f} GB are free: take "
                                       "fewer examples with --rows N or --sample N",
                                       what, n, need / 1e9, free / 1e9));
}

progress_line::progress_line() : active_(::isatty(STDERR_FILENO) != 0 && !quiet_program) {
    if (!active_) return;
    line_thread_ = std::jthread([this](const std::stop_token& stop) {
        const auto started = std::chrono::steady_clock::now();
        std::unique_lock hold(lock_);
        while (!stop.stop_requested()) {
            wake_.wait_for(hold, stop, std::chrono::milliseconds(500), [] { return false; });
            if (stop.stop_requested() || phase_.empty()) continue;
            const auto now = std::chrono::steady_clock::now();
            const double seconds = std::chrono::duration<double>(now - started).count();
            std::string line = fraction_ >= 0
                                   ? fmt::format("{} ... {:.0f} %, {:.0f} s", phase_, 100 * fraction_, seconds)
                                   : fmt::format("{} ... {:.0f} s", phase_, seconds);
            // Extrapolates the average speed of this phase.
            if (fraction_ > 0.02)
                line +=
                    fmt::format(", about {:.0f} s left", std::chrono::duration<double>(now - phase_started_).count() *
                                                             (1 - fraction_) / fraction_);
            show(line);
        }
    });
}

progress_line::~progress_line() {
    if (!active_) return;
    line_thread_.request_stop();
    line_thread_.join();
    if (shown_) show("");
}

void progress_line::show(const std::string& line) {
    fmt::print(stderr, "\r\033[K{}", mercer::terminal_safe(stderr, line));
    std::fflush(stderr);
    shown_ = true;
    line_is_visible = !line.empty();
}

void progress_line::set_phase(const std::string& what) {
    const std::lock_guard hold(lock_);
    if (phase_ != what) phase_started_ = std::chrono::steady_clock::now();
    phase_ = what;
    fraction_ = -1;
}

void progress_line::set_fraction(double done) {
    const std::lock_guard hold(lock_);
    fraction_ = done;
}

struct matrix_writer::state {
    explicit state(const std::string& path) : file(path), text(!path.ends_with(".npy")) {}
    atomic_file file;
    bool text;
};

void matrix_writer::check_name(const std::string& path) {
    if (!path.ends_with(".npy") && !path.ends_with(".csv") && path != "/dev/stdout")
        throw usage_error(fmt::format("a matrix must be written to a file .npy or .csv, got '{}'", path));
}

matrix_writer::matrix_writer(const std::string& path, index rows, index cols) {
    check_name(path);
    state_ = std::make_unique<state>(path);
    if (!state_->text) state_->file.write(npy_header<double>(rows, cols));
}

matrix_writer::~matrix_writer() = default;

void matrix_writer::add(matrix_view<const double> rows) {
    for (index i = 0; i < rows.rows; ++i) {
        if (!state_->text) {
            state_->file.write(
                {reinterpret_cast<const char*>(rows.row(i)), static_cast<std::size_t>(rows.cols) * sizeof(double)});
            continue;
        }
        std::string line;
        for (index j = 0; j < rows.cols; ++j)
            fmt::format_to(std::back_inserter(line), "{}{}", j ? "," : "", rows(i, j));
        state_->file.write(line + "\n");
    }
}

void matrix_writer::commit() { state_->file.commit(); }

void write_matrix(const std::string& path, matrix_view<const double> values) {
    matrix_writer out(path, values.rows, values.cols);
    out.add(values);
    out.commit();
}

namespace {
[[noreturn]] void output_failed() {
    fail(errc::io, fmt::format("cannot write to standard output: {}", std::strerror(errno ? errno : EIO)));
}
}  // namespace

void print(const std::string& text) {
    std::FILE* const to = stdout_is_output ? stderr : stdout;
    const std::string shown = mercer::terminal_safe(to, text);
    if (std::fwrite(shown.data(), 1, shown.size(), to) != shown.size()) output_failed();
}
void flush_output() {
    errno = 0;
    if (std::fflush(stdout) != 0 || std::ferror(stdout)) output_failed();
}
void print(const json& value) {
    if (has_renamed_key(value)) {
        json renamed = value;
        add_renamed_keys(renamed);
        return print(renamed.dump(2, ' ', false, json::error_handler_t::replace) + "\n");
    }
    print(value.dump(2, ' ', false, json::error_handler_t::replace) + "\n");
}

std::string count_text(index n, const std::string& what) { return fmt::format("{} {}{}", n, what, n == 1 ? "" : "s"); }

std::string escape_cell(const std::string& text) {
    std::string out;
    for (const char c : text) {
        if (c == '|') out += '\\';
        out += c;
    }
    return out;
}

std::string align_table(const std::vector<std::vector<std::string>>& lines, const std::vector<bool>& right) {
    // Counts characters, not bytes.
    const auto letters = [](const std::string& text) {
        return std::ranges::count_if(text, [](char c) { return (c & 0xc0) != 0x80; });
    };
    std::vector<std::ptrdiff_t> width(right.size(), 0);
    for (const auto& line : lines)
        for (std::size_t i = 0; i < line.size(); ++i) width[i] = std::max(width[i], letters(line[i]));
    std::string out;
    for (const auto& line : lines) {
        std::string row;
        for (std::size_t i = 0; i < line.size(); ++i) {
            const std::string blanks(static_cast<std::size_t>(width[i] - letters(line[i])), ' ');
            row += std::string("  ") + (right[i] ? blanks + line[i] : line[i] + blanks);
        }
        row.erase(row.find_last_not_of(' ') + 1);
        out += row + "\n";
    }
    return out;
}

}  // namespace mercer::cli

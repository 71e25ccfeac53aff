// Options, data and output shared by the subcommands of `mercer`. A new subcommand is a file that defines `void
// add_name(CLI::App& program)`, which is declared here, called in main.cpp, and named in the groups of main.cpp.
#pragma once

#include <CLI/CLI.hpp>
#include <atomic>
#include <chrono>
#include <condition_variable>
#include <functional>
#include <memory>
#include <mutex>
#include <nlohmann/json.hpp>
#include <stdexcept>
#include <string>
#include <thread>
#include <vector>

#include "help.h"
#include "mercer/gram/gram.h"
#include "mercer/io/read.h"
#include "mercer/kernels/kernel.h"
#include "mercer/preprocess/pipeline.h"

namespace mercer::cli {

using json = nlohmann::ordered_json;

void add_kernel(CLI::App& program);
void add_explain(CLI::App& program);
void add_regions(CLI::App& program);
void add_compare_solvers(CLI::App& program);
void add_fit(CLI::App& program);
void add_tune(CLI::App& program);
void add_learn(CLI::App& program);
void add_predict(CLI::App& program);
void add_evaluate(CLI::App& program);
void add_transform(CLI::App& program);
void add_describe(CLI::App& program);
void add_convert(CLI::App& program);
void add_serve(CLI::App& program);
void add_cluster(CLI::App& program);
void add_test(CLI::App& program);
void add_methods(CLI::App& program);
void add_scale(CLI::App& program);
void add_devices(CLI::App& program);
void add_completion(CLI::App& program);
void add_manual(CLI::App& program);

// An error in the command line; the exit code is 2.
class usage_error : public std::runtime_error {
public:
    using std::runtime_error::runtime_error;
};

// Options of every subcommand.
struct common_options {
    bool as_json = false;
    bool quiet = false;
    int threads = 0;
    void add_to(CLI::App& command);
    void apply() const;
};
// Set while the command line is parsed if an output file is standard output; text for the user then goes to standard
// error.
bool& output_to_stdout();

// From now on the first Ctrl-C sets a flag that long computations check (`is_interrupted`), and the second Ctrl-C ends
// the program. A signal that was ignored before stays ignored.
void watch_interrupt();
bool is_interrupted();
bool interrupt_grace_expired();  // true if Ctrl-C was pressed more than 1.5 s ago and the method has not ended since
bool acknowledge_interrupt();    // returns `is_interrupted()`, clears the flag and sets the exit code to 130
bool was_interrupted();  // true if acknowledge_interrupt() has returned true: the result of the command is incomplete
// Sets the exit code of a command that ends without an exception.
void set_exit_code(int code);
int exit_code();

// Returns a function that transforms the command-line argument DATA: it replaces "sets:FILE" by "FILE" and stores the
// format "sets" in `format`.
std::function<std::string(std::string)> split_format_prefix(std::string& format);
// For --format: accepts "auto" and the names of formats.
CLI::Validator format_validator();
// For options with a range of numbers. (CLI::Range accepts NaN, this validator does not.)
CLI::Validator range_validator(double least, double most);

// The data file and the options that say how to read it and which rows to use.
struct data_options {
    std::string path;
    std::string format = "auto";
    std::string label;
    std::string scale;
    std::string text, text_column;
    index rows = 0;
    index sample = 0;
    std::uint64_t seed = 1;
    void add_to(CLI::App& command);
    // Reads the file, or its first --rows rows. `memory` is the largest number of bytes of a decompressed file
    // (read_file).
    file_contents open(const read_options& how, std::size_t memory = 0) const;
};

struct loaded_data {
    table data;
    std::vector<index> rows;  // for each object its row in the file, counted from 0
    std::string about;        // "data/iris.svm · 150 of 150 rows · standardised"

    index size() const { return data.x.size(); }
    index row(index i) const { return rows[static_cast<std::size_t>(i)]; }
    std::string class_of(index i) const;  // returns "" if there are no targets
};
// `how` holds names that are already known, from a model or from other data.
loaded_data load(const data_options& options, read_options how = {});
loaded_data load(const data_options& options, const file_contents& file, read_options how = {});
// Returns the reading options that a kernel on records implies for the fields. Numbers in the kernel may be left open
// (?).
read_options read_options_for(std::string kernel);
// Returns the rows that --rows and --sample select from a file of n rows, ascending.
std::vector<index> select_rows(const data_options& options, index n);
// Writes a warning to standard error, unless --quiet is given.
void warn(const std::string& message);

// Parses the text form of a kernel. Throws usage_error, with a caret at the position, if the text is invalid.
kernel parse_kernel(const std::string& text);
// Throws an error that says what to do if k is not defined on these objects.
void require_fit(const kernel& k, const loaded_data& from, const std::string& path);
// Throws if `copies` matrices of n × n doubles do not fit into free memory.
void require_memory(index n, int copies, const std::string& what);

// A progress line on the terminal, updated twice per second. Writes nothing if standard error is not a terminal or
// --quiet is given.
class progress_line {
public:
    progress_line();
    ~progress_line();
    progress_line(const progress_line&) = delete;
    progress_line& operator=(const progress_line&) = delete;
    void set_phase(const std::string& what);
    void set_fraction(double done);  // fraction of the phase that is done, 0 … 1

private:
    void show(const std::string& line);
    bool active_ = false;
    std::mutex lock_;
    std::condition_variable_any wake_;
    std::string phase_;
    std::chrono::steady_clock::time_point phase_started_;
    double fraction_ = -1;
    bool shown_ = false;
    std::jthread line_thread_;
};

// Writes rows of numbers to a .npy or .csv file, by the ending of its name. The file appears only after commit().
class matrix_writer {
public:
    matrix_writer(const std::string& path, index rows, index cols);
    ~matrix_writer();
    static void check_name(const std::string& path);  // throws usage_error for any other ending
    void add(matrix_view<const double> rows);
    void commit();

private:
    struct state;
    std::unique_ptr<state> state_;
};
void write_matrix(const std::string& path, matrix_view<const double> values);

// Write to standard output, buffered. Throw if standard output cannot be written, for example because the disk is full.
void print(const std::string& text);
void print(const json& value);  // also writes the former names of renamed keys
void flush_output();
// "1 object", "5 objects"
std::string count_text(index n, const std::string& what);
// Returns an aligned table. Two blanks separate columns; columns with right[c] are aligned right.
std::string align_table(const std::vector<std::vector<std::string>>& lines, const std::vector<bool>& right);
// Escapes '|', which would end the cell of a markdown table.
std::string escape_cell(const std::string& text);

}  // namespace mercer::cli

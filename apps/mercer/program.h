// What the subcommands of `mercer` share. A new one is a file with `void add_name(CLI::App& program)`, named in
// main.cpp.
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

// A subcommand of a program or of a group of commands. (Made in one place: the constructor brings all of CLI11's own
// code with it, and would into every source that makes one.)
CLI::App* add_command(CLI::App& group, const std::string& name, const std::string& about);

// The command line is wrong, not the world: exit code 2.
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
// Set while the command line is parsed: an output is standard output, so text for people goes to standard error.
bool& output_is_taken();

// From now on the first Ctrl-C is a question that long work asks (`interrupted`), the second ends the program. A signal
// that was ignored stays ignored.
void watch_interrupt();
bool interrupted();
bool interrupt_is_old();  // and the method has not come to an end of its own for over a second
bool take_interrupt();    // the same as `interrupted`, and it is answered; the exit code becomes 130
bool was_interrupted();   // some Ctrl-C was answered: what the command has made is unfinished
// The exit code of a command that did what it could.
void leave_with(int code);
int exit_code();

// For DATA: "sets:FILE" is FILE, and its format goes where the reference leads.
std::function<std::string(std::string)> take_format(std::string& format);
// For --format: "auto", or a format's name.
CLI::Validator one_of_the_formats();
// For an option that is a number of a range. (CLI::Range lets NaN pass.)
CLI::Validator number_between(double least, double most);

// Which objects to work on.
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
    // The file, or the first --rows of it. memory: most bytes of a packed file unpacked (read_source).
    source open(const read_options& how, std::size_t memory = 0) const;
};

struct objects {
    table data;
    std::vector<index> rows;  // the row of the file each object comes from, counted from 0
    std::string about;        // "data/iris.svm · 150 of 150 rows · standardised"

    index size() const { return data.x.size(); }
    index row(index i) const { return rows[static_cast<std::size_t>(i)]; }
    std::string class_of(index i) const;  // "" without targets
};
// `how`: what is known of the names, from a model or from other data.
objects load(const data_options& options, read_options how = {});
objects load(const data_options& options, const source& file, read_options how = {});
// What a kernel, whose numbers may be left open (?), says about the fields of records.
read_options read_for(std::string kernel);
// The rows of a file of n that --rows and --sample leave, ascending.
std::vector<index> chosen_rows(const data_options& options, index n);
// A warning, on standard error, unless --quiet.
void warn(const std::string& message);

// Reads the text form; a wrong one is wrong usage, shown with a caret.
kernel parse_kernel(const std::string& text);
// Fails, with advice, unless k can be computed on these objects.
void require_fit(const kernel& k, const objects& from, const std::string& path);
// Fails unless `copies` matrices of n × n doubles fit into the memory that is free.
void require_memory(index n, int copies, const std::string& what);

// A line on the terminal while something takes long; nothing when standard error is not a terminal, or with --quiet.
class progress {
public:
    progress();
    ~progress();
    progress(const progress&) = delete;
    progress& operator=(const progress&) = delete;
    void phase(const std::string& what);
    void share(double done);  // of the phase, 0 … 1

private:
    void show(const std::string& line);
    bool active_ = false;
    std::mutex lock_;
    std::condition_variable_any wake_;
    std::string phase_;
    std::chrono::steady_clock::time_point phase_started_;
    double share_ = -1;
    bool shown_ = false;
    std::jthread shower_;
};

// Rows of numbers into a .npy or .csv file, by its name; the file appears when all of it is there.
class matrix_writer {
public:
    matrix_writer(const std::string& path, index rows, index cols);
    ~matrix_writer();
    static void check_name(const std::string& path);  // wrong usage for another end of the name
    void add(matrix_view<const double> rows);
    void commit();

private:
    struct state;
    std::unique_ptr<state> state_;
};
void write_matrix(const std::string& path, matrix_view<const double> values);

// To standard output, buffered. They throw where it cannot be written, a full disk for one.
void print(const std::string& text);
void print(const json& value);
void flush_output();
// "1 object", "5 objects"
std::string counted(index n, const std::string& what);
// An aligned table; columns are separated by two blanks, numbers stand right.
std::string aligned(const std::vector<std::vector<std::string>>& lines, const std::vector<bool>& right);

}  // namespace mercer::cli

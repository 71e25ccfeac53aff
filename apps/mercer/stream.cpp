// mercer fit METHOD DATA --stream: examples that are larger than memory.
#include <fmt/format.h>

#include <chrono>

#include "fit_automatic.h"
#include "mercer/base/communicator.h"
#include "mercer/base/context.h"
#include "mercer/base/heap.h"
#include "mercer/base/threads.h"
#include "mercer/io/row_batches.h"
#include "mercer/methods/nystroem/streamed_rows.h"

namespace mercer::cli {
namespace {

// The rows of the files, or this process's share of them.
std::unique_ptr<row_batches> opened(const automatic_fit& options, const process_group* group) {
    read_options how;
    if (options.from.format != "auto") how.format = &file_format_named(options.from.format);
    how.csv.label = options.from.label;
    auto rows = group ? open_share({options.from.path}, how, streamed_rows::rows_of_batch, *group, leaf_rows)
                      : open_batches({options.from.path}, how, streamed_rows::rows_of_batch);
    // Read once where that fits: the bits are the same.
    return keep_batches(std::move(rows),
                        options.method.memory > 0 ? options.method.memory / 4 : std::size_t{256} << 20);
}

// A line now and then from the first process, whose standard error mostly is a file.
class job_log {
public:
    job_log(const process_group* group, bool quiet) : on_(group && group->rank() == 0 && !quiet) {}
    void say(const std::string& what) {
        const auto now = std::chrono::steady_clock::now();
        if (!on_ || now - last_ < std::chrono::seconds(10)) return;
        last_ = now;
        fmt::print(stderr, "mercer: {}, {:.0f} s\n", what, std::chrono::duration<double>(now - started_).count());
    }

private:
    bool on_;
    std::chrono::steady_clock::time_point started_ = std::chrono::steady_clock::now(), last_ = started_;
};

}  // namespace

void fit_streamed(const automatic_fit& options) {
    options.common.apply();
    if (options.from.rows || options.from.sample || !options.picture.empty() || !options.html.empty() ||
        !options.from.text.empty())
        throw usage_error(
            "--rows, --sample, --text, --svg and --html are for data in memory: leave them out with --stream");
    api::spec s = options.method.spec();
    s.scale = options.from.scale == "none" ? "" : options.from.scale;
    return_freed_memory();
    const process_group* group = started_processes();
    if (group && options.common.threads == 0) set_threads(threads_of_process(*group));
    const bool has_gap = api::find_method(s.method).targets != api::answer::none;
    if (!group) watch_interrupt();  // mpirun ends all processes by itself
    const stop_scope stop(
        interrupt_is_old);  // where nothing is there to keep, as while files are read for the first time
    fit_answer answer;
    {
        progress shown;
        job_log log(group, options.common.quiet);
        shown.phase("reading " + options.from.path);
        const auto data = opened(options, group);
        const auto started = std::chrono::steady_clock::now();
        api::fit_control control;
        control.memory_bytes = options.method.memory;
        control.checkpoint = {options.checkpoint, options.checkpoint_seconds};
        if (options.factors != "auto")
            control.factors = options.factors == "alone" ? factor_choice::alone : factor_choice::together;
        control.progress = [&](const fit_progress& p) {
            std::string line = fmt::format("{}: {} {}", s.method, p.done, p.phase);
            if (has_gap && p.phase == std::string_view("passes")) line += fmt::format(", gap {:.3g}", p.value);
            shown.phase(line);
            log.say(line);
            return !interrupted();
        };
        api::model m = api::fit(s, *data, control);
        if (group && group->rank() > 0) return;  // all have the same model
        const double seconds = std::chrono::duration<double>(std::chrono::steady_clock::now() - started).count();
        m.label = options.from.label;
        answer.keep(m, options.out);
        answer.all = figures_json(m.describe());
        answer.all["data"] = options.from.path;
        answer.all["seconds"] = seconds;
        if (group) answer.all["processes"] = group->size();
        if (!options.out.empty()) answer.all["model"] = answer.kept;
        answer.text =
            fmt::format("{}, read batch by batch{}\n\n{}\nfitted in {:.2f} s\n", options.from.path,
                        group ? fmt::format(" by {} processes", group->size()) : "", m.describe().text(), seconds);
        answer.trouble(m);
    }
    answer.show(options.common, "");
}

}  // namespace mercer::cli

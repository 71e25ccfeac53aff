// mercer fit METHOD DATA --stream: examples that are larger than memory.
#include <fmt/format.h>

#include <chrono>

#include "automatic.h"
#include "mercer/base/error.h"
#include "mercer/data/readers/stream/row_batches.h"
#include "mercer/methods/approximate/streamed_rows.h"

namespace mercer::cli {

void fit_streamed(const automatic_fit& options) {
    options.common.apply();
    if (options.from.rows || options.from.sample || !options.picture.empty() || !options.from.text.empty())
        throw usage_error("--rows, --sample, --text and --svg are for data in memory: leave them out with --stream");
    api::spec s = options.method.spec();
    s.scale = options.from.scale == "none" ? "" : options.from.scale;
    fit_answer answer;
    {
        progress shown;
        shown.phase("reading " + options.from.path);
        read_options how;
        if (options.from.format != "auto") how.format = &file_format_named(options.from.format);
        how.csv.label = options.from.label;
        const auto data = open_batches({options.from.path}, how, streamed_rows::rows_of_batch);
        const auto started = std::chrono::steady_clock::now();
        api::fit_control control;
        control.memory_bytes = options.method.memory;
        control.progress = [&](const fit_progress& p) {
            shown.phase(fmt::format("{}: {} {}, gap {:.3g}", s.method, p.done, p.phase, p.value));
            return true;
        };
        api::model m = api::fit(s, *data, control);
        const double seconds = std::chrono::duration<double>(std::chrono::steady_clock::now() - started).count();
        m.label = options.from.label;
        if (!options.out.empty()) m.save(options.out);
        answer.all = as_json(m.describe());
        answer.all["data"] = options.from.path;
        answer.all["seconds"] = seconds;
        if (!options.out.empty()) answer.all["model"] = options.out;
        answer.text = fmt::format("{}, read batch by batch\n\n{}\nfitted in {:.2f} s\n", options.from.path,
                                  m.describe().text(), seconds);
        answer.trouble(m);
    }
    answer.show(options.common, options.out, options.picture);
}

}  // namespace mercer::cli

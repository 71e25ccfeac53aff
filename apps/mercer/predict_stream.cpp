#include <fmt/format.h>

#include <cstdio>
#include <optional>

#include "mercer/base/terminal_text.h"
#include "mercer/base/error.h"
#include "mercer/base/file.h"
#include "mercer/io/row_batches.h"
#include "predict.h"
#include "stream.h"

namespace mercer::cli {
namespace {

// Where lines go: a file that appears when all of it is there, or standard output as they come.
class line_output {
public:
    explicit line_output(const std::string& path) {
        if (!path.empty() && path != "-") file_.emplace(path);
    }
    void write(const std::string& text) {
        if (file_) return file_->write(text);
        print(text);
        flush_output();
    }
    void commit() {
        if (file_) file_->commit();
    }

private:
    std::optional<atomic_file> file_;
};

}  // namespace

void predict_streamed(const stream_predict& o) {
    o.common.apply();
    if (o.common.as_json || o.out.ends_with(".npy"))
        throw usage_error("--stream writes lines of text: leave --json and .npy out");
    const api::model m = api::load(o.model);
    if (!api::find_method(m.method_name()).can_predict)
        fail(errc::unsupported, fmt::format("{} does not predict: use `mercer transform`", m.method_name()));
    read_options how = api::read_like(m);
    if (o.from.format != "auto") how.format = &file_format_named(o.from.format);
    if (!o.from.label.empty()) how.csv.label = o.from.label == "none" ? "" : o.from.label;
    how.csv.tell = warn;
    const auto data = open_batches({o.from.path}, how, o.batch, o.from.label.empty());
    const bool csv = o.out.ends_with(".csv") || o.details;
    std::optional<line_output> to;
    if (!o.score_only) to.emplace(o.out);
    table seen;  // targets, for the score
    std::vector<double> answers;
    index n = 0;
    for (table batch; data->next(batch); batch = {}) {
        match_columns(batch, m.feature_names(), o.from.path, "the data the model was fitted on");
        auto [found, details] = o.details ? m.predict_with_details(batch.x) : api::explained{m.predict(batch.x), {}};
        if (o.details && details.names.empty()) details = m.details(batch.x);  // which says why there are none
        if (to && csv && n == 0) to->write(prediction_header(details));
        if (to) to->write(prediction_lines(m, found, details, csv));
        n += batch.x.size();
        seen.y.insert(seen.y.end(), batch.y.begin(), batch.y.end());
        if (!batch.y.empty()) answers.insert(answers.end(), found.begin(), found.end());
    }
    if (n == 0) fail(errc::data, fmt::format("{}: no objects", o.from.path));
    if (to) to->commit();
    const bool scored = !seen.y.empty() && m.gives() != api::answer::clusters && m.gives() != api::answer::none;
    if (o.score_only && !scored)
        fail(errc::data, fmt::format("'{}' has no targets to score by: name their column with --label", o.from.path));
    const std::string score = scored ? m.score(seen, answers).text() : "";
    if (o.score_only) return print(score);
    if (o.out.empty() || o.out == "-") return;
    print(fmt::format("{} of {}, {} objects\n{}predictions: {}\n", m.method_name(), o.from.path, n, score, o.out));
}

}  // namespace mercer::cli

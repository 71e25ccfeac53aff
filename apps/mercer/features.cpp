// mercer explain --features: which k-mers, words, subtrees or items weigh most in a model, or moved one decision.
#include <fmt/format.h>

#include "explain.h"
#include "fit.h"
#include "mercer/base/file.h"
#include "mercer/inspection/explain.h"

namespace mercer::cli {

void explain_features(const feature_question& o) {
    if (o.model.empty()) throw usage_error("MODEL is required with --features; see `mercer explain --help`");
    if (o.row && o.data.path.empty())
        throw usage_error(
            fmt::format("DATA is missing: `mercer explain {} DATA --features --why {}`", o.model, *o.row));
    if (!o.picture.empty() && !o.row) throw usage_error("--picture draws one object: say which with --why ROW");
    std::string text;
    json answer = json::object();
    {
        progress shown;
        shown.phase("reading " + o.model);
        const api::model m = api::load(o.model);
        api::feature_explanation found;
        if (o.row) {
            shown.phase("reading " + o.data.path);
            const table data = o.data.load(m);
            shown.phase("explaining");
            found = api::explain_object(m, data.x, *o.row, o.top);
            if (!o.picture.empty()) write_atomically(o.picture, api::picture(found, data.x));
        } else {
            shown.phase("explaining");
            found = api::explain_model(m, o.top);
        }
        if (o.as_json) answer = json::parse(api::to_json(found));
        text = api::text(found);
        if (!o.row) text += "\n--why ROW with DATA: what moved the decision about one object\n";
        if (!o.picture.empty()) text += fmt::format("\npicture: {}\n", o.picture);
    }
    if (o.as_json) return print(answer);
    print(text);
}

}  // namespace mercer::cli

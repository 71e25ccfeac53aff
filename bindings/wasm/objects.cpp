// Objects that are no vectors: a machine on them, their picture, and which of their parts decided.
#include <cmath>

#include "mercer/api/explain.h"
#include "mercer/base/error.h"
#include "session.h"

namespace mercer::page {
namespace {

// Which features of one object moved its decision: {"row", "top"}, after a fit.
void explain(session& s, const request& r, reply& out) {
    if (!s.model) fail(errc::invalid_argument, "there is no model yet");
    const auto row = static_cast<index>(r.number("row", 0));
    if (row < 0 || row >= s.data.x.size()) fail(errc::invalid_argument, "there is no object " + std::to_string(row));
    const api::feature_explanation found =
        api::explain_object(*s.model, s.data.x, row, static_cast<index>(r.number("top", 12)));
    json functions = json::array();
    for (std::size_t i = 0; i < found.functions.size(); ++i) {
        const api::explained_function& each = found.functions[i];
        json largest = json::array();
        for (const feature_share& share : each.decision.largest)
            largest.push_back(
                {{"name", share.name}, {"value", share.value}, {"weight", share.weight}, {"share", share.share()}});
        functions.push_back({{"positive", each.positive},
                             {"negative", each.negative},
                             {"f", each.decision.f},
                             {"offset", each.decision.offset},
                             {"rest", each.decision.rest},
                             {"largest", largest}});
        out.array<double>("parts" + std::to_string(i), each.decision.parts);
    }
    out.body["said"] = found.said;
    out.body["functions"] = functions;
}

}  // namespace

std::map<std::string, operation> object_operations() { return {{"explain", explain}}; }

}  // namespace mercer::page

// A decision in terms of features, drawn: the string, text or graph with its letters or nodes coloured by their share
// of the decision, and the largest shares as bars.
#pragma once

#include <string>
#include <vector>

#include "mercer/inspection/feature_explanation.h"
#include "mercer/plot/svg.h"

namespace mercer {

struct feature_picture_words {
    std::string title, subtitle;
    std::string positive, negative;  // what shares above and below zero speak for
};
// `object`: object `row` of it is the one the decision is about. Objects without places are bars alone.
svg feature_picture(const dataset& objects, index row, const decision_shares& decision,
                    const feature_picture_words& words);

}  // namespace mercer

namespace mercer::api {

// The object with its letters, words or nodes coloured by their share of the decision, and the largest shares as bars.
std::string picture(const feature_explanation& e, const dataset& x);

}  // namespace mercer::api

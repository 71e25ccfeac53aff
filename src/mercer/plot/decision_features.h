// Pictures of decisions explained by features: the string, text or graph with its characters or nodes coloured by their
// shares, and the largest shares as bars.
#pragma once

#include <string>
#include <vector>

#include "mercer/inspection/feature_explanation.h"
#include "mercer/plot/svg.h"

namespace mercer {

struct feature_picture_labels {
    std::string title, subtitle;
    std::string positive, negative;  // names for positive and negative shares
};
// Draws the explanation of object `row` of `objects`. For objects without places only the bars are drawn.
svg feature_picture(const dataset& objects, index row, const decision_shares& decision,
                    const feature_picture_labels& words);

}  // namespace mercer

namespace mercer::api {

// The picture of an explanation of one object, as an SVG page. Throws errc::invalid_argument if the explanation is not
// of an object.
std::string draw_explanation(const feature_explanation& e, const dataset& x);

}  // namespace mercer::api

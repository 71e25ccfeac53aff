#include "mercer/plot/report_pictures.h"

#include <fmt/format.h>

#include "mercer/gram/make_gram.h"
#include "mercer/plot/class_regions.h"

namespace mercer {

std::vector<report_figure> classifier_pictures(const svm_model& model, const dataset& x, std::span<const double> y,
                                               const margin_report& report, const picture_options& options) {
    std::vector<report_figure> out;
    const example_marks marks = mark_examples(model, y, report);
    constexpr index most_numbers = index(1) << 26;
    if (x.kind() == domain::vectors && x.dims() >= 2 && x.size() <= most_numbers / x.dims()) {
        const auto [a, b] = options.pair    ? *options.pair
                            : x.dims() == 2 ? std::pair<index, index>{0, 1}
                                            : most_separating_pair(x, std::vector<double>(y.begin(), y.end()));
        const plane on = feature_plane(model, x, a, b, options.feature_names, options.rest);
        out.push_back(
            {region_figure(fmt::format("Class regions over {} and {}", on.x_name, on.y_name), model, on, marks),
             x.dims() == 2
                 ? "Every example lies on this plane: the regions are the classifier itself."
                 : fmt::format("{}Examples are projected onto the plane, so they may lie on the other side of a line "
                               "than their own decision.",
                               options.pair ? "" : "The two features along which the classes lie farthest apart. ")});
    }
    if (x.kind() != domain::vectors || x.dims() != 2) {
        out.push_back(
            {region_figure("Feature space", model, component_plane(model, *make_gram<double>(*model.k, x)), marks),
             "In feature space the boundary is a plane; its cut with the plane of the first two principal "
             "components is a straight line."});
    }
    return out;
}

}  // namespace mercer

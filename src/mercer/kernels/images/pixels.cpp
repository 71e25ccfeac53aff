#include "mercer/kernels/images/pixels.h"

#include <fmt/format.h>

#include <algorithm>

#include "mercer/kernels/images/image_features.h"

namespace mercer {
namespace {

// Throws errc::data unless all images of x and z have the same size and number of channels.
void require_one_size(const images& x, const images& z, const std::string& owner) {
    const image* first = nullptr;
    for (const images* some : {&x, &z})
        for (index i = 0; i < some->size(); ++i) {
            const image& one = (*some)[i];
            if (!first) first = &one;
            if (one.height != first->height || one.width != first->width || one.channels != first->channels)
                fail(errc::data, fmt::format("{}: all images must have the same size: the first image has {} x {} "
                                             "pixels of {} channels, image {} has {} x {} pixels of {} channels",
                                             owner, first->height, first->width, first->channels, i, one.height,
                                             one.width, one.channels));
        }
}

}  // namespace

embedding pixels::embedding() const {
    return {"pixels", [](const dataset& x, const dataset* z) {
                const images &left = objects_of<images>(x, "pixels"), &right = objects_of<images>(z ? *z : x, "pixels");
                require_one_size(left, right, "pixels");
                const images& any = left.size() > 0 ? left : right;
                const auto dims = any.size() > 0 ? static_cast<index>(any[0].values.size()) : 0;
                return image_features("pixels", dims,
                                      [](const image& of, double* row) { std::ranges::copy(of.values, row); })
                    .apply(x, z);
            }};
}

}  // namespace mercer

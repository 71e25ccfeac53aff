#include "mercer/methods/recorded_products.h"

#include <algorithm>

#include "mercer/base/error.h"

namespace mercer {

recorded_products::recorded_products(block_operator multiply, const fit_checkpoint& where, std::uint64_t problem,
                                     const process_group* group)
    : multiply_(std::move(multiply)), kept_(!where.path.empty()), keeper_(where, problem, group) {
    if (auto found = keeper_.found()) all_ = std::move(*found);
}

void recorded_products::operator()(matrix_view<const double> v, matrix_view<double> out) {
    const auto numbers = static_cast<std::size_t>(out.rows * out.cols);
    if (kept_ && at_ < all_.size()) {
        if (at_ + numbers > all_.size()) fail(errc::data, "the checkpoint has part of a product: remove its file");
        for (index i = 0; i < out.rows; ++i)
            std::copy_n(all_.data() + at_ + static_cast<std::size_t>(i * out.cols), out.cols, out.row(i));
        at_ += numbers;
        return;
    }
    multiply_(v, out);
    if (!kept_) return;
    for (index i = 0; i < out.rows; ++i) all_.insert(all_.end(), out.row(i), out.row(i) + out.cols);
    at_ = all_.size();
    keeper_.keep(all_);
}

}  // namespace mercer

// The products of a fit by an iteration such as Lanczos's, kept in its checkpoint. A fit that was killed begins again
// and is given the products it had, which is all of its work, so that its bits are those of one that never stopped; no
// iteration needs to know how to go on. The library's own use.
#pragma once

#include <utility>
#include <vector>

#include "mercer/base/fit_checkpoint.h"
#include "mercer/base/fit_status.h"
#include "mercer/dense/lanczos.h"

namespace mercer {

class recorded_products {
public:
    recorded_products(block_operator multiply, const fit_checkpoint& where, std::uint64_t problem,
                      const process_group* group = nullptr);

    void operator()(matrix_view<const double> v, matrix_view<double> out);
    // The checkpoint of a fit that came to its end is of no use.
    void ended(fit_status how) const {
        if (how != fit_status::cancelled) keeper_.remove();
    }

private:
    block_operator multiply_;
    bool kept_;
    state_keeper keeper_;
    std::vector<double> all_;  // the products, one after the other
    std::size_t at_ = 0;       // how far they have been used
};

}  // namespace mercer

// A solver's α in a file, so that a long fit can go on after a crash. Writes are atomic: a reader sees the old or the
// new file.
#pragma once

#include <optional>
#include <span>
#include <string>
#include <utility>
#include <vector>

#include "mercer/base/error.h"
#include "mercer/base/fit_checkpoint.h"
#include "mercer/dense/lanczos.h"

namespace mercer {

// What a checkpoint belongs to: min ½αᵀKα - pᵀα, lower <= α <= upper, with the sums of α that the solver keeps.
struct checkpoint_problem {
    std::span<const double> p, lower, upper;
    std::span<const double> sums;
};

void write_checkpoint(const std::string& path, const checkpoint_problem& problem, std::span<const double> alpha);
// The α written for the same problem; nothing when there is no file. A file for another problem, or a damaged one, is
// an error.
std::optional<std::vector<double>> read_checkpoint(const std::string& path, const checkpoint_problem& problem);

// The products of a fit by an iteration such as Lanczos's, kept in its checkpoint. A fit that was killed begins again
// and is given the products it had, which is all of its work, so that its bits are those of one that never stopped; no
// iteration needs to know how to go on. The library's own use.

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

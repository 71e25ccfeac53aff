// The options of everything that works on a few centres, in the words of a method's description.
#pragma once

#include <string>
#include <vector>

#include "mercer/base/matrix_view.h"
#include "mercer/methods/method_info.h"

namespace mercer::detail {

// Which centres, and how they are chosen, the default first: what predicts is judged where the data are, features by
// the trace that they reach.
inline std::vector<std::string> centres_to_predict() { return {"mixed", "rpcholesky", "uniform", "kmeans++", "given"}; }
inline std::vector<std::string> centres_of_features() {
    return {"rpcholesky", "mixed", "uniform", "kmeans++", "given"};
}
template <class V>
void centre_options(V& v, index& n_centres, std::string& centres, std::vector<double>& centre_rows, index& seed,
                    const std::vector<std::string>& choices) {
    v.whole("n_centres", n_centres, 1, "examples that stand for all, at most",
            option_needs{{"centres", {"mixed", "rpcholesky", "uniform", "kmeans++"}}});
    v.choice(
        "centres", centres, choices,
        "how they are chosen: randomly pivoted Cholesky, each alike (mixed: a third by the first, the others by the "
        "second), far apart in feature space, by number");
    v.numbers("centre_rows", centre_rows, at_least(0), "given: their numbers, from 0",
              option_needs{{"centres", {"given"}}});
    v.whole("seed", seed, 0, "of what is drawn");
}

}  // namespace mercer::detail

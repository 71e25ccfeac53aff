// Whether probabilities are what they say: of the examples given a probability near p, is the share p of the class?
// (The reliability diagram; Murphy and Winkler 1977.)
#pragma once

#include <span>
#include <vector>

#include "mercer/base/matrix_view.h"
#include "mercer/metrics/wilson.h"

namespace mercer {

struct reliability_bin {
    double low = 0, high = 0;  // probabilities of low < p <= high, of the first also p = 0
    index count = 0, positive = 0;
    double mean = 0, share = 0;  // of the probabilities; of the class
    interval of_share;           // Wilson's, of 95 %
};

struct reliability {
    std::vector<reliability_bin> bins;  // of equal width; those without examples are left out
    double brier = 0;                   // mean (p - [of the class])², Brier 1950
    double calibration_error = 0;       // mean over the examples of |share - mean| of their bin
};
reliability reliability_of(std::span<const double> probability, const std::vector<bool>& positive, index bins = 10);

}  // namespace mercer

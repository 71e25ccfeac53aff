// mercer predict --stream: batches in, batches out.
#pragma once

#include "fit.h"

namespace mercer::cli {

struct stream_predict {
    std::string model;
    model_data from;
    common_options common;
    std::string out;
    bool details = false, score_only = false;
    index batch = 8192;
};
void predict_streamed(const stream_predict& options);

}  // namespace mercer::cli

// mercer fit DATA without a method: what is chosen, searched for, fitted and shown.
#pragma once

#include "fit.h"
#include "tune.h"

namespace mercer::cli {

struct automatic_fit {
    method_options method;  // kernel, set and memory; no method
    data_options from;
    common_options common;
    search_options search;
    std::string task, missing = "fill", out, picture, html;
    bool stream = false;
    double accuracy = 0;
    std::string checkpoint;
    double checkpoint_seconds = 60;
    std::string factors = "auto";
};

void fit_automatically(const automatic_fit& options);
// For METHOD: a word that can be one, and is not a file.
CLI::Validator method_or_nothing();

}  // namespace mercer::cli

// mercer fit DATA without a method: the library chooses the task, the preprocessing and the method, searches the
// parameters and fits the model.
#pragma once

#include "fit.h"
#include "tune.h"

namespace mercer::cli {

struct fit_command {
    method_options method;  // --kernel, --set and --max-memory; METHOD is empty
    data_options from;
    common_options common;
    search_options search;
    std::string task, missing = "impute", out, picture, html;
    bool stream = false;
    double trace_tol = 0;
    std::string checkpoint;
    double checkpoint_seconds = 60;
    std::string factors = "auto";
};

void fit_automatically(const fit_command& options);
// Accepts a word as METHOD if it is the name of a method or could be a misspelt name: letters, digits, '_' and '-', and
// no file of that name exists.
CLI::Validator method_name_validator();

}  // namespace mercer::cli

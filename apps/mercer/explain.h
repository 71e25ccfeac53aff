// mercer explain --features, as explain.cpp asks for it.
#pragma once

#include <optional>
#include <string>

#include "fit.h"

namespace mercer::cli {

// --features: of a model, or of its decision about one row.
struct feature_question {
    std::string model;
    model_data data;
    std::optional<index> row;
    index top = 20;
    std::string picture;
    bool as_json = false;
};
void explain_features(const feature_question& o);

}  // namespace mercer::cli

// What a model says of objects, as text and as JSON.
#pragma once

#include "fit.h"

namespace mercer::cli {

// Names of classes, whole numbers of classes and clusters, numbers.
json predictions_json(const api::model& m, const std::vector<double>& found);
// {"names": [...], "values": [[...], ...]}
json columns_json(const api::columns& made);
// The same as text. No JSON list or object is made: its destructor allocates, so that a lack of memory would end the
// process. The functions check for a stop.
void append_predictions_json(const api::model& m, const std::vector<double>& found, std::string& out);
void append_columns_json(const api::columns& made, std::string& out);  // "names":[...],"values":[[...],...]
void append_json_text(const std::string& text, std::string& out);      // in quotes
// CSV with a header, or one prediction a line; the parts of it, for batches.
std::string prediction_text(const api::model& m, const std::vector<double>& found, const api::columns& details,
                            bool csv);
// CSV with a header.
std::string columns_text(const api::columns& made);

}  // namespace mercer::cli

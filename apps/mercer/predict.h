// Predictions and transformed rows as text and as JSON.
#pragma once

#include "fit.h"

namespace mercer::cli {

// Returns class names, class and cluster numbers as integers, or values.
json predictions_json(const api::model& m, const std::vector<double>& found);
// Returns {"names": [...], "values": [[...], ...]}.
json columns_json(const api::columns& made);
// These functions append JSON as text. They construct no JSON list or object: its destructor allocates memory, so that
// a lack of memory would end the process. They check for cancellation.
void append_predictions_json(const api::model& m, const std::vector<double>& found, std::string& out);
void append_columns_json(const api::columns& made, std::string& out);  // "names":[...],"values":[[...],...]
void append_json_text(const std::string& text, std::string& out);      // quoted and escaped
// Returns CSV with a header if `csv` is true, else one prediction per line.
std::string prediction_text(const api::model& m, const std::vector<double>& found, const api::columns& details,
                            bool csv);
// Returns CSV with a header.
std::string columns_text(const api::columns& made);

}  // namespace mercer::cli

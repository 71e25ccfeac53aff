// The log of a search read again, for reports: which numbers varied, and how each setting did.
#pragma once

#include <string>
#include <string_view>

#include "mercer/model_selection/search.h"

namespace mercer::api {

// As far as the log says: axes have names and the values that were looked at. Fails with errc::parse, naming the line,
// where it is not a log of tune, with errc::data where it has no scores.
tuning read_tune_log(const std::string& path);
tuning parse_tune_log(std::string_view text, const std::string& name);

}  // namespace mercer::api

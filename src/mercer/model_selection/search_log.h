// The log of a search: a text file with a line of JSON that identifies the search, then a line for each setting with
// its scores. A later search of the same problem continues from it, and reports read it.
#pragma once

#include <chrono>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "mercer/model_selection/cross_validate.h"
#include "mercer/model_selection/search.h"

namespace mercer::api {

// Reads a log for reports: the settings and scores, and the numbers that vary.

// Axes have names and the values that occur in the log. Throws an error with errc::parse, naming the line, if the file
// is not a log of tune, and with errc::data if it has no scores.
tuning read_tune_log(const std::string& path);
tuning parse_tune_log(std::string_view text, const std::string& name);

// The log of a running search.

class tune_log {
public:
    explicit tune_log(std::string path) : path_(std::move(path)) {}
    // Copies known scores to the settings. Throws an error with errc::data if the file belongs to another search.
    void restore(const trial_runner& by, std::vector<setting>& which);
    // Replaces the file with all scores so far. Without `due` it writes at most once every 3 seconds.
    void write(const trial_runner& by, const std::vector<setting>& which, bool due);

private:
    std::string path_;
    std::chrono::steady_clock::time_point written_{};
};

}  // namespace mercer::api

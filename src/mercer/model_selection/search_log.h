// The log of a search: a file of the settings and their scores.
#pragma once

#include <chrono>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "mercer/model_selection/cross_validate.h"
#include "mercer/model_selection/search.h"

namespace mercer::api {

// The log of a search read again, for reports: which numbers varied, and how each setting did.

// As far as the log says: axes have names and the values that were looked at. Fails with errc::parse, naming the line,
// where it is not a log of tune, with errc::data where it has no scores.
tuning read_tune_log(const std::string& path);
tuning parse_tune_log(std::string_view text, const std::string& name);

// What a search has found so far, in a file: one line of JSON that says what is searched, then one for each setting. A
// later search of the same goes on from there.

class tune_log {
public:
    explicit tune_log(std::string path) : path_(std::move(path)) {}
    // Gives settings the scores that are there already. Fails with errc::data where the file is of another search.
    void take(const trial_runner& by, std::vector<setting>& which);
    // Writes all that is known, replacing the file; not more often than every few seconds unless it is `due`.
    void write(const trial_runner& by, const std::vector<setting>& which, bool due);

private:
    std::string path_;
    std::chrono::steady_clock::time_point written_{};
};

}  // namespace mercer::api

// What a search has found so far, in a file: one line of JSON that says what is searched, then one for each setting. A
// later search of the same goes on from there.
#pragma once

#include <chrono>
#include <string>
#include <vector>

#include "mercer/model_selection/cross_validate.h"

namespace mercer::api {

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

// A margin report as text for the terminal, and as JSON.
#pragma once

#include <string>
#include <vector>

#include "mercer/inspection/influence.h"
#include "mercer/inspection/margin_report.h"

namespace mercer {

// What a report is about, for those who read it.
struct report_subject {
    std::string data;              // "data/iris.svm, 150 vectors of 4 coordinates"
    std::vector<index> file_rows;  // the row of the file that each example is, from 0; empty: the same number
    index row(index example) const {
        return file_rows.empty() || example < 0 ? example : file_rows[static_cast<std::size_t>(example)];
    }
};

std::string report_text(const margin_report& report, const report_subject& about);
std::string report_json(const margin_report& report, const report_subject& about);
std::string decision_text(const explained_decision& why, const report_subject& about, index most = 10);
std::string decision_json(const explained_decision& why, const report_subject& about);

// "C = 10", "hard margin", "C = 3.1 (not in the model: the largest α)"
std::string penalty_text(const margin_report& report, const margin_problem& p);
// "the 3 largest of 20 terms settle the sign, whatever the others say"
// What is known of b where no example is on the margin.
std::string no_margin_vector_text(const margin_problem& p);
std::string settled_text(const influence& part);
// examples by (case, side)
std::array<std::array<index, 4>, 3> cross_table(const margin_problem& p);

}  // namespace mercer

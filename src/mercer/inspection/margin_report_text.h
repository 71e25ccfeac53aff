// Writes margin reports and explained decisions as text for the terminal (…_text) and as JSON (…_json).
#pragma once

#include <string>
#include <vector>

#include "mercer/inspection/influence.h"
#include "mercer/inspection/margin_report.h"

namespace mercer {

// The data that a report is about.
struct report_subject {
    std::string data;              // e.g. "data/iris.svm, 150 vectors of 4 coordinates"
    std::vector<index> file_rows;  // the row of the file of each example, from 0; empty: the number of the example
    index row(index example) const {
        return file_rows.empty() || example < 0 ? example : file_rows[static_cast<std::size_t>(example)];
    }
};

std::string report_text(const margin_report& report, const report_subject& about);
std::string report_json(const margin_report& report, const report_subject& about);
// `most` is the number of terms that are written.
std::string decision_text(const explained_decision& why, const report_subject& about, index most = 10);
std::string decision_json(const explained_decision& why, const report_subject& about);

// "C = 10", "hard margin", "C = 3.1 (not in the model: the largest α)"
std::string penalty_text(const margin_report& report, const margin_problem& p);
// Returns a sentence with the interval of optimal b, for a problem without an example on the margin.
std::string no_margin_vector_text(const margin_problem& p);
// States how many of the largest terms determine the sign of f: "the 3 largest of 20 terms settle the sign, …".
std::string deciding_terms_text(const influence& part);
// Returns the number of examples by alpha_case (rows) and margin_side (columns).
std::array<std::array<index, 4>, 3> cross_table(const margin_problem& p);

}  // namespace mercer

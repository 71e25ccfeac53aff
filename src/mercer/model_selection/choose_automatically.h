// Prepares a file for a fit without further settings: chooses the target column, the task, the kinds of the columns,
// the method and the parameters to search. Each choice can be overridden, and is reported with its reason.
//
//     const api::automatic_data ready = api::prepare(read_file("houses.csv"), {.target = "price"});
//     const api::tuning found = api::tune(ready.open, ready.data);
//     api::model m = ready.annotate(api::fit(found.chosen_spec(), ready.data));
#pragma once

#include <functional>
#include <memory>
#include <string>
#include <vector>

#include "mercer/io/read.h"
#include "mercer/model/model.h"

namespace mercer::api {

struct automatic_options {
    std::string target{};          // target column by name or position; "none": no target; empty: detected
    std::string task{};            // classification, regression or one_class; empty: chosen by the targets
    std::string missing = "fill";  // "fill" or "refuse"
    std::string scale{};           // standard, minmax or none; empty: standard, except for mostly zero sparse vectors
    std::string kernel{};          // may contain ? for numbers to search; empty: chosen by the kind of object
    settings options{};            // options of the method
    std::string text{};            // representation of strings (spec::text)
    // returns the rows to use, given the number of rows; empty: all rows
    std::function<std::vector<index>(index)> rows{};
    read_options how{};
};

struct automatic_data {
    table data;
    std::shared_ptr<const column_encoder> columns;  // null if the objects were read without an encoder
    spec open;                                      // method and kernel; ? marks numbers to search
    bool needs_search = true;                       // false: nothing to search, or no targets to score by
    summary choices;

    model annotate(model m) const;  // adds the column encoder, the target and the choices to the model
};

automatic_data prepare(const file_contents& file, const automatic_options& options);

// The task (classification, regression or one_class) and the reason as text: "3 class names".
struct task_choice {
    std::string task, why;
};
task_choice choose_task(const table& data);
// The most likely target column and the reason as text: a column with a usual name, otherwise the last one.
struct target_choice {
    std::size_t column = 0;
    std::string why;
};
target_choice choose_target(const text_table& from);

}  // namespace mercer::api

// What a careful person would decide before fitting: which column is the target, which task that makes, what the other
// columns are, which method and which of its numbers to search for. Every choice can be made by the caller instead, and
// is told in words.
//
//     const api::automatic_data ready = api::prepare(read_source("houses.csv"), {.target = "price"});
//     const api::tuning found = api::tune(ready.open, ready.data);
//     api::model m = ready.finished(api::fit(found.chosen_spec(), ready.data));
#pragma once

#include <functional>
#include <memory>
#include <string>
#include <vector>

#include "mercer/io/read.h"
#include "mercer/model/model.h"

namespace mercer::api {

struct automatic_options {
    std::string target{};          // a column, by name or position; "none"; empty: found out
    std::string task{};            // classification, regression, one_class; empty: by the targets
    std::string missing = "fill";  // or "refuse"
    std::string scale{};           // standard, minmax, none; empty: standard, except for sparse vectors
    std::string kernel{};          // with ? where a number is to be searched for; empty: by the kind of object
    settings options{};            // of the method
    std::string text{};            // what strings are turned into (spec::text)
    std::function<std::vector<index>(index)> rows{};  // which of so many rows of the file; none: all
    read_options how{};
};

struct automatic_data {
    table data;
    std::shared_ptr<const column_encoder> columns;  // null where the objects came as they are
    spec open;                                      // method and kernel, with ? for what is to be searched for
    bool searched = true;                           // false: nothing is open, or there is nothing to judge by
    figures choices;

    model finished(model m) const;  // with the columns, the target and the choices, for its file
};

automatic_data prepare(const source& file, const automatic_options& options);

// classification, regression or one_class, and why: "classification, 3 classes".
struct task_choice {
    std::string task, why;
};
task_choice choose_task(const table& data);
// The column that is most likely the target, and why: one with a usual name, else the last.
struct target_choice {
    std::size_t column = 0;
    std::string why;
};
target_choice choose_target(const text_table& from);

}  // namespace mercer::api

// Time series in the formats of the UCR archive (.ts, .arff), and as a table with the columns id, time and values.
#pragma once

#include <string>
#include <string_view>

#include "mercer/io/tsv.h"

namespace mercer {

// .ts: lines `@name …`, then `@data`, then one series per line: `1,2,3:label`. A series of vectors is
// `1,2,3:4,5,6:label`, one list for each coordinate. Series have labels if the header has `@classLabel true` or
// `@targetLabel true`. Time stamps are an error.
table parse_ts(std::string_view text, const std::string& name, const tsv_options& options = {});
// .arff: `@attribute …` lines, then `@data`, then `1,2,3,label`, or `'1,2,3\n4,5,6',label` for vectors. The last
// attribute is the label if it is nominal, {a,b}, or its name is class or target. Values `?` at the end of a series are
// left out, so that series may have different lengths.
table parse_arff(std::string_view text, const std::string& name, const tsv_options& options = {});
// A table with the header `id,time,value,…,label` and one line for each time of each series, in any order, separated by
// ',', ';' or tabs. The columns after time are the values, except a column named label or class. The order of the
// series is that of their first lines.
table parse_long_series(std::string_view text, const std::string& name, const tsv_options& options = {});

const file_format& ts_format();
const file_format& arff_format();
const file_format& long_series_format();

}  // namespace mercer

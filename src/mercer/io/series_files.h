// Series in the files of the UCR archive, and as a table of id, time and values.
#pragma once

#include <string>
#include <string_view>

#include "mercer/io/tsv.h"

namespace mercer {

// .ts: lines `@name …`, then `@data`, then a series a line: `1,2,3:label`, with vectors `1,2,3:4,5,6:label`, one part
// for each coordinate. `@classLabel true` or `@targetLabel true` says that there is a label. Time stamps are refused.
table parse_ts(std::string_view text, const std::string& name, const tsv_options& options = {});
// .arff: `@attribute …` lines, then `@data`, then `1,2,3,label`, or `'1,2,3\n4,5,6',label` for vectors. The last
// attribute is the label where it is nominal, {a,b}, or called class or target. `?` at the end: the series is shorter.
table parse_arff(std::string_view text, const std::string& name, const tsv_options& options = {});
// A header `id,time,value,…,label` and a line for each time of each series, in any order; separated by ',', ';' or
// tabs. The columns after time are the values, but for one called label or class. Series are in the order of their
// first lines.
table parse_long_series(std::string_view text, const std::string& name, const tsv_options& options = {});

const file_format& ts_format();
const file_format& arff_format();
const file_format& long_series_format();

}  // namespace mercer

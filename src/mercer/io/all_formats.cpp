#include "mercer/io/all_formats.h"

#include <fmt/format.h>

#include "mercer/base/text.h"
#include "mercer/io/csv.h"
#include "mercer/io/fasta.h"
#include "mercer/io/graphml.h"
#include "mercer/io/image_files.h"
#include "mercer/io/json_graphs.h"
#include "mercer/io/libsvm.h"
#include "mercer/io/npy.h"
#include "mercer/io/records.h"
#include "mercer/io/series_files.h"
#include "mercer/io/text_folder.h"
#include "mercer/io/tsv.h"
#include "mercer/io/tudataset.h"
#include "mercer/io/xyz.h"

namespace mercer {

std::span<const file_format* const> all_formats() {
    // clang-format off
    static const file_format* const all[] = {
        &npy_format(), &images_format(), &xyz_format(), &tudataset_format(), &graphml_format(), &graph_lines_format(),
        &libsvm_format(), &fasta_format(), &fastq_format(), &ts_format(), &arff_format(),
        &long_series_format(),
        &strings_format(), &sets_format(), &multisets_format(), &trees_format(), &texts_format(),
        &records_format(), &json_records_format(), &csv_format()};
    // clang-format on
    return all;
}

const file_format& find_file_format(std::string_view wanted) {
    for (const file_format* each : all_formats())
        if (wanted == each->name) return *each;
    fail(errc::invalid_argument,
         fmt::format("the format must be one of auto, {}, got {}", format_names(), detail::quoted(wanted)));
}

std::string format_names() {
    std::string out;
    for (const file_format* each : all_formats()) out += (out.empty() ? "" : ", ") + std::string(each->name);
    return out;
}

}  // namespace mercer

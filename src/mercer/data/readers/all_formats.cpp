#include "mercer/data/readers/all_formats.h"

#include <fmt/format.h>

#include "mercer/data/readers/csv.h"
#include "mercer/data/readers/graphs/graph_lines.h"
#include "mercer/data/readers/graphs/graphml.h"
#include "mercer/data/readers/graphs/tudataset.h"
#include "mercer/data/readers/images/image_files.h"
#include "mercer/data/readers/libsvm.h"
#include "mercer/data/readers/npy.h"
#include "mercer/data/readers/objects/records.h"
#include "mercer/data/readers/objects/text_folder.h"
#include "mercer/data/readers/objects/xyz.h"
#include "mercer/data/readers/sequences/fasta.h"
#include "mercer/data/readers/sequences/series_files.h"
#include "mercer/data/readers/text.h"
#include "mercer/data/readers/tsv.h"

namespace mercer {

std::span<const file_format* const> all_formats() {
    // clang-format off
    static const file_format* const all[] = {
        &npy_format(), &images_format(), &xyz_format(), &tudataset_format(), &graphml_format(), &graph_lines_format(), &libsvm_format(),
        &fasta_format(), &fastq_format(), &ts_format(), &arff_format(), &long_series_format(),
        &strings_format(), &sets_format(), &multisets_format(), &trees_format(), &texts_format(),
        &records_format(), &json_records_format(), &csv_format()};
    // clang-format on
    return all;
}

const file_format& file_format_named(std::string_view wanted) {
    for (const file_format* each : all_formats())
        if (wanted == each->name) return *each;
    fail(errc::invalid_argument,
         fmt::format("the format must be one of auto, {}, got {}", names_of_formats(), detail::quoted(wanted)));
}

std::string names_of_formats() {
    std::string out;
    for (const file_format* each : all_formats()) out += (out.empty() ? "" : ", ") + std::string(each->name);
    return out;
}

}  // namespace mercer

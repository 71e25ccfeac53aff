// Fuzz target: arbitrary bytes as CSV, strings, sets or multisets must give a consistent table or mercer::error.
#include <cstddef>
#include <cstdint>
#include <cstdlib>
#include <string_view>

#include "mercer/base/error.h"
#include "mercer/io/csv.h"
#include "mercer/io/tsv.h"

namespace {

mercer::table parse(std::string_view text, unsigned mode) {
    mercer::tsv_options tsv;
    tsv.labelled = mode & 4;
    tsv.items_separated_by_tab = mode & 8;
    if ((mode & 3) == 0) return mercer::parse_strings(text, "fuzz", tsv);
    if ((mode & 3) == 1 && mode & 16) return mercer::parse_multisets(text, "fuzz", tsv);
    if ((mode & 3) == 1) return mercer::parse_sets(text, "fuzz", tsv);
    mercer::csv_options csv;
    csv.separator = ("\0\0,;\t")[(mode >> 2) % 5];
    csv.header = static_cast<mercer::csv_header>((mode >> 3) % 3);
    csv.label = mode & 64 ? "-1" : "";
    csv.text = mode & 32 ? "0" : "";
    csv.numbers = mode & 128 ? mercer::precision::f32 : mercer::precision::f64;
    return mercer::parse_csv(text, "fuzz", csv);
}

}  // namespace

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
    if (size == 0) return 0;
    try {
        const mercer::table result = parse({reinterpret_cast<const char*>(data) + 1, size - 1}, data[0]);
        if (result.x.size() == 0) std::abort();
        if (!result.y.empty() && result.x.size() != static_cast<mercer::index>(result.y.size())) std::abort();
        if (result.x.kind() == mercer::object_kind::vectors) mercer::require_finite(result.x);
    } catch (const mercer::error&) {
    }
    return 0;
}

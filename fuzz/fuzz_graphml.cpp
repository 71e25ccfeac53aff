// Fuzz target: arbitrary bytes as GraphML must give a consistent table, which can be written and read again, or
// mercer::error.
#include <cstddef>
#include <cstdint>
#include <cstdlib>
#include <string_view>

#include "mercer/base/error.h"
#include "mercer/data/graphs.h"
#include "mercer/io/graphml.h"
#include "mercer/io/json_graphs.h"

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
    if (size == 0) return 0;
    mercer::tsv_options options;
    options.labelled = data[0] & 1;
    mercer::table result;
    try {
        result = mercer::parse_graphml({reinterpret_cast<const char*>(data) + 1, size - 1}, "fuzz", options);
    } catch (const mercer::error&) {
        return 0;
    }
    const auto& read = *result.x.as<mercer::graphs>();
    if (read.size() == 0 || (!result.y.empty() && read.size() != static_cast<mercer::index>(result.y.size())))
        std::abort();
    for (mercer::index i = 0; i < read.size(); ++i) {
        if (read[i].nodes() > 1'000'000 || read[i].ends() == 0) continue;
        const auto again = mercer::parse_graph_lines(read.text(i), "fuzz", {});
        if (read.compare(i, *again.x.as<mercer::graphs>(), 0) != 0) std::abort();
    }
    return 0;
}

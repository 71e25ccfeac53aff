// Fuzz target: arbitrary bytes as trees in brackets must give a consistent table, which can be written and read again,
// or mercer::error.
#include <cstddef>
#include <cstdint>
#include <cstdlib>
#include <string_view>

#include "mercer/base/error.h"
#include "mercer/data/trees.h"
#include "mercer/io/tsv.h"

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
    if (size == 0) return 0;
    mercer::tsv_options options;
    options.labelled = data[0] & 1;
    mercer::table result;
    try {
        result = mercer::parse_trees({reinterpret_cast<const char*>(data) + 1, size - 1}, "fuzz", options);
    } catch (const mercer::error& wrong) {
        if (wrong.code() != mercer::errc::parse && wrong.code() != mercer::errc::data) std::abort();
        return 0;
    }
    const auto& read = *result.x.as<mercer::trees>();
    if (read.size() == 0 || (!result.y.empty() && read.size() != static_cast<mercer::index>(result.y.size())))
        std::abort();
    for (mercer::index i = 0; i < read.size(); ++i) {
        const std::string text = read.text(i);
        if (mercer::parse_tree(text, "fuzz", text) != read[i]) std::abort();
    }
    return 0;
}

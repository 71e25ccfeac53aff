// Fuzz target: arbitrary bytes as FASTA, FASTQ or files of series must give a consistent table or mercer::error.
#include <cstddef>
#include <cstdint>
#include <cstdlib>
#include <string_view>

#include "mercer/base/error.h"
#include "mercer/io/fasta.h"
#include "mercer/io/series_files.h"

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
    if (size == 0) return 0;
    constexpr decltype(&mercer::parse_fasta) parsers[] = {mercer::parse_fasta, mercer::parse_fastq, mercer::parse_ts,
                                                          mercer::parse_arff, mercer::parse_long_series};
    try {
        mercer::tsv_options options;
        options.labelled = data[0] & 8;
        const std::string_view text(reinterpret_cast<const char*>(data) + 1, size - 1);
        const mercer::table result = parsers[(data[0] & 7) % 5](text, "fuzz", options);
        if (result.x.size() == 0) std::abort();
        if (!result.y.empty() && result.x.size() != static_cast<mercer::index>(result.y.size())) std::abort();
    } catch (const mercer::error&) {
    }
    return 0;
}

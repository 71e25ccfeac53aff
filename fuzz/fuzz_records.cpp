// Fuzz target: arbitrary bytes as records, comma-separated or JSON lines, must give a consistent table, which can be
// written to a model file and read again, or mercer::error.
#include <cstddef>
#include <cstdint>
#include <cstdlib>
#include <string_view>

#include "mercer/base/error.h"
#include "mercer/data/records.h"
#include "mercer/io/read.h"

namespace {

struct memory : mercer::byte_writer, mercer::byte_reader {
    std::string bytes;
    std::size_t at = 0;
    void append(const void* from, std::size_t count) override { bytes.append(static_cast<const char*>(from), count); }
    std::string_view take(mercer::index count, std::size_t size) override {
        if (count < 0 || static_cast<std::size_t>(count) > (bytes.size() - at) / size) std::abort();
        const auto out = std::string_view(bytes).substr(at, static_cast<std::size_t>(count) * size);
        at += out.size();
        return out;
    }
};

}  // namespace

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
    if (size == 0) return 0;
    mercer::read_options options;
    options.format = &mercer::find_file_format(data[0] & 1 ? "records" : "jsonl");
    if (data[0] & 2) options.csv.label = data[0] & 1 ? "0" : "y";
    if (data[0] & 4)
        options.records.kinds = {{"a", "strings"}, {"b", "vectors"}, {"c", "sets"},
                                 {"d", "series"},  {"e", "trees"},   {"f", "graphs"}};
    mercer::table result;
    try {
        const std::string_view bytes(reinterpret_cast<const char*>(data) + 1, size - 1);
        result = mercer::parse_table(mercer::file_contents("fuzz", bytes, nullptr), options);
    } catch (const mercer::error&) {
        return 0;
    }
    const auto& read = *result.x.as<mercer::records>();
    if (read.size() == 0 || (!result.y.empty() && read.size() != static_cast<mercer::index>(result.y.size())))
        std::abort();
    memory file;
    read.write(file);
    const mercer::records again = mercer::records::read(file, read.size());
    for (mercer::index i = 0; i < read.size(); ++i)
        if (read.compare(i, again, i) != 0 || read.text(i) != again.text(i)) std::abort();
    return 0;
}

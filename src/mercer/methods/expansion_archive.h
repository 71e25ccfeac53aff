// Kernel expansions in model files. For the library's own use: it needs nlohmann-json.
#pragma once

#include <string>

#include "mercer/base/file.h"
#include "mercer/data/readers/source.h"
#include "mercer/methods/archive.h"
#include "mercer/methods/kernel_expansion.h"

namespace mercer {

// The kernel and the objects, or nothing where k is null.
void write_objects(archive_writer& out, const std::shared_ptr<const kernel>& k, const dataset& x);
void read_objects(archive_reader& in, index size, std::shared_ptr<const kernel>& k, dataset& x);
void write_expansion(archive_writer& out, const kernel_expansion& f);
kernel_expansion read_expansion(archive_reader& in);

// parse(bytes, name) of the contents of a file
template <class Parse>
auto load_with(const std::string& path, Parse parse) {
    const source file = read_source(path);
    return parse(file.bytes(), file.name());
}

}  // namespace mercer

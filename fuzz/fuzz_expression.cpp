// Fuzz target: arbitrary text must give a mercer::error, or a kernel whose text form parses to the same kernel.
#include <cstdio>
#include <cstdlib>
#include <string_view>

#include "mercer/base/error.h"
#include "mercer/kernels/kernel.h"

extern "C" int LLVMFuzzerTestOneInput(const unsigned char* data, std::size_t size) {
    const std::string_view given(reinterpret_cast<const char*>(data), size);
    std::string text;
    try {
        text = mercer::kernel::parse(given).text();
    } catch (const mercer::error&) {
        return 0;
    }
    // The text form of a kernel must be parsable: an error here escapes and counts as a finding.
    const mercer::kernel again = mercer::kernel::parse(text);
    if (again.text() != text) {
        std::fprintf(stderr, "%s\nreads back as\n%s\n", text.c_str(), again.text().c_str());
        std::abort();
    }
    // Small expressions only, because proofs repeat the text of every part.
    if (size < 256) {
        const mercer::proof made = again.proof();
        if (made.valid != made.faults().empty()) {
            std::fprintf(stderr, "%s", made.text().c_str());
            std::abort();
        }
        again.compile();
    }
    return 0;
}

// reading FILE THREADS [LABEL]: seconds to read a file, the bytes of the resulting numbers, and the peak memory of the
// process. Used by bench/reading.py.
#include <sys/resource.h>

#include <chrono>
#include <cstdio>
#include <cstdlib>

#include "mercer/base/threads.h"
#include "mercer/io/read.h"

int main(int argc, char** argv) {
    if (argc < 3) return std::puts("bench/reading.py calls this with FILE THREADS [LABEL]"), 0;
    try {
        mercer::set_threads(std::atoi(argv[2]));
        mercer::read_options how;
        if (argc > 3) how.csv.label = argv[3];
        const auto began = std::chrono::steady_clock::now();
        const mercer::table data = mercer::read_table(argv[1], how);
        const std::chrono::duration<double> took = std::chrono::steady_clock::now() - began;
        double bytes = 8.0 * static_cast<double>(data.y.size());
        if (const auto* rows = data.x.as<mercer::sparse<double>>())
            bytes += 12.0 * static_cast<double>(rows->nonzeros()) + 8.0 * static_cast<double>(rows->size());
        else
            bytes += 8.0 * static_cast<double>(data.x.size()) * static_cast<double>(data.x.dims());
        rusage used{};
        getrusage(RUSAGE_SELF, &used);
        const double cpu = static_cast<double>(used.ru_utime.tv_sec + used.ru_stime.tv_sec) +
                           1e-6 * static_cast<double>(used.ru_utime.tv_usec + used.ru_stime.tv_usec);
        std::printf(
            "{\"seconds\": %.6f, \"cpu_seconds\": %.6f, \"rows\": %lld, \"data_bytes\": %.0f, \"peak_bytes\": %.0f}\n",
            took.count(), cpu, static_cast<long long>(data.x.size()), bytes,
            1024.0 * static_cast<double>(used.ru_maxrss));
    } catch (const std::exception& wrong) {
        return std::fprintf(stderr, "%s\n", wrong.what()), 1;
    }
}

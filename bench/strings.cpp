// strings KERNEL FILE: kernel matrices of strings, one string per line of FILE. Prints one line of JSON: seconds (the
// best of three runs) and the kernel value of the first two strings, for comparison.
#include "mercer/data/strings.h"

#include <chrono>
#include <cstdio>
#include <fstream>
#include <limits>

#include "mercer/kernels/evaluation/evaluator.h"
#include "mercer/kernels/kernel.h"

int main(int argc, char** argv) {
    if (argc != 3) return std::fputs("strings KERNEL FILE\n", stderr), 2;
    std::ifstream in(argv[2]);
    std::vector<std::string> lines;
    for (std::string line; std::getline(in, line);) lines.push_back(line);
    const mercer::dataset x = mercer::strings(std::move(lines));
    double best = std::numeric_limits<double>::infinity(), first = 0;
    for (int round = 0; round < 3; ++round) {
        const auto start = std::chrono::steady_clock::now();
        mercer::matrix<double> k(x.size(), x.size());
        mercer::evaluator<double>(mercer::kernel::parse(argv[1]), x).fill(k.view());
        best = std::min(best, std::chrono::duration<double>(std::chrono::steady_clock::now() - start).count());
        first = k(0, 1);
    }
    std::printf("{\"kernel\": \"%s\", \"n\": %ld, \"seconds\": %.6f, \"first\": %.17g}\n", argv[1],
                static_cast<long>(x.size()), best, first);
}

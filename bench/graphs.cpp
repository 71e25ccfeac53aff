// Graph kernels: seconds to read a data set, to construct the evaluator (features included) and to compute the whole
// kernel matrix in double, best of several runs. Prints one line of JSON per measurement.
//   graphs FILE KERNEL... [--repeats N]
#include <algorithm>
#include <chrono>
#include <cstdio>
#include <cstdlib>
#include <string>
#include <vector>

#include "mercer/base/error.h"
#include "mercer/base/threads.h"
#include "mercer/io/read.h"
#include "mercer/kernels/evaluation/evaluator.h"

namespace {

using namespace mercer;

double now() { return std::chrono::duration<double>(std::chrono::steady_clock::now().time_since_epoch()).count(); }

void measure(const std::string& file, const dataset& x, const std::string& text, int repeats) {
    const kernel k = kernel::parse(text);
    double features = 1e300, all = 1e300;
    matrix<double> gram(x.size(), x.size());
    for (int r = 0; r < repeats; ++r) {
        const double start = now();
        const evaluator<double> e(k, x);
        features = std::min(features, now() - start);
        e.fill(gram.view());
        all = std::min(all, now() - start);
    }
    std::printf(
        "{\"data\": \"%s\", \"kernel\": \"%s\", \"n\": %lld, \"threads\": %d, \"features_s\": %.6f, "
        "\"gram_s\": %.6f}\n",
        file.c_str(), k.text().c_str(), static_cast<long long>(x.size()), threads(), features, all);
    std::fflush(stdout);
}

}  // namespace

int main(int count, char** words) try {
    int repeats = 3;
    std::vector<std::string> rest;
    for (int i = 1; i < count; ++i) {
        if (std::string(words[i]) == "--repeats" && i + 1 < count)
            repeats = std::atoi(words[++i]);
        else
            rest.emplace_back(words[i]);
    }
    if (rest.size() < 2) {
        std::fprintf(stderr, "graphs FILE KERNEL... [--repeats N]\n");
        return 2;
    }
    const double start = now();
    const table data = read_table(rest[0]);
    std::printf("{\"data\": \"%s\", \"read_s\": %.6f}\n", rest[0].c_str(), now() - start);
    for (std::size_t i = 1; i < rest.size(); ++i) measure(rest[0], data.x, rest[i], repeats);
} catch (const mercer::error& wrong) {
    std::fprintf(stderr, "%s\n", wrong.what());
    return 1;
}

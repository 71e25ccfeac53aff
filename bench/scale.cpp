// scale N M D: the rate of one pass out = Kᵀ(K v) compared with the kernel matrix engine alone, on random vectors.
// Prints JSON lines.
#include <fmt/format.h>

#include <algorithm>
#include <chrono>
#include <cstdlib>
#include <random>

#include "mercer/base/threads.h"
#include "mercer/gram/make_gram.h"
#include "mercer/kernels/vectors/gaussian.h"
#include "mercer/methods/nystroem/gram_pass.h"

namespace mercer {
namespace {

double now() { return std::chrono::duration<double>(std::chrono::steady_clock::now().time_since_epoch()).count(); }

template <class Work>
double best_of(int repeats, Work work) {
    double best = 1e300;
    for (int i = 0; i < repeats; ++i) {
        const double start = now();
        work();
        best = std::min(best, now() - start);
    }
    return best;
}

matrix<double> points(index n, index d, std::mt19937_64& random) {
    std::normal_distribution<double> normal;
    matrix<double> out(n, d);
    for (index i = 0; i < n * d; ++i) out.data()[i] = normal(random);
    return out;
}

template <class T>
void measure(const dataset& x, const dataset& z, index outputs, const char* type) {
    const auto k = make_gram<T>(gaussian{0.1}, x, z, {std::size_t{64} << 20, std::size_t{512} << 20, true});
    const index n = x.size(), m = z.size(), band = 48;
    const double pairs = static_cast<double>(n) * static_cast<double>(m);
    const double alone = best_of(3, [&] {
        parallel_for((n + band - 1) / band, [&](index b) {
            thread_local buffer<T> tile;
            const index first = b * band, count = std::min(band, n - first);
            k->block(row_set(first, count), row_set(0, m), matrix_view<T>(tile.at_least(band * m), count, m));
        });
    });
    matrix<double> v(m, outputs), out(m, outputs);
    std::fill_n(v.data(), m * outputs, 1e-3);
    const one_batch<T> rows(*k);
    const double pass = best_of(3, [&] {
        gram_pass<T>(
            rows, v.view(), [](index, matrix_view<double>, double*) {}, out.view());
    });
    fmt::print(
        "{{\"type\": \"{}\", \"n\": {}, \"m\": {}, \"d\": {}, \"columns\": {}, \"gram\": {:.4g}, \"pass\": {:.4g}, "
        "\"share\": {:.3f}}}\n",
        type, n, m, x.dims(), outputs, pairs / alone, pairs / pass, alone / pass);
}

}  // namespace

static void run(int count, char** words) {
    const auto number = [&](int at, index usual) {
        return count > at ? static_cast<index>(std::atoll(words[at])) : usual;
    };
    const index n = number(1, 200000), m = number(2, 2000), d = number(3, 9);
    std::mt19937_64 random(1);
    const dataset x = dense<double>(points(n, d, random)), z = dense<double>(points(m, d, random));
    for (const index outputs : {1, 8}) {
        measure<float>(x, z, outputs, "float");
        measure<double>(x, z, outputs, "double");
    }
}

}  // namespace mercer

int main(int count, char** words) { mercer::run(count, words); }

// Compares the kernel matrix engine with sgemm on the same data: an 8192 × 8192 RBF matrix in float32, small and large
// dimension, X with Z, X with itself, and a composite kernel; also a sparse data set if a file is given. Prints one
// line of JSON per measurement; bench/gram.py adds scikit-learn.
//   gram [SPARSE_FILE]
#include <algorithm>
#include <chrono>
#include <cstdio>
#include <nlohmann/json.hpp>
#include <random>
#include <string>

#include "mercer/base/error.h"
#include "mercer/base/threads.h"
#include "mercer/gram/make_gram.h"
#include "mercer/io/libsvm.h"

extern "C" void cblas_sgemm(int order, int turn_a, int turn_b, int m, int n, int k, float alpha, const float* a,
                            int lda, const float* b, int ldb, float beta, float* c, int ldc);

namespace {

using namespace mercer;
constexpr mercer::index n = 8192;

double now() { return std::chrono::duration<double>(std::chrono::steady_clock::now().time_since_epoch()).count(); }

template <class Work>
void keep_best(double& best, Work work) {
    const double start = now();
    work();
    best = std::min(best, now() - start);
}

void measure_dense(mercer::index d, matrix_view<float> out) {
    matrix<float> x(n, d), z(n, d);
    std::mt19937 random(1);
    std::normal_distribution<float> normal;
    for (mercer::index i = 0; i < n * d; ++i) x.data()[i] = normal(random), z.data()[i] = normal(random);
    const dataset X = dense<float>(x.view()), Z = dense<float>(z.view());
    const kernel rbf = kernel::parse("rbf(gamma=0.01)"),
                 mixed = kernel::parse("0.5*rbf(gamma=0.01) + poly(degree=3)*linear()");
    double gemm = 1e9, two = 1e9, self = 1e9, composite = 1e9;
    // Runs the candidates in turn, so that disturbances by other processes affect all of them.
    for (int r = 0; r < 7; ++r) {
        keep_best(gemm, [&] {
            const int size = static_cast<int>(n), depth = static_cast<int>(d);
            cblas_sgemm(101, 111, 112, size, size, depth, 1.0f, x.data(), depth, z.data(), depth, 0.0f, out.data, size);
        });
        keep_best(two, [&] { cpu_kernel_gram<float>(rbf, X, Z).fill(out); });
        keep_best(self, [&] { cpu_kernel_gram<float>(rbf, X).fill(out); });
        keep_best(composite, [&] { cpu_kernel_gram<float>(mixed, X, Z).fill(out); });
    }
    // Lower bound of the time: 2d flops per element at the rate that sgemm reaches at d = 256, and 4 bytes written.
    const double flops = 2.0 * static_cast<double>(n * n * d);
    const nlohmann::json line{{"d", d},
                              {"sgemm", gemm},
                              {"rbf", two},
                              {"rbf_self", self},
                              {"composite", composite},
                              {"gflops", flops / two * 1e-9},
                              {"sgemm_gflops", flops / gemm * 1e-9}};
    std::printf("%s\n", line.dump().c_str());
    std::fflush(stdout);
}

void measure_sparse(const std::string& path) {
    libsvm_options reading;
    reading.numbers = precision::f32;
    const table all = read_libsvm(path, reading);
    const mercer::index rows = std::min(n, all.x.size());
    const dataset x = gather(all.x, row_set(0, rows));
    matrix<float> out(rows, rows);
    double self = 1e9;
    for (int r = 0; r < 7; ++r)
        keep_best(self, [&] { cpu_kernel_gram<float>(kernel::parse("rbf(gamma=0.03125)"), x).fill(out.view()); });
    std::printf("%s\n", nlohmann::json{{"sparse", path}, {"rows", rows}, {"rbf_self", self}}.dump().c_str());
}

}  // namespace

int main(int count, char** argument) {
    try {
        matrix<float> out(n, n);
        for (const mercer::index d : {8, 16, 64, 256}) measure_dense(d, out.view());
        if (count > 1) measure_sparse(argument[1]);
    } catch (const mercer::error& problem) {
        std::fprintf(stderr, "gram: %s\n", problem.what());
        return 1;
    }
    return 0;
}

// Uses the library without BLAS, threads and files: data in memory, one fit with each kind of solver, a model converted
// to bytes and back, and a refused file.
#include <cstdio>
#include <string>

#include "mercer/base/threads.h"
#include "mercer/mercer.h"

int main() {
    using namespace mercer;
    const auto need = [](bool ok, const char* what) {
        if (!ok) std::fprintf(stderr, "core: %s\n", what), std::exit(1);
    };
    matrix<double> rows(40, 2);
    table data;
    for (mercer::index i = 0; i < 40; ++i) {
        rows(i, 0) = static_cast<double>(i % 2 ? i : -i - 1), rows(i, 1) = static_cast<double>((i * 7) % 5);
        data.y.push_back(static_cast<double>(i % 2));
    }
    data.x = dense<double>(std::move(rows));
    need(threads() == 1, "one thread");
    need(predict(fit(svc{.kernel = gaussian{0.1}, .C = 10}, data), data) == data.y,
         "a machine separates what can be separated");
    need(transform(fit(kernel_pca{.kernel = gaussian{0.1}, .n_components = 2}, data), data).values.cols() == 2,
         "two components");
    const auto ridge = predict(fit(kernel_ridge{.kernel = gaussian{0.1}, .alpha = 1e-9}, data), data);
    for (std::size_t i = 0; i < ridge.size(); ++i)
        need(std::abs(ridge[i] - data.y[i]) < 1e-3, "ridge regression meets its targets");
    const std::string said = [] {
        try {
            read("somewhere.csv", read_as{});
        } catch (const error& e) {
            return std::string(e.what());
        }
        return std::string();
    }();
    need(said.find("this build of mercer has no access to files") != std::string::npos, "a file is refused");
}

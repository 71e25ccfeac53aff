#include <fmt/format.h>

#include <cmath>

#include "mercer/base/error.h"
#include "mercer/base/file.h"
#include "mercer/data/readers/source.h"
#include "mercer/methods/expansion_archive.h"
#include "mercer/methods/regression/kernel_ridge.h"

namespace mercer {
namespace {
constexpr const char* format_name = "mercer-kernel-ridge-model";
constexpr int version = 1;
}  // namespace

std::string model_bytes(const kernel_ridge_model& model) {
    archive_writer out;
    out.one(model.alpha);
    write_expansion(out, model.f);
    out.head["loo"] = model.loo.rows() > 0;
    out.head["factor"] = model.factor.rows() > 0;
    if (model.loo.rows() > 0) out.numbers(model.loo);
    for (index i = 0; i < model.factor.rows(); ++i)
        out.all(std::span<const double>(model.factor.row(i) + i, static_cast<std::size_t>(model.factor.cols() - i)));
    return out.bytes(format_name, version);
}

kernel_ridge_model parse_kernel_ridge(std::string_view bytes, const std::string& name) {
    archive_reader in(bytes, format_name, version, name);
    kernel_ridge_model model;
    in.read([&] {
        model.alpha = in.one();
        if (!(model.alpha >= 0) || !std::isfinite(model.alpha)) in.bad(fmt::format("alpha is {}", model.alpha));
        model.f = read_expansion(in);
        if (in.head.at("loo").get<bool>()) model.loo = in.numbers(model.f.training_size, model.f.functions());
        if (in.head.at("factor").get<bool>()) {
            const index n = model.f.coef.rows();
            // The half that was written, before room for the whole is made.
            const std::vector<double> half = in.all<double>(n * (n + 1) / 2);
            model.factor = matrix<double>(n, n);
            auto from = half.begin();
            for (index i = 0; i < n; ++i, from += n - i + 1) {
                std::copy_n(from, n - i, model.factor.row(i) + i);
                if (!(model.factor(i, i) > 0))
                    in.bad(fmt::format("pivot {} of the factor is {}", i, model.factor(i, i)));
            }
        }
    });
    return model;
}

void save_kernel_ridge(const kernel_ridge_model& model, const std::string& path) {
    write_atomically(path, model_bytes(model));
}

kernel_ridge_model load_kernel_ridge(const std::string& path) {
    const source file = read_source(path);
    return parse_kernel_ridge(file.bytes(), file.name());
}

}  // namespace mercer

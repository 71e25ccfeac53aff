// Checkpoints with changed numbers and a matching checksum, for a test and a fuzz target.
#pragma once

#include <cmath>
#include <cstring>
#include <fstream>
#include <iterator>
#include <string>
#include <vector>

#include "mercer/base/error.h"
#include "mercer/base/file.h"
#include "mercer/model/fit.h"

namespace mercer::testing {

// A small fit that writes checkpoints.
class checkpointed_fit {
public:
    checkpointed_fit(api::spec what, bool classes) : what_(std::move(what)) {
        constexpr index n = 150, dims = 3;
        matrix<double> x(n, dims);
        for (index i = 0; i < n; ++i) {
            for (index j = 0; j < dims; ++j) x(i, j) = std::sin(1.3 * static_cast<double>(i * dims + j + 1));
            const double value = x(i, 0) * x(i, 1) - x(i, 2);
            data_.y.push_back(classes ? (value > 0.3) + (value > -0.3) : value);
        }
        data_.x = dense<double>(std::move(x));
    }
    const std::string& method() const { return what_.method; }

    // Returns the checkpoint of a fit that is cancelled after `reports` progress reports; empty if the fit ended
    // earlier.
    std::string state_after(int reports, const std::string& path) const {
        remove_state(path);
        fit_control control = with(path);
        control.progress = [&](const fit_progress&) { return reports-- > 0; };
        try {
            api::fit(what_, data_, control);
        } catch (const error&) {
        }
        std::ifstream in(path, std::ios::binary);
        return {std::istreambuf_iterator<char>(in), std::istreambuf_iterator<char>()};
    }

    // Resumes the fit from a file with any content, for at most `reports` progress reports. The fit ends or throws
    // mercer::error.
    void resume(const std::string& file, const std::string& path, int reports = 30) const {
        std::ofstream(path, std::ios::binary) << file;
        fit_control control = with(path);
        control.checkpoint.seconds = 1e9;  // writes no file
        control.progress = [&](const fit_progress&) { return reports-- > 0; };
        try {
            api::fit(what_, data_, control);
        } catch (const error&) {
        }
        remove_state(path);
    }

private:
    static fit_control with(const std::string& path) {
        fit_control control;
        control.threads = 1;
        control.checkpoint = {path, 0};
        return control;
    }
    api::spec what_;
    table data_;
};

inline std::vector<checkpointed_fit> checkpointed_fits() {
    const std::string k = "rbf(gamma=3)";
    std::vector<checkpointed_fit> out;
    out.emplace_back(api::spec{"kernel_ridge", k, "", {{"solver", "cg"}, {"alpha", "1e-7"}, {"tol", "1e-13"}}}, false);
    out.emplace_back(api::spec{"kernel_logistic", k, "", {{"C", "1e3"}, {"tol", "1e-12"}}}, true);
    out.emplace_back(api::spec{"nystroem_ridge", k, "", {{"n_centres", "20"}, {"alpha", "1e-9"}, {"tol", "1e-17"}}},
                     false);
    for (const char* method : {"nystroem_logistic", "nystroem_svc"})
        out.emplace_back(api::spec{method, k, "", {{"n_centres", "20"}, {"C", "1e4"}, {"tol", "1e-12"}}}, true);
    out.emplace_back(
        api::spec{"nystroem_kmeans", k, "", {{"n_clusters", "5"}, {"n_centres", "20"}, {"n_init", "1"}, {"tol", "0"}}},
        false);
    out.emplace_back(api::spec{"nystroem_spectral", k, "", {{"n_clusters", "4"}, {"n_centres", "20"}, {"n_init", "1"}}},
                     false);
    out.emplace_back(api::spec{"nystroem_pca", k, "", {{"n_centres", "20"}, {"n_components", "3"}, {"tol", "1e-13"}}},
                     false);
    out.emplace_back(api::spec{"kernel_pca", k, "", {{"n_components", "3"}, {"solver", "iterative"}, {"tol", "1e-13"}}},
                     false);
    return out;
}

// Returns the file with other numbers and with matching size and checksum in its header (fit_checkpoint.cpp: magic,
// size, problem, checksum of the problem and the numbers).
inline std::string checkpoint_with(std::string file, const std::vector<double>& numbers) {
    if (file.size() < 32) return file;
    file.resize(32);
    const std::uint64_t size = numbers.size();
    std::memcpy(file.data() + 8, &size, 8);
    const std::uint64_t content =
        problem_hash().add(std::string_view(file).substr(16, 8)).add(std::span<const double>(numbers)).value();
    std::memcpy(file.data() + 24, &content, 8);
    file.append(reinterpret_cast<const char*>(numbers.data()), 8 * numbers.size());
    return file;
}
inline std::vector<double> numbers_of_checkpoint(const std::string& file) {
    std::vector<double> out(file.size() < 32 ? 0 : (file.size() - 32) / 8);
    if (!out.empty()) std::memcpy(out.data(), file.data() + 32, 8 * out.size());
    return out;
}

}  // namespace mercer::testing

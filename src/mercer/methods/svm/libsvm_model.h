// Model files of LIBSVM, which its svm-train writes and its svm-predict reads.
//
// Example:
//
//     const table data = read_table("data/heart_scale.svm");
//     const svm_model m = fit_svm(gaussian{0.1}, data.x, data.y, svm_options{});
//     save_libsvm_model(m, "heart.libsvm");  // svm-predict of LIBSVM reads this file
//     assert(predict(load_libsvm_model("heart.libsvm"), data.x) == predict(m, data.x));
#pragma once

#include <optional>
#include <string>
#include <string_view>

#include "mercer/methods/svm/svm_model.h"

namespace mercer {

// A kernel in a model file of LIBSVM, with LIBSVM's names of the parameters.
struct libsvm_kernel {
    enum class kind { linear, polynomial, rbf, sigmoid, precomputed } type = kind::rbf;  // in the order of LIBSVM's -t
    int degree = 3;
    double gamma = 1;
    double coef0 = 0;

    // Returns the kernel as a kernel of this library, or nullptr for `precomputed`. Like LIBSVM, this accepts
    // parameters for which the function is not positive semidefinite (coef0 < 0, degree 0).
    std::shared_ptr<const kernel> make() const;
    // Returns k as a kernel of LIBSVM; nullopt if LIBSVM does not have it.
    static std::optional<libsvm_kernel> from_kernel(const kernel& k);
};

// Returns the text of a model file, or writes the file. Throws errc::unsupported for models that the format cannot
// represent: other kernels, objects that are not vectors, one-versus-rest, isotonic calibration. Coefficients have 17
// digits, coordinates the digits that reproduce them exactly (LIBSVM itself writes 8). `zero_based`: column j of the
// support vectors has index j in the file; otherwise it has index j + 1, and index 0 is an error.
std::string libsvm_model_text(const svm_model& model, bool zero_based = false);
void save_libsvm_model(const svm_model& model, const std::string& path, bool zero_based = false);

// Reads a model. The header lines may have any order. A model on a precomputed kernel gets support_rows = serial
// numbers minus one and training_size = the largest serial number. Throws errc::parse; `name` is the file name in
// messages.
svm_model parse_libsvm_model(std::string_view text, const std::string& name, bool zero_based = false);
bool is_libsvm_model_prefix(std::string_view text);  // returns true if `text` may be the beginning of such a file
svm_model load_libsvm_model(const std::string& path, bool zero_based = false);

}  // namespace mercer

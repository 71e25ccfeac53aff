// LIBSVM's model files, both ways: the text that its svm-train writes and its svm-predict reads.
#pragma once

#include <optional>
#include <string>
#include <string_view>

#include "mercer/methods/svm/svm_model.h"

namespace mercer {

// The kernels such a file can name, with LIBSVM's numbers.
struct libsvm_kernel {
    enum class kind { linear, polynomial, rbf, sigmoid, precomputed } type = kind::rbf;  // in the order of LIBSVM's -t
    int degree = 3;
    double gamma = 1;
    double coef0 = 0;

    // As a kernel of this library; LIBSVM also takes parameters that do not make a kernel (coef0 < 0, degree 0), so
    // does this.
    std::shared_ptr<const kernel> make() const;  // nullptr for precomputed
    // The other way; nullopt where the file has no word for it.
    static std::optional<libsvm_kernel> of(const kernel& k);
};

// Fails for what the format cannot hold: other kernels, objects that are not vectors, one-versus-rest, isotonic
// calibration. Coefficients have 17 digits, coordinates as many as it takes to read them back unchanged (LIBSVM itself:
// 8). `zero_based`: column j of the support vectors is index j of the file, else index j + 1 (and index 0 is an error).
std::string libsvm_model_text(const svm_model& model, bool zero_based = false);
void save_libsvm_model(const svm_model& model, const std::string& path, bool zero_based = false);

// The lines of the header may stand in any order.
// A model on a precomputed kernel has support_rows = serial numbers less one, training_size = the largest serial
// number.
svm_model parse_libsvm_model(std::string_view text, const std::string& name, bool zero_based = false);
bool begins_libsvm_model(std::string_view text);  // whether it may be the beginning of such a file
svm_model load_libsvm_model(const std::string& path, bool zero_based = false);

}  // namespace mercer

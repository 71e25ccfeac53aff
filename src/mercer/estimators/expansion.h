// What the representer theorem says every solution is: f(x) = Σ_s coef(s, ·) k(x_s, x) + offset, one column of coef per output. The models
// of kernel ridge, kernel logistic regression and the other losses hold one, and share how it is evaluated, saved and loaded.
#pragma once

#include <memory>
#include <span>
#include <string>
#include <vector>

#include "mercer/data/dataset.h"
#include "mercer/kernels/kernel.h"

namespace mercer {

class archive_reader;
class archive_writer;

struct kernel_expansion {
    std::shared_ptr<const kernel> k;  // none: precomputed
    dataset objects;                  // the x_s; empty for precomputed
    std::vector<index> rows;          // their numbers among the training examples
    matrix<double> coef;              // objects × outputs
    std::vector<double> offset;       // of each output
    index training_size = 0;
    index dims = 0;

    index outputs() const { return coef.cols(); }
    std::string kernel_text() const { return k ? k->text() : std::string(); }
};

// f of every object, one row each; everything in double. Memory stays within a few MB beside the result.
matrix<double> evaluate(const kernel_expansion& f, const dataset& x);
// From kernel values K(x, training examples): columns are all training examples, or only the `rows` of the model.
matrix<double> evaluate_precomputed(const kernel_expansion& f, matrix_view<const double> K);

// For the model files: the counts go to head["expansion"]. Reading checks that the parts fit each other.
void write_expansion(archive_writer& out, const kernel_expansion& f);
kernel_expansion read_expansion(archive_reader& in);

// ---- what the fits of such models check and share ----

// Fails unless x is square, finite and y has one finite row for each of the n >= 1 examples and at least one column.
void check_targets(const std::string& owner, index n, matrix_view<const double> y);
// The weights, 1 where none are given; fails unless there are n of them with 0 <= weight < infinity, not all of them 0.
std::vector<double> checked_weights(const std::string& owner, index n, std::span<const double> weight);
// The examples of positive weight, ascending.
std::vector<index> positive(std::span<const double> weight);
// Fails, naming the bytes, where `needed` is more than the budget.
void check_budget(const std::string& owner, double needed, std::size_t budget, const std::string& why);
// "4.1 GB"
std::string bytes_text(double bytes);

}  // namespace mercer

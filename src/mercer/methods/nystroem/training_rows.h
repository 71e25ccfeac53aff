// The training rows of a Nyström method: access to some examples by number, and passes over K = k(X, Z) for centres Z.
// The rows are in memory, a matrix of kernel values, distributed over several processes, or in files larger than memory
// (streamed_rows.h).
#pragma once

#include <memory>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "mercer/data/dataset.h"
#include "mercer/gram/make_gram.h"
#include "mercer/methods/nystroem/gram_pass.h"

namespace mercer {

// A matrix together with shared pointers to everything that it refers to, so that a function can return the matrix.
template <class M>
struct owned {
    std::vector<std::shared_ptr<const void>> keep;
    std::unique_ptr<M> pointer;
    const M& operator*() const { return *pointer; }
    const M* operator->() const { return pointer.get(); }
    const M* get() const { return pointer.get(); }
};

// Number of kernel values above which a pass in double that computes most of them takes seconds, so that passes in
// float are faster.
inline constexpr double min_float_pairs = 3e8;

// The interface of the training rows; make_rows() makes those in memory.
class training_rows {
public:
    virtual ~training_rows() = default;
    virtual index size() const = 0;
    // If several processes share the rows, this process has rows first() … first() + own() - 1.
    virtual const communicator* processes() const { return nullptr; }
    virtual index first() const { return 0; }
    virtual index local_size() const { return size(); }
    virtual index dims() const { return 0; }  // number of coordinates of vectors; the same on all processes
    // Returns the examples with these row numbers, which are ascending, on all processes; empty if only kernel values
    // are known.
    virtual dataset gather(std::span<const index> which) const = 0;
    // Returns k(x, x) of the rows of this process.
    virtual std::vector<double> self() const = 0;
    // square_gram() returns the kernel matrix of the given examples with themselves, cross_gram() that of the examples
    // `left` (rows) and `right` (columns). Each set of examples is given twice, as objects and as row numbers; an
    // implementation reads either the objects or the numbers.
    virtual owned<gram<double>> square_gram(const dataset& objects, std::span<const index> which) const = 0;
    virtual owned<gram<double>> cross_gram(const dataset& left, std::span<const index> rows, const dataset& right,
                                           std::span<const index> cols) const = 0;
    // Bytes of a row that is read from a file (for vectors); 0 in memory.
    virtual double bytes_of_row() const { return 0; }
    // Returns the matrix K(X, Z) of all examples (rows, in batches) and the given centres (columns); `which` are the
    // row numbers of the centres. The matrix is stored if it takes at most `budget` bytes; otherwise it is computed
    // again in every pass, except for the rows that fit into `budget` if kernel values are expensive.
    virtual owned<gram_batches<double>> passes(const dataset& centres, std::span<const index> which,
                                               std::size_t budget) const = 0;
    // Returns the matrix of passes() in float, for iterations that evaluate their final objective in double. `budget`
    // is the number of bytes for stored kernel values. The pointer of the result is null, because float would not be
    // faster or not accurate enough, if the kernel is not normalised (k(x, x) = 1), if no kernel is known, or if the
    // matrix of all examples against the centres has at most `pairs` entries.
    virtual owned<gram_batches<float>> float_passes(const dataset& centres, std::size_t budget,
                                                    double pairs = min_float_pairs) const = 0;
    virtual std::shared_ptr<const kernel> kernel_if_known() const { return nullptr; }
};

// Examples in memory.
class examples_in_memory final : public training_rows {
public:
    examples_in_memory(const kernel& k, dataset x) : k_(std::make_shared<const kernel>(k)), x_(std::move(x)) {}
    index size() const override { return x_.size(); }
    index dims() const override { return x_.dims(); }
    dataset gather(std::span<const index> which) const override { return mercer::gather(x_, which); }
    std::vector<double> self() const override { return kernel_diagonal(*k_, x_); }
    owned<gram<double>> square_gram(const dataset& objects, std::span<const index> which) const override;
    owned<gram<double>> cross_gram(const dataset& left, std::span<const index> rows, const dataset& right,
                                   std::span<const index> cols) const override;
    owned<gram_batches<double>> passes(const dataset& centres, std::span<const index> which,
                                       std::size_t budget) const override;
    owned<gram_batches<float>> float_passes(const dataset& centres, std::size_t budget, double pairs) const override;
    std::shared_ptr<const kernel> kernel_if_known() const override { return k_; }

private:
    std::shared_ptr<const kernel> k_;
    dataset x_;
};

// The kernel matrix of all examples. The matrix is borrowed.
class gram_in_memory final : public training_rows {
public:
    explicit gram_in_memory(const gram<double>& k) : k_(k) { require_square(k, "a matrix of kernel values"); }
    index size() const override { return k_.rows(); }
    dataset gather(std::span<const index>) const override { return {}; }
    std::vector<double> self() const override {
        std::vector<double> out(static_cast<std::size_t>(k_.rows()));
        k_.diagonal(out);
        return out;
    }
    owned<gram<double>> square_gram(const dataset& objects, std::span<const index> which) const override;
    owned<gram<double>> cross_gram(const dataset& left, std::span<const index> rows, const dataset& right,
                                   std::span<const index> cols) const override;
    owned<gram_batches<double>> passes(const dataset& centres, std::span<const index> which,
                                       std::size_t budget) const override;
    owned<gram_batches<float>> float_passes(const dataset&, std::size_t, double) const override { return {}; }

private:
    const gram<double>& k_;
};

// Returns the training rows of examples in memory, which share the storage of x, or of the kernel matrix of all
// examples, which is borrowed and must outlive the result.
inline examples_in_memory make_rows(const kernel& k, const dataset& x) { return {k, x}; }
inline gram_in_memory make_rows(const gram<double>& k) { return gram_in_memory(k); }

// Returns the rows of K for passes over rows in memory, stored if they take at most `budget` bytes, or in part if they
// are expensive to compute.
template <class T>
std::shared_ptr<const gram<T>> make_pass_rows(const kernel& k, const dataset& x, const dataset& centres,
                                              std::size_t budget);

// Returns true if there are more than `pairs` kernel values and k(x, x) = 1.
bool is_float_faster(const kernel& k, index rows, index centres, double pairs);

// Messages between ranks that contain examples of any kind of object.

class communicator;

std::string pack_dataset(const dataset& x);
dataset unpack_dataset(std::string_view bytes);
// Returns the examples of all processes in the order of their ranks, on every process.
dataset join(const communicator& group, const dataset& mine);

// Examples distributed over the memories of several processes, as training_rows, in the order of the ranks. Results are
// bit-identical to those of one process that has all examples.
//
// A pass adds up chunks of rows (gram_pass.h), and a chunk belongs to one process. Each process therefore works on its
// rows from the last chunk that begins at or before them: it receives the few rows of that chunk which other processes
// have, and sends its own rows after its last whole chunk. All other rows stay in place.

struct shared_examples {
    const communicator* group = nullptr;
    index size = 0, first = 0;   // total of all processes; number of the first row of this process
    dataset border, rest;        // rows of the chunk that another process has begun, and all other rows
    matrix<double> y;            // targets of the rows of this process
    std::vector<double> weight;  // weights of these rows; empty if no process has weights

    index local_size() const { return border.size() + rest.size(); }
};

// Distributes the rows so that every chunk belongs to one process. Called by all processes, each with its own rows,
// possibly none, and its weights, if any. Vectors are borrowed. Throws on all processes if their examples or targets do
// not match.
shared_examples distribute_rows(const communicator& group, const dataset& x, matrix_view<const double> y,
                                const std::vector<double>& weight);

// The training rows of examples that several processes share. The examples are borrowed.
class shared_rows final : public training_rows {
public:
    shared_rows(const kernel& k, const shared_examples& all) : k_(std::make_shared<const kernel>(k)), all_(all) {}
    index size() const override { return all_.size; }
    const communicator* processes() const override { return all_.group; }
    index first() const override { return all_.first; }
    index local_size() const override { return all_.local_size(); }
    index dims() const override;
    std::vector<double> self() const override;
    dataset gather(std::span<const index> which) const override;
    owned<gram<double>> square_gram(const dataset& objects, std::span<const index> which) const override;
    owned<gram<double>> cross_gram(const dataset& left, std::span<const index> rows, const dataset& right,
                                   std::span<const index> cols) const override;
    owned<gram_batches<double>> passes(const dataset& centres, std::span<const index> which,
                                       std::size_t budget) const override;
    owned<gram_batches<float>> float_passes(const dataset& centres, std::size_t budget, double pairs) const override;
    std::shared_ptr<const kernel> kernel_if_known() const override { return k_; }

private:
    std::shared_ptr<const kernel> k_;
    const shared_examples& all_;
};

}  // namespace mercer

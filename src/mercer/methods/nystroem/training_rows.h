// What approximate methods ask of their data: some objects by number, and passes over K = k(X, Z) for centres Z. In
// memory, as a matrix of kernel values, or from files that are larger than memory.
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

// A matrix with what it stands on.
template <class M>
struct owned {
    std::vector<std::shared_ptr<const void>> keep;
    std::unique_ptr<M> it;
    const M& operator*() const { return *it; }
    const M* operator->() const { return it.get(); }
    const M* get() const { return it.get(); }
};

// So many of them that double, of which no more than a part would be kept in memory, takes seconds: float pays while it
// helps at all.
inline constexpr double many_pairs = 3e8;

class kernel_rows {
public:
    virtual ~kernel_rows() = default;
    virtual index size() const = 0;
    // Where several processes share the rows: those of this one are first() … first() + own() - 1.
    virtual const process_group* processes() const { return nullptr; }
    virtual index first() const { return 0; }
    virtual index own() const { return size(); }
    virtual index dims() const { return 0; }  // numbers of a row, of vectors; of all processes
    // The objects of this number, ascending; none where only kernel values are known.
    virtual dataset gather(std::span<const index> which) const = 0;
    // k(x, x) of this process's rows.
    virtual std::vector<double> self() const = 0;
    // K(which, which) and K(rows, cols).
    virtual owned<gram<double>> among(const dataset& objects, std::span<const index> which) const = 0;
    virtual owned<gram<double>> between(const dataset& left, std::span<const index> rows, const dataset& right,
                                        std::span<const index> cols) const = 0;
    // What a row takes that is read from a file, vectors at least; 0 in memory.
    virtual double bytes_of_row() const { return 0; }
    // All rows against the centres. Kept in memory where they take at most `budget` bytes, or are dear to compute.
    virtual owned<gram_batches<double>> passes(const dataset& centres, std::span<const index> which,
                                               std::size_t budget) const = 0;
    // The same in float, for what is measured in double in the end; none where the kernel values are not of size 1, or
    // fewer than `pairs`.
    virtual owned<gram_batches<float>> rough_passes(const dataset& centres, std::size_t budget,
                                                    double pairs = many_pairs) const = 0;
    virtual std::shared_ptr<const kernel> known_kernel() const { return nullptr; }
};

// Objects in memory.
class objects_in_memory final : public kernel_rows {
public:
    objects_in_memory(const kernel& k, dataset x) : k_(std::make_shared<const kernel>(k)), x_(std::move(x)) {}
    index size() const override { return x_.size(); }
    index dims() const override { return x_.dims(); }
    dataset gather(std::span<const index> which) const override { return mercer::gather(x_, which); }
    std::vector<double> self() const override { return self_values(*k_, x_); }
    owned<gram<double>> among(const dataset& objects, std::span<const index> which) const override;
    owned<gram<double>> between(const dataset& left, std::span<const index> rows, const dataset& right,
                                std::span<const index> cols) const override;
    owned<gram_batches<double>> passes(const dataset& centres, std::span<const index> which,
                                       std::size_t budget) const override;
    owned<gram_batches<float>> rough_passes(const dataset& centres, std::size_t budget, double pairs) const override;
    std::shared_ptr<const kernel> known_kernel() const override { return k_; }

private:
    std::shared_ptr<const kernel> k_;
    dataset x_;
};

// A matrix of kernel values among all objects. Borrowed.
class values_in_memory final : public kernel_rows {
public:
    explicit values_in_memory(const gram<double>& k) : k_(k) { require_square(k, "a matrix of kernel values"); }
    index size() const override { return k_.rows(); }
    dataset gather(std::span<const index>) const override { return {}; }
    std::vector<double> self() const override {
        std::vector<double> out(static_cast<std::size_t>(k_.rows()));
        k_.diagonal(out);
        return out;
    }
    owned<gram<double>> among(const dataset& objects, std::span<const index> which) const override;
    owned<gram<double>> between(const dataset& left, std::span<const index> rows, const dataset& right,
                                std::span<const index> cols) const override;
    owned<gram_batches<double>> passes(const dataset& centres, std::span<const index> which,
                                       std::size_t budget) const override;
    owned<gram_batches<float>> rough_passes(const dataset&, std::size_t, double) const override { return {}; }

private:
    const gram<double>& k_;
};

// Objects in memory, or the matrix of their kernel values.
inline objects_in_memory rows_of(const kernel& k, const dataset& x) { return {k, x}; }
inline values_in_memory rows_of(const gram<double>& k) { return values_in_memory(k); }

// What the passes of rows in memory are made of: rows of K, kept where they take at most `budget` bytes or are dear to
// compute.
template <class T>
std::shared_ptr<const gram<T>> rows_of_passes(const kernel& k, const dataset& x, const dataset& centres,
                                              std::size_t budget);

// Whether there are so many pairs, with kernel values of size 1.
bool float_pays(const kernel& k, index rows, index centres, double pairs);

// Objects of any kind on their way from one process to another.

class process_group;

std::string packed(const dataset& x);
dataset unpacked(std::string_view bytes);
// The objects of all processes, in their order, at each.
dataset joined(const process_group& group, const dataset& mine);

// Examples in the memories of several processes, as kernel_rows: those of rank 0 come first, then those of rank 1, and
// so on, and the bits are those of one process that has them all.
//
// A pass adds up leaves of rows (methods/nystroem/gram_pass.h), and a leaf belongs to one process. So each process
// works on its rows from the last leaf that begins at or before them: the few rows of that leaf which others have are
// sent to it, and it gives away its own behind the last whole leaf. All other rows stay where they lie.

struct shared_examples {
    const process_group* group = nullptr;
    index size = 0, first = 0;   // of all processes; and the number of the first row of this one
    dataset border, rest;        // its rows: those of the leaf that others have begun, if any, and the others
    matrix<double> y;            // their targets
    std::vector<double> weight;  // and weights; none where no process has any

    index own() const { return border.size() + rest.size(); }
};

// Called by all processes, each with its rows, none of them being an answer too; weights where it has some. Vectors are
// borrowed. Fails, at all of them, where their objects or targets do not fit together.
shared_examples deal_at_leaves(const process_group& group, const dataset& x, matrix_view<const double> y,
                               const std::vector<double>& weight);

// The examples are borrowed.
class shared_rows final : public kernel_rows {
public:
    shared_rows(const kernel& k, const shared_examples& all) : k_(std::make_shared<const kernel>(k)), all_(all) {}
    index size() const override { return all_.size; }
    const process_group* processes() const override { return all_.group; }
    index first() const override { return all_.first; }
    index own() const override { return all_.own(); }
    index dims() const override;
    std::vector<double> self() const override;
    dataset gather(std::span<const index> which) const override;
    owned<gram<double>> among(const dataset& objects, std::span<const index> which) const override;
    owned<gram<double>> between(const dataset& left, std::span<const index> rows, const dataset& right,
                                std::span<const index> cols) const override;
    owned<gram_batches<double>> passes(const dataset& centres, std::span<const index> which,
                                       std::size_t budget) const override;
    owned<gram_batches<float>> rough_passes(const dataset& centres, std::size_t budget, double pairs) const override;
    std::shared_ptr<const kernel> known_kernel() const override { return k_; }

private:
    std::shared_ptr<const kernel> k_;
    const shared_examples& all_;
};

}  // namespace mercer

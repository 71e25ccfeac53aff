// Bringing the columns of vectors, and targets, to comparable ranges.
//
//   min-max:      x ↦ lower + (upper - lower) (x - min) / (max - min), what svm-scale does; a column with min = max
//   becomes 0 standardise:  x ↦ (x - mean) / sd, sd² = 1/n Σ (x - mean)²; a column with sd = 0 only loses its mean
//
// Sparse vectors: coordinates that are not stored are zeros, and count. Where zero maps to something else the result is
// filled in; standardising them would fill in everything, so it is refused unless the mean stays (with_mean = false: x
// ↦ x / sd).
#pragma once

#include <functional>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "mercer/data/dataset.h"

namespace mercer {

class process_group;

enum class scaling_method { standardise, minmax };

struct scaling_options {
    scaling_method method = scaling_method::standardise;
    bool with_mean = true;  // standardise: subtract the mean
    double lower = -1;      // min-max: lower < upper, both finite
    double upper = 1;
    bool targets = false;  // scale y too, by the same method
    double target_lower = -1;
    double target_upper = 1;
};

class scaling {
public:
    static scaling fit(const dataset& x, const scaling_options& options = {});
    // The same for rows that come in batches, in three passes over them: each calls its argument for every batch.
    // Sums are exact (base/reproducible_sums.h), so the bits depend neither on the batches nor on the processes that
    // share the rows.
    using batch_pass = std::function<void(const std::function<void(const dataset&)>& use)>;
    static scaling fit(const batch_pass& pass, const scaling_options& options, const process_group* group = nullptr);
    // Needs y only when options.targets.
    static scaling fit(const dataset& x, std::span<const double> y, const scaling_options& options);

    const scaling_options& options() const { return options_; }
    index dims() const { return static_cast<index>(columns_.size()); }

    // Vectors in the storage they came in. Dense ones need exactly dims() coordinates, sparse ones at most so many.
    dataset apply(const dataset& x) const;
    dataset inverse(const dataset& x) const;
    // Unchanged unless options().targets.
    std::vector<double> apply_targets(std::span<const double> y) const;
    std::vector<double> inverse_targets(std::span<const double> y) const;

    // JSON; every number comes back exactly.
    std::string to_json() const;
    static scaling from_json(std::string_view text, const std::string& name);
    void save(const std::string& path) const;
    static scaling load(const std::string& path);

    // min and max, or mean and sd, of one column.
    struct range {
        double first = 0;
        double second = 0;
        bool operator==(const range&) const = default;
    };
    std::span<const range> columns() const { return columns_; }
    const std::optional<range>& target() const { return target_; }

private:
    double forward(const range& column, double value, double lower, double upper) const;
    double backward(const range& column, double value, double lower, double upper) const;
    template <class Map>
    dataset transform(const dataset& x, const Map& map) const;

    scaling_options options_;
    std::vector<range> columns_;
    std::optional<range> target_;
};

}  // namespace mercer

// Scales the columns of vectors, and targets, to comparable ranges.
//
//   min-max      x ↦ lower + (upper - lower) (x - min) / (max - min), as svm-scale; a column with min = max becomes 0
//   standardise  x ↦ (x - mean) / sd, sd² = 1/n Σ (x - mean)²; of a column with sd = 0 only the mean is subtracted
//
// Coordinates of sparse vectors that are not stored are zeros and count as values. If a column maps zero to another
// number, that number is stored in every row. Standardising sparse vectors would store all coordinates, so it is an
// error unless with_mean = false, which scales x ↦ x / sd.
//
// Example:
//
//     const double numbers[] = {1, 2, 3, 100, 200, 600};
//     const dataset x = dense<double>({numbers, 3, 2});
//     const scaling by = scaling::fit(x, {.method = scaling_method::minmax});
//     const dataset scaled = by.apply(x);  // each column has values from -1 to 1
//     assert(scaled.as<dense<double>>()->row(0)[0] == -1 && scaled.as<dense<double>>()->row(2)[1] == 1);
#pragma once

#include <functional>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "mercer/data/dataset.h"

namespace mercer {

class communicator;

enum class scaling_method { standardise, minmax };

// Options of scaling::fit().
struct scaling_options {
    scaling_method method = scaling_method::standardise;
    bool with_mean = true;  // standardise: subtract the mean
    double lower = -1;      // min-max: the range of the result; lower < upper, both finite
    double upper = 1;
    bool targets = false;  // also scale y, by the same method
    double target_lower = -1;
    double target_upper = 1;
};

// A fitted scaling: the same map is applied to training data and new data.
class scaling {
public:
    // Fits to vectors. Throws errc::unsupported for objects that are not vectors and for centring sparse vectors,
    // errc::invalid_argument if an option is out of range or there are no vectors, and errc::data if a value is not
    // finite.
    static scaling fit(const dataset& x, const scaling_options& options = {});
    // Fits to rows that come in batches. pass(use) must call use(batch) for every batch; it is called once for min-max
    // and three times for standardise. Sums are exact (base/reproducible_sums.h): the result is bit-identical for any
    // division into batches and for any number of processes in `group` that share the rows.
    using batch_pass = std::function<void(const std::function<void(const dataset&)>& use)>;
    static scaling fit(const batch_pass& pass, const scaling_options& options, const communicator* group = nullptr);
    // Fits to vectors and, if options.targets is true, to their targets y; otherwise y is not used.
    static scaling fit(const dataset& x, std::span<const double> y, const scaling_options& options);

    const scaling_options& options() const { return options_; }
    index dims() const { return static_cast<index>(columns_.size()); }

    // Return scaled vectors in the storage (dense or sparse) and precision of x. Dense vectors must have dims()
    // coordinates, sparse vectors at most dims(). Throws row_error if a result is out of the range of the precision.
    dataset apply(const dataset& x) const;
    dataset inverse(const dataset& x) const;
    // Return scaled targets, or the targets of scaled ones; y unchanged if options().targets is false.
    std::vector<double> apply_targets(std::span<const double> y) const;
    std::vector<double> inverse_targets(std::span<const double> y) const;

    // Returns the fitted scaling as JSON, from which from_json() reads every number back exactly. `name` is the name of
    // the file in messages.
    std::string to_json() const;
    static scaling from_json(std::string_view text, const std::string& name);
    void save(const std::string& path) const;
    static scaling load(const std::string& path);

    // min and max (min-max), or mean and sd (standardise), of one column.
    struct range {
        double first = 0;
        double second = 0;
        bool operator==(const range&) const = default;
    };
    std::span<const range> columns() const { return columns_; }
    const std::optional<range>& target() const { return target_; }

private:
    double scale_value(const range& column, double value, double lower, double upper) const;
    double unscale_value(const range& column, double value, double lower, double upper) const;
    template <class Map>
    dataset transform(const dataset& x, const Map& map) const;

    scaling_options options_;
    std::vector<range> columns_;
    std::optional<range> target_;
};

}  // namespace mercer

// Distances in feature space as a matrix of their own, block by block:
//     D(i, j)² = K(i, i) + K(j, j) - 2K(i, j).
// A square that rounding made negative is 0. With a matrix that is not positive semidefinite it can be negative in
// truth: the squared form gives it as it is, the root is refused.
#pragma once

#include <cmath>
#include <limits>
#include <string>
#include <vector>

#include "mercer/base/error.h"
#include "mercer/base/threads.h"
#include "mercer/gram/gram.h"

namespace mercer {

// kxx + kzz - 2kxz; 0 when it is negative by no more than the rounding of its three terms, themselves sums of so many.
inline double squared_distance(double kxx, double kzz, double kxz, std::size_t terms = 1) {
    const double d = kxx / 2 + kzz / 2 - kxz;
    const double rounding = static_cast<double>(15 + terms) * std::numeric_limits<double>::epsilon() *
                            (std::abs(kxx) / 2 + std::abs(kzz) / 2 + std::abs(kxz));
    return d < 0 && d >= -rounding ? 0.0 : 2 * d;
}

// The matrix is borrowed, and must outlive this one.
class distance_gram final : public gram<double> {
public:
    enum class form { root, squared };
    explicit distance_gram(const gram<double>& k, form wanted = form::root)
        : k_(k), wanted_(wanted), self_(static_cast<std::size_t>(k.rows())) {
        require_square(k, "distances");
        k.diagonal(self_);
    }
    index rows() const override { return k_.rows(); }
    index cols() const override { return k_.cols(); }
    void block(const selection& rows, const selection& cols, block_rows<double> out) const override {
        k_.block(rows, cols, out);
        const auto turn = [&](index i) {
            const index r = rows[i];
            for (index j = 0; j < cols.size(); ++j) {
                const index c = cols[j];
                const double d = r == c ? 0.0
                                        : squared_distance(self_[static_cast<std::size_t>(r)],
                                                           self_[static_cast<std::size_t>(c)], out[i][j]);
                if (d < 0 && wanted_ == form::root)
                    fail(errc::not_psd, "distances: squared distances must be >= 0, got " + std::to_string(d) +
                                            " between objects " + std::to_string(r) + " and " + std::to_string(c));
                out[i][j] = wanted_ == form::root ? std::sqrt(d) : d;
            }
        };
        if (rows.size() * cols.size() > 65536)
            parallel_for(rows.size(), turn);
        else
            for (index i = 0; i < rows.size(); ++i) turn(i);
    }
    void diagonal(std::span<double> out) const override { std::fill(out.begin(), out.end(), 0.0); }
    double element_cost() const override { return k_.element_cost() + 8; }

private:
    const gram<double>& k_;
    form wanted_;
    std::vector<double> self_;
};

}  // namespace mercer

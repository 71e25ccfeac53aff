// Reference implementations of dense linear algebra by Eigen, independent of the library. The header does not include
// Eigen, so that Eigen is compiled only once.
#pragma once

#include <initializer_list>
#include <iosfwd>
#include <span>
#include <vector>

#include "mercer/base/matrix_view.h"

namespace mercer::testing {

// A matrix with arithmetic operators. Operands of different sizes end the program.
class real_matrix : public matrix<double> {
public:
    using matrix<double>::matrix;
    real_matrix(const matrix<double>& from) : matrix<double>(from) {}        // NOLINT: the same numbers
    real_matrix(matrix<double>&& from) : matrix<double>(std::move(from)) {}  // NOLINT
    explicit real_matrix(matrix_view<const double> from);
    static real_matrix of_rows(std::initializer_list<std::initializer_list<double>> rows);
    static real_matrix constant(index rows, index cols, double value);
    static real_matrix identity(index n);
    static real_matrix diagonal(std::span<const double> values);
    static real_matrix column(std::span<const double> values);

    index size() const { return rows() * cols(); }
    real_matrix transpose() const;
    real_matrix nth_row(index i) const;
    real_matrix nth_column(index j) const;
    std::vector<double> on_diagonal() const;
    double trace() const;
    double norm() const;  // Frobenius norm
    double squared_norm() const;
    double stable_norm() const;  // Frobenius norm computed without overflow and underflow
    double sum() const;
    double mean() const;
    std::vector<double> row_means() const;

    real_matrix& operator+=(const real_matrix& other) { return *this = *this + other; }
    real_matrix& operator*=(double factor) { return *this = factor * *this; }
    friend real_matrix operator+(const real_matrix& a, const real_matrix& b);
    friend real_matrix operator-(const real_matrix& a, const real_matrix& b);
    friend real_matrix operator*(const real_matrix& a, const real_matrix& b);
    friend real_matrix operator*(double factor, const real_matrix& a);
    friend real_matrix operator*(const real_matrix& a, double factor) { return factor * a; }
    friend real_matrix operator/(const real_matrix& a, double divisor);
    friend real_matrix operator-(const real_matrix& a) { return -1.0 * a; }
    friend bool operator==(const real_matrix& a, const real_matrix& b);
    friend std::ostream& operator<<(std::ostream& out, const real_matrix& a);
};

double dot(const real_matrix& a, const real_matrix& b);  // Σ aᵢⱼbᵢⱼ
real_matrix symmetric_part(const real_matrix& a);        // (A + Aᵀ)/2
// A minus the means of its columns, then minus the means of its rows
real_matrix centred_both_ways(const real_matrix& a);

// A = Σ λₖ vₖvₖᵀ with λ ascending and the vₖ in the columns of `vectors`; reads the lower triangle of A.
struct oracle_eigen {
    std::vector<double> values;
    real_matrix vectors;
};
oracle_eigen eigen_of(const real_matrix& a);
std::vector<double> eigenvalues_of(const real_matrix& a);
std::vector<double> generalised_eigenvalues_of(const real_matrix& a, const real_matrix& b);  // Ax = λBx
real_matrix orthogonal_factor(const real_matrix& a);                                         // Q of A = QR
real_matrix solve_definite(const real_matrix& a, const real_matrix& b);                      // A⁻¹B by Cholesky

std::vector<double> evenly(index n, double first, double last);  // n evenly spaced numbers

}  // namespace mercer::testing

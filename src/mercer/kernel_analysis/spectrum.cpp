#include "mercer/kernel_analysis/spectrum.h"

#include <algorithm>
#include <cmath>
#include <limits>

#include "mercer/gram/dense_gram.h"

namespace mercer {
namespace {

// |λ|/max|λ|, falling; empty for K = 0.
std::vector<double> sizes(const std::vector<double>& values) {
    std::vector<double> size;
    for (const double value : values) size.push_back(std::abs(value));
    std::sort(size.rbegin(), size.rend());
    if (size.empty() || size.front() == 0) return {};
    const double largest = size.front();
    for (double& each : size) each /= largest;
    return size;
}

}  // namespace

gram_spectrum decompose(const gram<double>& k, eigen_parts wanted) {
    eigen_system eigen = symmetric_eigen(formed_symmetric(k, "spectrum"), wanted);
    gram_spectrum made;
    made.values.assign(eigen.values.rbegin(), eigen.values.rend());
    made.vectors = std::move(eigen.vectors);
    const index n = made.size();
    for (index i = 0; i < made.vectors.rows() / 2; ++i)
        std::swap_ranges(made.vectors.row(i), made.vectors.row(i) + n, made.vectors.row(n - 1 - i));
    if (n > 0)
        made.tolerance = static_cast<double>(n) * std::numeric_limits<double>::epsilon() *
                         std::max(std::abs(made.values.front()), std::abs(made.values.back()));
    return made;
}

index gram_spectrum::rank() const {
    return std::count_if(values.begin(), values.end(), [this](double value) { return std::abs(value) > tolerance; });
}

index gram_spectrum::negative() const {
    return std::count_if(values.begin(), values.end(), [this](double value) { return value < -tolerance; });
}

double gram_spectrum::effective_rank() const {
    const std::vector<double> size = sizes(values);
    if (size.empty()) return 0;
    double sum = 0, entropy = 0;
    for (const double each : size) sum += each;
    for (const double each : size)
        if (each > 0) entropy -= each / sum * std::log(each / sum);
    return std::exp(entropy);
}

std::vector<double> gram_spectrum::cumulative_share() const {
    const std::vector<double> size = sizes(values);
    std::vector<double> share(values.size(), 0.0);
    double sum = 0;
    for (std::size_t i = 0; i < size.size(); ++i) share[i] = sum += size[i];
    for (double& each : share) each = sum > 0 ? each / sum : 0;
    return share;
}

}  // namespace mercer

#include "mercer/kernels/strings/local_alignment.h"

#include <cmath>

#include "mercer/base/context.h"
#include "mercer/base/workspace.h"
#include "mercer/kernels/object_pairs.h"
#include "mercer/kernels/wide_number.h"

namespace mercer {
namespace {

double exp_of(double x, double) { return std::exp(x); }
wide_number exp_of(double x, wide_number) { return wide_number::exp(x); }
double log_of(double x) { return std::log(x); }
double log_of(wide_number x) { return x.log(); }

// ln Σ e^(beta·score) by dynamic programming, row by row; R is double or wide_number. Cell (i, j) has three partial
// sums over alignments of the first i letters of s and the first j letters of t: m, those that end with the pair
// (i, j); x, those with skipped letters of s after their last pair; y, those with skipped letters of t (and possibly of
// s) after it.
template <class R>
double log_sum(const alignment_scores& p, std::string_view s, std::string_view t) {
    const auto power = [&](double score) { return exp_of(p.beta * score, R()); };
    const R same = power(p.match), other = power(p.mismatch), open = power(-p.open), extend = power(-p.extend);
    const R one = 1.0;
    struct cell {
        R m = 0.0, x = 0.0;
    };
    const workspace held((t.size() + 1) * (sizeof(cell) + sizeof(R)));
    std::vector<cell> above(t.size() + 1);
    std::vector<R> gaps(t.size() + 1, R(0.0));  // y of the row above
    R total = one;
    cancellation_check stop_check;
    for (const char a : s) {
        stop_check.count(10 * t.size());
        cell corner, left;
        R corner_y = 0.0, y = 0.0;
        for (std::size_t j = 1; j <= t.size(); ++j) {
            const cell up = above[j];
            const R up_y = gaps[j];
            cell here;
            here.m = (a == t[j - 1] ? same : other) * (((one + corner.m) + corner.x) + corner_y);
            here.x = open * up.m + extend * up.x;
            y = open * (left.m + left.x) + extend * y;
            total = total + here.m;
            corner = up, corner_y = up_y;
            above[j] = left = here;
            gaps[j] = y;
        }
    }
    return log_of(total);
}

// Returns true if neither the sum nor a factor leaves the range of double. The sum has fewer than 3^(|s|+|t|) terms,
// and no score exceeds that of min(|s|, |t|) pairs and |s|+|t| skipped letters with the best scores.
bool fits_double(const alignment_scores& p, std::size_t n, std::size_t m) {
    const double pairs = static_cast<double>(std::min(n, m)), letters = static_cast<double>(n + m);
    const double largest = std::max({p.match, p.mismatch, 0.0}) * pairs + std::max({-p.open, -p.extend, 0.0}) * letters,
                 smallest = std::max({-p.match, -p.mismatch, p.open, p.extend, 0.0});
    return p.beta * largest + 1.1 * letters < 700 && p.beta * smallest < 100;
}

int emit_values(plan_builder& code, const char* owner, const alignment_scores& p, double scale, bool exponential) {
    return emit_ordered_pairs<strings>(
        code, owner, [](std::string_view s) { return s; },
        [=](std::string_view s, std::span<const std::string_view* const> others, double* out) {
            for (std::size_t q = 0; q < others.size(); ++q) {
                const std::string_view t = *others[q];
                const double log =
                    fits_double(p, s.size(), t.size()) ? log_sum<double>(p, s, t) : log_sum<wide_number>(p, s, t);
                out[q] = exponential ? std::exp(log) : scale * log;
            }
        });
}

}  // namespace

void alignment_scores::check(const char* owner) const {
    require(beta > 0 && std::isfinite(beta), owner, "beta > 0", beta);
    for (const double each : {match, mismatch, open, extend})
        require(std::abs(beta * each) <= 1e6, owner, "|beta*score| <= 1000000", each);
}

int alignment_scores::emit_log(plan_builder& code, const char* owner, double scale) const {
    return emit_values(code, owner, *this, scale, false);
}

int alignment_scores::emit_sum(plan_builder& code, const char* owner) const {
    return emit_values(code, owner, *this, 1, true);
}

}  // namespace mercer

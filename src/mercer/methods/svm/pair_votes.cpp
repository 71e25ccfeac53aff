#include "mercer/methods/svm/pair_votes.h"

#include <algorithm>

#include "mercer/base/context.h"
#include "mercer/base/threads.h"

namespace mercer {
namespace {

// The votes of all pairs of classes for a batch of objects. The decisions of one pair are computed for all objects of
// the batch together: kernel(s, i) is k(support vector s, object i). The (objects × pairs) decisions are not stored.
class pair_votes {
public:
    pair_votes(const svm_model& model, index objects)
        : m_(model), k_(std::ssize(model.classes)), count_(objects), votes_(k_, objects) {
        first_.push_back(0);
        for (const index each : model.class_support) first_.push_back(first_.back() + each);
    }

    void count(const matrix<double>& kernel) {
        // Blocks of classes, so that coefficients and kernel values are reused while they are in the caches.
        constexpr index classes_at_once = 64;
        std::vector<double> f(static_cast<std::size_t>(count_)), part(f.size());
        for (index from = 0; from < k_; from += classes_at_once) {
            throw_if_cancelled();
            const index to = std::min(k_, from + classes_at_once);
            for (index b = from + 1; b < k_; ++b)
                for (index a = from; a < std::min(b, to); ++a) {
                    std::fill(f.begin(), f.end(), m_.offset[static_cast<std::size_t>(m_.pairs().problem_of(a, b))]);
                    add(kernel, a, m_.coef.row(b - 1), part, f);
                    add(kernel, b, m_.coef.row(a), part, f);
                    double* const of_a = votes_.row(a);
                    double* const of_b = votes_.row(b);
                    for (index i = 0; i < count_; ++i) {
                        const double first = f[static_cast<std::size_t>(i)] > 0 ? 1.0 : 0.0;
                        of_a[i] += first, of_b[i] += 1 - first;
                    }
                }
        }
    }

    // The label of the class with the most votes; of equal ones the first.
    double label(index object) const {
        index best = 0;
        for (index c = 1; c < k_; ++c)
            if (votes_(c, object) > votes_(best, object)) best = c;
        return m_.classes[static_cast<std::size_t>(best)];
    }

private:
    // f += Σ_s coef[s]·k(s, ·) over the support vectors s of class c.
    void add(const matrix<double>& kernel, index c, const double* coef, std::vector<double>& part,
             std::vector<double>& f) const {
        const index begin = first_[static_cast<std::size_t>(c)], end = first_[static_cast<std::size_t>(c) + 1];
        if (begin == end) return;
        for (index s = begin; s < end; ++s) {
            const double* const k = kernel.row(s);
            const double w = coef[s];
            if (s == begin)
                for (index i = 0; i < count_; ++i) part[static_cast<std::size_t>(i)] = w * k[i];
            else
                for (index i = 0; i < count_; ++i) part[static_cast<std::size_t>(i)] += w * k[i];
        }
        for (index i = 0; i < count_; ++i) f[static_cast<std::size_t>(i)] += part[static_cast<std::size_t>(i)];
    }

    const svm_model& m_;
    index k_, count_;
    std::vector<index> first_;  // first support vector of each class, and their number
    matrix<double> votes_;      // class × object
};

}  // namespace

std::vector<double> predict_by_votes(const svm_model& model, index objects, const kernel_tile& block) {
    constexpr index band = 96, strip = 1024;
    // The kernel values of a batch take at most 8 MB for up to 2²⁰ support vectors.
    const index support = model.coef.cols(), width = std::min(strip, support),
                rows_of_band = std::clamp<index>((index{1} << 20) / std::max<index>(support, 1), 1, band);
    std::vector<double> out(static_cast<std::size_t>(objects));
    parallel_for((objects + rows_of_band - 1) / rows_of_band, [&](index b) {
        const index r0 = b * rows_of_band, rows = std::min(rows_of_band, objects - r0);
        matrix<double> kernel(support, rows), tile(rows, width);
        for (index s0 = 0; s0 < support; s0 += strip) {
            const index count = std::min(strip, support - s0);
            block(row_set(r0, rows), row_set(s0, count), matrix_view<double>(tile.data(), rows, count, width));
            for (index s = 0; s < count; ++s)
                for (index i = 0; i < rows; ++i) kernel(s0 + s, i) = tile(i, s);
        }
        pair_votes votes(model, rows);
        votes.count(kernel);
        for (index i = 0; i < rows; ++i) out[static_cast<std::size_t>(r0 + i)] = votes.label(i);
    });
    return out;
}

}  // namespace mercer

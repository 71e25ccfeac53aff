// The binary problems of a machine for k classes, and where their numbers stand.
//
//   one-versus-one    problems (0,1), (0,2), …, (0,k-1), (1,2), …: class a on the positive side, class b > a on the
//   negative one one-versus-rest   problem a: class a against all others
//
// Two classes are one problem in both schemes. Coefficients of one-versus-one lie as LIBSVM's sv_coef: k-1 rows, and a
// support vector of class c has in row m its coefficient against the m-th other class.
#pragma once

#include <cmath>

#include "mercer/base/matrix_view.h"

namespace mercer {

enum class multiclass { one_vs_one, one_vs_rest };

class class_problems {
public:
    // No classes: regression and one-class, which are one problem.
    class_problems(index classes, multiclass scheme)
        : k_(classes), rest_(scheme == multiclass::one_vs_rest && classes > 2) {}

    bool against_rest() const { return rest_; }
    bool by_pairs() const { return k_ > 2 && !rest_; }
    index count() const { return k_ == 0 ? 1 : rest_ ? k_ : k_ * (k_ - 1) / 2; }
    index coefficient_rows() const { return k_ == 0 ? 1 : rest_ ? k_ : k_ - 1; }

    // The problem of two classes a < b.
    index of(index a, index b) const { return a * k_ - a * (a + 1) / 2 + (b - a - 1); }
    // The problem that row m of the coefficients belongs to, for a support vector of class c.
    index of_row(index c, index m) const {
        if (!by_pairs()) return m;
        const index other = m < c ? m : m + 1;
        return of(c < other ? c : other, c < other ? other : c);
    }

    struct sides {
        index first, second;  // second: -1 where it is all others
    };
    sides operator[](index problem) const {
        if (rest_) return {problem, -1};
        // The first problem of class a is of(a, a + 1) = a(2k-1-a)/2: solved for a, and put right where rounding errs.
        const double twice = static_cast<double>(2 * k_ - 1);
        auto a = static_cast<index>((twice - std::sqrt(twice * twice - 8 * static_cast<double>(problem))) / 2);
        while (a > 0 && of(a, a + 1) > problem) --a;
        while (a + 2 < k_ && of(a + 1, a + 2) <= problem) ++a;
        return {a, a + 1 + problem - of(a, a + 1)};
    }

    // visit(problem, a, b) for each of them, b = -1 where it is all others.
    template <class Visit>
    void each(Visit visit) const {
        index problem = 0;
        for (index a = 0; a < k_; ++a) {
            if (rest_) visit(problem++, a, index{-1});
            for (index b = a + 1; !rest_ && b < k_; ++b) visit(problem++, a, b);
        }
    }

private:
    index k_;
    bool rest_;
};

}  // namespace mercer

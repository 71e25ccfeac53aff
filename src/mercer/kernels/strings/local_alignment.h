// Local alignment (Saigo, Vert, Ueda, Akutsu 2004): the sum over all local alignments of s and t, the empty one
// included, of e^(beta·score). An alignment is an increasing sequence of pairs of letters. Its score is the sum of the
// scores of its pairs minus open + (l-1)·extend for every gap: l letters of s, or of t, skipped between two pairs.
// O(|s|·|t|) for a pair.
//
// Why it is a kernel: it is a convolution of kernels on the parts of an alignment: constants, a function of a gap in s
// times the same function of a gap in t, and e^(beta·score) of two letters a and b, which is
// (e^(beta·match) - e^(beta·mismatch))·[a = b] + e^(beta·mismatch), with weights >= 0 if match >= mismatch. Its
// logarithm, which is widely used because the sum is large on the diagonal, is not positive semidefinite in general.
#pragma once

#include "mercer/data/strings.h"
#include "mercer/kernels/kernel_info.h"

namespace mercer {

// The parameters that both kernels share.
struct alignment_scores {
    double beta = 0.5, match = 2, mismatch = -1, open = 3, extend = 1;

    static std::vector<parameter_info> parameters(bool proven) {
        return {{"beta", "0.5", "beta > 0", "the larger, the more the best alignments dominate the sum"},
                {"match", "2", "", "score of two equal letters"},
                {"mismatch", "-1", proven ? "mismatch <= match" : "", "score of two different letters"},
                {"open", "3", "", "cost of the first letter of a gap"},
                {"extend", "1", "", "cost of each further letter of a gap"}};
    }
    static alignment_scores from(const mercer::arguments& given) {
        return {given.number("beta", 0.5), given.number("match", 2), given.number("mismatch", -1),
                given.number("open", 3), given.number("extend", 1)};
    }
    void check(const char* owner) const;
    std::vector<argument> arguments() const { return {beta, match, mismatch, open, extend}; }
    // Emit scale·ln(sum) and the sum; `owner` is the kernel's name for error messages.
    int emit_log(plan_builder& code, const char* owner, double scale) const;
    int emit_sum(plan_builder& code, const char* owner) const;
};

// The sum itself. It may overflow; normalize() uses its logarithm and does not.
struct local_alignment {
    alignment_scores scores;

    static kernel_info info() {
        return {"local_alignment",
                {},
                "sum over local alignments of s and t of exp(beta*score)",
                strings::kind,
                alignment_scores::parameters(true),
                "local alignment: a convolution of kernels on letters and gaps (Saigo et al. 2004)",
                true,
                {}};
    }
    static local_alignment from(const mercer::arguments& given) { return {alignment_scores::from(given)}; }
    void check() const {
        scores.check("local_alignment");
        require(scores.mismatch <= scores.match, "local_alignment", "mismatch <= match", scores.mismatch);
    }
    std::vector<argument> arguments() const { return scores.arguments(); }
    static constexpr bool may_overflow = true;
    int emit(plan_builder& code) const { return scores.emit_sum(code, "local_alignment"); }
    int emit_log(plan_builder& code) const { return scores.emit_log(code, "local_alignment", 1); }
};

// The logarithm of the sum divided by beta. For beta → ∞ it tends to the Smith-Waterman score.
struct local_alignment_log {
    alignment_scores scores;

    static kernel_info info() {
        return {"local_alignment_log",
                {},
                "ln(local_alignment(s, t))/beta",
                strings::kind,
                alignment_scores::parameters(false),
                "no rule: the logarithm of a kernel need not be a kernel",
                false,
                {}};
    }
    static local_alignment_log from(const mercer::arguments& given) { return {alignment_scores::from(given)}; }
    void check() const { scores.check("local_alignment_log"); }
    std::vector<argument> arguments() const { return scores.arguments(); }
    int emit(plan_builder& code) const { return scores.emit_log(code, "local_alignment_log", 1 / scores.beta); }
};

}  // namespace mercer

// Local alignment (Saigo, Vert, Ueda, Akutsu 2004): the sum over all local alignments of s and t, the empty one
// included, of e^(beta·score). An alignment is a choice of pairs of letters in order; its score is that of its pairs,
// less open + (l-1)·extend for every l letters of s, or of t, left out between two pairs.
//
// Why it is a kernel: a convolution of kernels on the parts: constants, functions of a gap in s times the same function
// of a gap in t, and e^(beta·score) of two letters, which is (e^(beta·match) - e^(beta·mismatch))·[a = b] +
// e^(beta·mismatch), with weights >= 0 where match >= mismatch. Its logarithm, which people use because the sum is
// large on the diagonal, is no kernel in general.
#pragma once

#include "mercer/data/strings.h"
#include "mercer/kernels/kernel_info.h"

namespace mercer {

struct alignment_scores {
    double beta = 0.5, match = 2, mismatch = -1, open = 3, extend = 1;

    static std::vector<parameter_info> parameters(bool proven) {
        return {{"beta", "0.5", "beta > 0", "how much the best alignments count more than others"},
                {"match", "2", "", "score of a letter and the same letter"},
                {"mismatch", "-1", proven ? "mismatch <= match" : "", "score of two different letters"},
                {"open", "3", "", "cost of the first letter of a gap"},
                {"extend", "1", "", "cost of every other letter of a gap"}};
    }
    static alignment_scores from(const mercer::arguments& given) {
        return {given.number("beta", 0.5), given.number("match", 2), given.number("mismatch", -1),
                given.number("open", 3), given.number("extend", 1)};
    }
    void check(const char* owner) const;
    std::vector<argument> arguments() const { return {beta, match, mismatch, open, extend}; }
    // ln of the sum, times `scale`
    int emit_log(plan_builder& code, const char* owner, double scale) const;
    int emit_sum(plan_builder& code, const char* owner) const;
};

// The sum itself. normalize() works on its logarithm and never leaves the range of floating point.
struct local_alignment {
    alignment_scores scores;

    static kernel_info info() {
        return {"local_alignment",
                {},
                "sum over local alignments of s and t of exp(beta*score)",
                strings::where,
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

// Its logarithm over beta: for large beta the Smith-Waterman score.
struct local_alignment_log {
    alignment_scores scores;

    static kernel_info info() {
        return {"local_alignment_log",
                {},
                "ln(local_alignment(s, t))/beta",
                strings::where,
                alignment_scores::parameters(false),
                "the logarithm of a kernel need not be one; no rule makes it one",
                false,
                {}};
    }
    static local_alignment_log from(const mercer::arguments& given) { return {alignment_scores::from(given)}; }
    void check() const { scores.check("local_alignment_log"); }
    std::vector<argument> arguments() const { return scores.arguments(); }
    int emit(plan_builder& code) const { return scores.emit_log(code, "local_alignment_log", 1 / scores.beta); }
};

}  // namespace mercer

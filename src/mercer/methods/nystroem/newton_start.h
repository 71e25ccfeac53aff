// Where to begin with many rows: where some of them lead.
//
// The problem of n rows and that of s of them, each standing for n/s, have minima near each other while the ridge is
// large beside what chance makes of s rows; and a pass over the s costs s/n of one over all. So the ridge comes down on
// these first (nystroem_newton.h), and where each level ends is judged by other rows: P of all, as they estimate it.
// The last point before it rises, or leaves what the s rows themselves say of P by half of that, is the start, with its
// level: from there on they fit themselves and not the others. (Solved to the end, mnist with M = 200 and C = 100 took
// 92 passes in place of 53; from γ = 0 it takes 67.)
#pragma once

#include "mercer/methods/nystroem/nystroem_newton.h"

namespace mercer {

// `rows`: of the whole problem, whose options `whole` are. k has the s rows, `others` those that judge.
newton_start start_on_some(const nystroem_operator& k, row_losses& some, const gram_batches<double>& others,
                           row_losses& judges, double rows, const nystroem_newton_options& whole);

}  // namespace mercer

// By what the solver chooses among its ways. The values were chosen by measurement on the sets of bench/svm; none
// changes the answer, so that tests set others to force a way: blocks of a few points, many levels, Newton's method at
// once.
#pragma once

#include <cstdint>
#include <limits>

#include "mercer/solvers/smo/row_store.h"

namespace mercer::smo {

inline constexpr double infinity = std::numeric_limits<double>::infinity();

struct limits {
    row_limits rows_kept;
    index whole_size = 1000;     // so many active points or fewer are one block: their whole Gram matrix is computed
    index most_whole = 4096;     // and so many, where smaller blocks have not led to the end
    double whole_rows = 2;       // when as many rows as they are, times this, have been used
    index largest_block = 1024;  // otherwise a block is an eighth of the active points, within these
    index smallest_block = 256;
    index most_free = row_store::in_use;  // and larger, up to this, where many variables are free
    index first_level = 512;              // the coarsest sample has at least this many points
    index level_ratio = 8;                // and each finer one so many times more
    double coarse_gap = 0.1;              // a level is solved to this gap (in standard deviations of p)
    double refinement = 0.1;              // then each look at all points to this share of the gap before
    double likely_margin =
        0.3;                    // points this far beyond the offset (in standard deviations of p) are set aside for now
    double inner_share = 0.1;   // a block is solved to this share of the outer gap
    double look_share = 0.4;    // with more than this share of them in doubt, all points are looked at
    double shrink_share = 0.2;  // points are set aside when at least this share of the active ones can be
    double hopeless =
        1e10;  // ‖w‖²·k(x, x) needed, beyond which a hard margin is given up: a margin of 1e-5 of the radius
    double rounding = 1e-14;   // a gap of this share of the largest |F| is lost in rounding
    int most_vain_rounds = 3;  // where so many blocks have not halved it
    int most_denied = 25;      // ends denied by exact kernel values before the solver gives up
    index sample_size = 64;    // points whose F is recomputed in double to see how far float kernel values have led
    std::int64_t first_patience =
        50;  // pair steps per active point before Newton's method is tried; doubled when it does not help
    std::int64_t most_patience = 800;
    double factor_cycles =
        1.0 / 6;                // what a few factorisations take for every m³: pairs must have worked as long before
    bool guess = true;          // who is at a bound, before a barrier is asked
    index most_features = 300;  // columns of a Φ with K = ΦΦᵀ
    index most_newton = 8000;   // variables it is tried with
    int most_newtons = 10;      // times it is tried before the solver gives up
    int most_vain_newtons = 5;  // and so often when it finds again what it found before
    int most_last_tries = 3;    // and so often where pairs have come to rest short of the end
    double quick_barrier =
        5e7;  // cycles that a barrier may take however little pairs have done; more, only eight times what they have
    index most_barrier = 2500;    // active points up to which a barrier takes all of them
    index most_exact = 30000000;  // kernel values in double that Newton's method may ask for at its end
    double little = 1e6;          // kernel values in double that are no matter at the end
    double little_work = 250;     // one in so many kernel values more is no matter
    double safety = 4;            // the largest error seen there is multiplied by this
};

// What solvers take when they are made; not to be changed while one is.
limits& limits_in_force();

}  // namespace mercer::smo

// Compiled once per instruction set, like kernels/evaluation/formula_loops.cpp.
#include <hwy/highway.h>

#include <cstdint>
#include <limits>

#include "mercer/solvers/smo/pair_loop.h"

namespace mercer::smo::MERCER_SIMD_TARGET {
namespace {

namespace hn = hwy::HWY_NAMESPACE;
using size = std::int64_t;

template <class R>
using tag = hn::ScalableTag<R>;
template <class R>
constexpr size lanes = static_cast<size>(hn::MaxLanes(tag<R>()));

constexpr double infinity = __builtin_inf();

// Kernel values are float; the inner F may be float or double.
HWY_INLINE hn::Vec<tag<float>> load_kernel(tag<float> d, const float* p) { return hn::LoadU(d, p); }
HWY_INLINE hn::Vec<tag<double>> load_kernel(tag<double> d, const float* p) {
    const hn::Rebind<float, tag<double>> half;
    return hn::PromoteTo(d, hn::LoadU(half, p));
}

template <class R>
struct best {
    R value;
    size at;
};

// The largest lane and its position; the smallest position among equal lanes.
template <class R, class V, class I>
HWY_INLINE best<R> reduce(V value, I at) {
    const tag<R> d;
    const hn::RebindToSigned<tag<R>> di;
    alignas(64) R v[lanes<R>];
    alignas(64) hn::TFromD<decltype(di)> i[lanes<R>];
    hn::Store(value, d, v);
    hn::Store(at, di, i);
    best<R> found{v[0], static_cast<size>(i[0])};
    for (size k = 1; k < lanes<R>; ++k)
        if (v[k] > found.value || (v[k] == found.value && static_cast<size>(i[k]) < found.at))
            found = {v[k], static_cast<size>(i[k])};
    return found;
}

// The variable of the up set with the largest F, and the smallest F of the low set, of one group.
template <class R>
struct scan_result {
    best<R> up;
    R min_low;
};

// One pass over a group: F -= step·(K_i - K_j) if `update`, and the scan for the next pair.
template <class R, bool update>
HWY_INLINE scan_result<R> scan(pair_problem<R>& p, int g, const float* Ki, const float* Kj, R step) {
    const tag<R> d;
    const hn::RebindToSigned<tag<R>> di;
    using I = hn::TFromD<decltype(di)>;
    auto top = hn::Set(d, static_cast<R>(-infinity));
    auto low = hn::Set(d, static_cast<R>(infinity));
    auto at = hn::Zero(di);
    auto position = hn::Iota(di, static_cast<I>(p.begin[g]));
    const auto hop = hn::Set(di, static_cast<I>(lanes<R>));
    const auto t = hn::Set(d, step);
    for (size k = p.begin[g]; k < p.end[g]; k += lanes<R>) {
        auto f = hn::Load(d, p.F + k);
        if constexpr (update) {
            f = hn::NegMulAdd(t, hn::Sub(load_kernel(d, Ki + k), load_kernel(d, Kj + k)), f);
            hn::Store(f, d, p.F + k);
        }
        const auto candidate = hn::Add(f, hn::Load(d, p.up + k));
        const auto larger = hn::Gt(candidate, top);
        top = hn::Max(candidate, top);
        at = hn::IfThenElse(hn::RebindMask(di, larger), position, at);
        low = hn::Min(low, hn::Add(f, hn::Load(d, p.low + k)));
        position = hn::Add(position, hop);
    }
    return {reduce<R>(top, at), hn::GetLane(hn::MinOfLanes(d, low))};
}

// Second-order selection (Fan, Chen, Lin 2005): the j with the largest decrease (F_i - F_j)²/(K_ii + K_jj - 2K_ij).
// In float the reciprocal is approximate, because it only ranks candidates.
template <class R>
HWY_INLINE best<R> select_partner(const pair_problem<R>& p, int g, size i, R Fi) {
    const tag<R> d;
    const hn::RebindToSigned<tag<R>> di;
    using I = hn::TFromD<decltype(di)>;
    const float* Ki = p.K + i * p.stride;
    const auto fi = hn::Set(d, Fi), kii = hn::Set(d, static_cast<R>(p.diagonal[i])), minus_two = hn::Set(d, R(-2));
    const auto tau = hn::Set(d, static_cast<R>(p.tau)), zero = hn::Zero(d);
    auto top = zero;
    auto at = hn::Set(di, I(-1));
    auto position = hn::Iota(di, static_cast<I>(p.begin[g]));
    const auto hop = hn::Set(di, static_cast<I>(lanes<R>));
    for (size k = p.begin[g]; k < p.end[g]; k += lanes<R>) {
        // Padded positions and variables at their lower bound have F + low = +∞, so their difference is -∞.
        const auto b = hn::Sub(fi, hn::Add(hn::Load(d, p.F + k), hn::Load(d, p.low + k)));
        const auto a =
            hn::Max(hn::MulAdd(minus_two, load_kernel(d, Ki + k), hn::Add(kii, load_kernel(d, p.diagonal + k))), tau);
        auto gain = zero;
        if constexpr (sizeof(R) == 4)
            gain = hn::Mul(hn::Mul(b, b), hn::ApproximateReciprocal(a));
        else
            gain = hn::Div(hn::Mul(b, b), a);
        const auto better = hn::And(hn::Gt(b, zero), hn::Gt(gain, top));
        top = hn::IfThenElse(better, gain, top);
        at = hn::IfThenElse(hn::RebindMask(di, better), position, at);
        position = hn::Add(position, hop);
    }
    best<R> found = reduce<R>(top, at);
    if (found.value <= 0) found.at = -1;
    return found;
}

// Sets `up` and `low` of position k from α.
template <class R>
HWY_INLINE void update_limits(pair_problem<R>& p, size k) {
    const auto tube = static_cast<R>(p.tube);
    p.up[k] = p.alpha[k] < p.upper[k] ? (p.alpha[k] < 0 ? tube : -tube) : static_cast<R>(-infinity);
    p.low[k] = p.alpha[k] > p.lower[k] ? (p.alpha[k] > 0 ? -tube : tube) : static_cast<R>(infinity);
}

// Increases α_i and decreases α_j by t, or by less if a bound or the kink of |α| at 0 comes first. Returns the step.
template <class R>
HWY_INLINE double move_pair(pair_problem<R>& p, size i, size j, double t) {
    const double top = p.tube > 0 && p.alpha[i] < 0 ? 0.0 : p.upper[i];
    const double bottom = p.tube > 0 && p.alpha[j] > 0 ? 0.0 : p.lower[j];
    const double slack_i = top - p.alpha[i], slack_j = p.alpha[j] - bottom;
    if (t >= slack_i && slack_i <= slack_j) {
        p.alpha[j] -= slack_i;
        p.alpha[i] = top;
        if (slack_i == slack_j) p.alpha[j] = bottom;
        return slack_i;
    }
    if (t >= slack_j) {
        p.alpha[i] += slack_j;
        p.alpha[j] = bottom;
        return slack_j;
    }
    // t is rounded to a step that the larger of the two represents exactly. Otherwise rounding would change the sum of
    // the two variables, and a million of such steps would change the problem.
    t = __builtin_fabs(p.alpha[i]) > __builtin_fabs(p.alpha[j]) ? (p.alpha[i] + t) - p.alpha[i]
                                                                : p.alpha[j] - (p.alpha[j] - t);
    p.alpha[i] += t;
    p.alpha[j] -= t;
    return t;
}

template <class R>
void solve(pair_problem<R>& p) {
    scan_result<R> state[2];
    for (int g = 0; g < p.groups; ++g) state[g] = scan<R, false>(p, g, nullptr, nullptr, R(0));
    for (;;) {
        // The group that violates its condition most.
        int g = 0;
        double gap = static_cast<double>(state[0].up.value) - static_cast<double>(state[0].min_low);
        if (p.groups == 2) {
            const double other = static_cast<double>(state[1].up.value) - static_cast<double>(state[1].min_low);
            if (other > gap) g = 1, gap = other;
        }
        p.gap = gap;
        // A few units of the last place of F: a step could leave F as it is, and the same pair would go on and on.
        const double rounding =
            4 * std::numeric_limits<R>::epsilon() * __builtin_fabs(static_cast<double>(state[g].min_low));
        if (!(gap > p.target_gap) || gap <= rounding || p.steps >= p.max_steps) break;
        const size i = state[g].up.at;
        const best<R> second = select_partner(p, g, i, state[g].up.value);
        if (second.at < 0) break;
        const size j = second.at;
        const float *Ki = p.K + i * p.stride, *Kj = p.K + j * p.stride;
        double a = static_cast<double>(p.diagonal[i]) + p.diagonal[j] - 2.0 * Ki[j];
        const double scale =
            __builtin_fabs(static_cast<double>(p.diagonal[i])) + __builtin_fabs(static_cast<double>(p.diagonal[j]));
        if (a <= 1e-6 * scale) {
            if (a < -1e-6 * scale)
                ++p.concave_steps;
            else
                ++p.flat_steps;
        }
        if (a < p.tau) a = p.tau;
        // The optimal step along α_i + α_j = const.
        double t = (static_cast<double>(p.F[i]) + static_cast<double>(p.up[i]) - static_cast<double>(p.F[j]) -
                    static_cast<double>(p.low[j])) /
                   a;
        t = move_pair(p, i, j, t);
        if (t == 0) break;
        update_limits(p, i);
        update_limits(p, j);
        ++p.steps;
        for (int h = 0; h < p.groups; ++h) state[h] = scan<R, true>(p, h, Ki, Kj, static_cast<R>(t));
    }
}

const pair_loop table{lanes<float>, solve<float>, solve<double>};

}  // namespace

const pair_loop& pairs() { return table; }

}  // namespace mercer::smo::MERCER_SIMD_TARGET

// Matérn, with r = ‖x-z‖/ℓ:  ν = ½: e^(-r);  ν = 3/2: (1+√3 r) e^(-√3 r);  ν = 5/2: (1+√5 r+5r²/3) e^(-√5 r).
#pragma once

#include <cmath>

#include "mercer/kernels/kernel_info.h"

namespace mercer {

// The three formulas as functions of the squared distance ‖x-z‖², with s = 1/ℓ and t = √3 r or √5 r. For t >= 1e4 the
// formulas underflow to 0 in float and double; limiting t to 1e4 avoids ∞·0.
struct matern12 {
    double s;
    template <class R>
    R operator()(R squared_distance) const {
        using std::exp, std::sqrt;
        return exp(-s * R(sqrt(squared_distance)));
    }
};
struct matern32 {
    double s;
    template <class R>
    R operator()(R squared_distance) const {
        using std::exp, std::sqrt;
        const R t = at_most(R((s * std::sqrt(3.0)) * R(sqrt(squared_distance))), 1e4);
        return (1.0 + t) * exp(-1.0 * t);
    }
};
struct matern52 {
    double s;
    template <class R>
    R operator()(R squared_distance) const {
        using std::exp, std::sqrt;
        const R t = at_most(R((s * std::sqrt(5.0)) * R(sqrt(squared_distance))), 1e4);
        return (1.0 + t + (1.0 / 3) * (t * t)) * exp(-1.0 * t);
    }
};

struct matern {
    double nu = 1.5;
    double length_scale = 1;

    static kernel_info info() {
        return {"matern",
                {},
                "nu=1/2: e^-r; 3/2: (1+sqrt3 r)e^(-sqrt3 r); 5/2: (1+sqrt5 r+5r^2/3)e^(-sqrt5 r); r=|x-z|/length_scale",
                object_kind::vectors,
                {{"nu", "1.5", "nu = 0.5, 1.5 or 2.5", "smoothness: the larger, the smoother"},
                 {"length_scale", "1", "length_scale > 0", "width: the unit in which distances are measured"}},
                "Matérn: the Fourier transform of a positive density, a Student t (Bochner)",
                true,
                {.stationary = true, .radial = true, .normalised = true}};
    }
    static matern from(const mercer::arguments& given) {
        return {given.number("nu", 1.5), given.number("length_scale", 1)};
    }
    void check() const {
        require(nu == 0.5 || nu == 1.5 || nu == 2.5, "matern", "nu = 0.5, 1.5 or 2.5", nu);
        require(length_scale > 0 && std::isfinite(length_scale), "matern", "length_scale > 0", length_scale);
    }
    std::vector<argument> arguments() const { return {nu, length_scale}; }

    static constexpr pair_statistic statistic = pair_statistic::dot;
    static constexpr map_input input = map_input::squared_distance;
    template <class Use>
    void choose(Use use) const {
        const double s = 1 / length_scale;
        if (nu == 0.5) return use(matern12{s});
        if (nu == 1.5) return use(matern32{s});
        use(matern52{s});
    }
};

}  // namespace mercer

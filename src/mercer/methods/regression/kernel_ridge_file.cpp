// Kernel ridge regressions as files.
#include <cmath>

#include "mercer/methods/codec.h"
#include "mercer/methods/regression/kernel_ridge.h"

namespace mercer {

template <>
struct file_form<kernel_ridge_model> {
    static constexpr std::string_view format = "mercer-kernel-ridge-model";
    // 1: without status and residual. 2: with those of all outputs together, or, where each had its own λ, of the first
    static constexpr int version = 3;

    static void parts(auto& a, auto& m) {
        a.numbers(m.alpha);
        a.check(m.alpha >= 0 && std::isfinite(m.alpha), "alpha is {}", m.alpha);
        a.part(m.f);
        if (a.version() > 1) {
            a.status(m.status);
            a.numbers(m.residual);
        }
        if (a.version() > 2) {
            a.list("output_alphas", m.output_alphas, m.f.functions());
            a.list("residuals", m.residuals, m.f.functions());
            a.numbers(m.tol);
            for (const std::vector<double>* each : {&m.output_alphas, &m.residuals})
                a.check(each->empty() || std::ssize(*each) == m.f.functions(), "{} numbers for {} outputs",
                        each->size(), m.f.functions());
        }
        if (a.flag("loo", m.loo.rows() > 0)) a.table(m.loo, m.f.training_size, m.f.functions());
        if (!a.flag("factor", m.factor.rows() > 0)) return;
        a.upper_triangle(m.factor, m.f.size());
        for (index i = 0; i < m.f.size(); ++i)
            a.check(m.factor(i, i) > 0, "pivot {} of the factor is {}", i, m.factor(i, i));
    }
};
template struct model_file<kernel_ridge_model>;

}  // namespace mercer

// Checks fits on inputs made to break a solver.
#pragma once

#include <chrono>
#include <cstdio>

#include "methods/svm/svm_support.h"

namespace mercer::svm_testing {

// The fit converged and is correct, or its status says that it did not, with a feasible model and a correct gap; it
// ended within a multiple of the time limit.
inline svm_model ends(const formula& k, const sample& s, svm_options o, bool must_converge) {
    SCOPED_TRACE(k.text);
    o.max_seconds = must_converge ? 200 : 0.4;  // 200: a safeguard for sanitizers on a busy machine
    const auto started = std::chrono::steady_clock::now();
    const svm_model model = fit(k, s, o);
    EXPECT_LT(std::chrono::duration<double>(std::chrono::steady_clock::now() - started).count(),
              250);  // a watchdog, not a measurement
    const matrix<double> K = gram_matrix(s.x, k);
    const statement question{o, s.y, K.view()};
    if (must_converge || model.worst_status() == fit_status::converged) {
        svm_contract::check_svm(model, question);
    } else {
        for (const auto& b : svm_contract::take_apart(model, question)) {
            svm_contract::check_feasible(b);
            EXPECT_TRUE(std::isfinite(b.report.gap));
            EXPECT_GE(b.report.gap, 0);
            // A fit that the solver ended itself is never worse than its start.
            if (b.report.status == fit_status::stalled &&
                (b.task == svm_task::c_svc || b.task == svm_task::epsilon_svr)) {
                EXPECT_LE(svm_contract::recomputed_objective(b), b.noise() * b.mass);
                EXPECT_NEAR(b.report.gap, svm_contract::recomputed_gap(b), 0.01 * b.report.gap + b.noise());
            }
        }
        std::printf("    [hard] %s n=%ld C=%g tol=%g: %s, gap %.3g, %ld steps, %ld rounds, %ld flat, %.2f s\n",
                    k.text.c_str(), static_cast<long>(s.size()), o.C, o.tol, name(model.reports[0].status),
                    model.reports[0].gap, static_cast<long>(model.reports[0].steps),
                    static_cast<long>(model.reports[0].rounds), static_cast<long>(model.reports[0].flat_steps),
                    model.reports[0].seconds);
    }
    return model;
}

inline std::string why(const formula& k, const sample& s, const svm_options& o) {
    return failure([&] { fit(k, s, o); });
}

}  // namespace mercer::svm_testing

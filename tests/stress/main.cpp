// mercer_stress: solves random problems of all five tasks in one process and checks every result by the definition.
// Each failure is printed with the seed that reproduces the problem.
#include <fmt/format.h>
#include <malloc.h>
#include <sys/time.h>
#include <unistd.h>

#include <algorithm>
#include <chrono>
#include <cmath>
#include <csignal>
#include <cstring>
#include <limits>
#include <map>

#include "mercer/base/error.h"
#include "mercer/base/threads.h"
#include "stress/judge.h"
#include "stress/libsvm.h"

namespace mercer::stress {
namespace {

struct settings {
    std::uint64_t seed = 1;
    std::int64_t problems = std::numeric_limits<std::int64_t>::max();
    double seconds = std::numeric_limits<double>::infinity();
    unsigned patience = 300;  // seconds of processor time for one problem
    index compare = 4;        // one in this many problems is also given to LIBSVM
    bounds within;
    bool verbose = false;
};

// ---- message if a problem ends the process ----

char last_words[600];

void end_badly(int signal) {
    const char* why = signal == SIGALRM || signal == SIGPROF ? "\nFAILED: no end: " : "\nFAILED: crashed: ";
    [[maybe_unused]] auto written = write(STDOUT_FILENO, why, std::strlen(why));
    written = write(STDOUT_FILENO, last_words, std::strlen(last_words));
    _exit(1);
}

// Set by Ctrl-C: the current problem is the last one.
volatile std::sig_atomic_t stopped = 0;
void stop(int) { stopped = 1; }

// Limits the processor time in seconds, and the elapsed time to twenty times as much because other programs may use the
// processor. 0: no limit.
void limit_time(unsigned seconds) {
    itimerval timer{};
    timer.it_value.tv_sec = seconds;
    setitimer(ITIMER_PROF, &timer, nullptr);
    alarm(20 * seconds);
}

void remember(const std::string& words) { std::strncpy(last_words, (words + "\n").c_str(), sizeof last_words - 1); }

// ---- one problem ----

struct count {
    std::int64_t problems = 0, fits = 0, compared = 0, slower = 0, refused = 0, failed = 0;
    double worst_objective = 0;  // largest relative excess of Mercer's objective over LIBSVM's
};

svm_model fit(const problem& p, const svm_options& o) {
    if (p.K.rows() > 0) return fit_svm_precomputed(p.K.view(), p.y, o);
    return fit_svm(kernel::parse(p.k.text()), p.objects, p.y, o);
}

svm_model answer(const problem& p) {
    if (!p.go_on) return fit(p, p.options);
    svm_options before = p.options;
    before.C *= 3;
    before.tol *= 10;
    const svm_model start = fit(p, before);
    svm_options now = p.options;
    now.start = &start;
    return fit(p, now);
}

std::vector<machine> machines_of(const problem& p, const svm_model& model) {
    std::vector<std::vector<double>> coef;
    for (index m = 0; m < model.coef.rows(); ++m)
        coef.emplace_back(model.coef.row(m), model.coef.row(m) + model.coef.cols());
    std::vector<machine> made = machines(p, model.classes, model.scheme, model.support_rows, coef, model.offset);
    for (std::size_t m = 0; m < made.size(); ++m) made[m].no_margin = model.reports[m].no_margin;
    return made;
}

// Returns an error message on one binary model; empty if it is correct.
std::string complaint(const problem& p, const svm_report& said, const verdict& v) {
    if (!v.infeasible.empty()) return v.infeasible;
    const double tol = p.options.tol;
    if (said.status == fit_status::stalled) {
        // Newton's method in double needs the matrix twice; if this exceeds the budget, only float kernel values are
        // used.
        const double variables =
            static_cast<double>(v.alpha.size()) *
            (p.options.task == svm_task::epsilon_svr || p.options.task == svm_task::nu_svr ? 2 : 1);
        if (2 * sizeof(double) * variables * variables >
            std::max(0.25 * static_cast<double>(p.options.memory_bytes), 16e6))
            return {};
        if (v.noise < 0.02 * v.allowed_gap)
            return fmt::format("stalled at a gap of {:.3g} (said {:.3g}), where rounding in double is {:.1g}", v.gap,
                               said.gap, v.noise);
        return {};
    }
    if (!is_optimal(said.status)) return fmt::format("ended with \"{}\"", name(said.status));
    if (said.status == fit_status::stationary && p.k.positive() && p.K.rows() == 0)
        return "stationary, with a kernel that is positive semidefinite";
    if (v.gap > v.allowed_gap + v.noise) return fmt::format("the gap is {:.6g}, said to be {:.6g}", v.gap, said.gap);
    if (v.duality > v.allowed_duality && p.k.positive())
        return fmt::format("the duality gap is {:.6g}, at most {:.6g} was to be expected", v.duality,
                           v.allowed_duality);
    const double mass = [&] {
        double sum = 0;
        for (const double a : v.alpha) sum += std::abs(a);
        return sum;
    }();
    // α and α* of an example may cancel in the model, but their rounding remains in the objective.
    const double cancelled = 1e-15 * (std::isfinite(p.options.C) ? p.options.C : 1.0);
    if (std::abs(said.objective - v.objective) > 1e-6 * std::abs(v.objective) + mass * (tol / 16 + v.noise) + cancelled)
        return fmt::format("the objective is {:.9g}, said to be {:.9g}", v.objective, said.objective);
    return {};
}

// Compares with LIBSVM by convexity: Mercer's objective may exceed LIBSVM's by at most Mercer's gap, whatever LIBSVM's
// gap is.
std::string compare(const problem& p, const svm_model& model, const std::vector<verdict>& ours, const settings& s,
                    count& c) {
    const auto theirs = libsvm_answer(p, s.patience / 10);
    ++c.compared;
    if (!theirs) {
        ++c.slower;
        return {};
    }
    for (std::size_t m = 0; m < ours.size(); ++m) {
        const verdict other = judge(p, (*theirs)[m]);
        if (!other.infeasible.empty()) continue;  // its gap exceeds its own tolerance
        if (model.reports[m].status == fit_status::stalled) {
            if (other.gap <= 1.5 * ours[m].allowed_gap)
                return fmt::format("stalled at a gap of {:.3g}, where LIBSVM reaches {:.3g}", ours[m].gap, other.gap);
            continue;
        }
        double apart = ours[m].reach;
        for (std::size_t i = 0; i < ours[m].alpha.size(); ++i) apart += std::abs(ours[m].alpha[i] - other.alpha[i]);
        const double above = ours[m].objective - other.objective, scale = std::abs(other.objective);
        c.worst_objective = std::max(c.worst_objective, above / (scale + 1e-300));
        if (p.k.positive() && above > 0.5 * ours[m].gap * apart + 1e-9 * scale + 4 * ours[m].noise * apart)
            return fmt::format("the objective is {:.9g}, LIBSVM's {:.9g}", ours[m].objective, other.objective);
    }
    return {};
}

std::string attempt(const problem& p, const settings& s, count& c) {
    smo::default_thresholds() = p.limits;
    set_threads(p.threads);
    mallopt(M_PERTURB, p.perturb);
    svm_model model;
    try {
        model = answer(p);
    } catch (const error& e) {
        // An infeasible ν and a missing margin are errors that the caller must handle.
        if (e.code() != errc::infeasible) return e.what();
        ++c.refused;
        return p.hard || p.options.task == svm_task::nu_svc ? std::string() : e.what();
    }
    c.fits += model.problems();
    std::vector<verdict> verdicts;
    const std::vector<machine> made = machines_of(p, model);
    for (std::size_t m = 0; m < made.size(); ++m) {
        verdicts.push_back(judge(p, made[m]));
        if (const std::string why = complaint(p, model.reports[m], verdicts.back()); !why.empty()) return why;
    }
    if (has_libsvm() && s.compare > 0 && p.seed % static_cast<std::uint64_t>(s.compare) == 0 && p.size() <= 2000 &&
        libsvm_can(p))
        return compare(p, model, verdicts, s, c);
    return {};
}

int run(const settings& s) {
    const auto started = std::chrono::steady_clock::now();
    const auto seconds = [&] {
        return std::chrono::duration<double>(std::chrono::steady_clock::now() - started).count();
    };
    for (const int each : {SIGSEGV, SIGBUS, SIGILL, SIGFPE, SIGABRT, SIGALRM, SIGPROF}) std::signal(each, end_badly);
    for (const int each : {SIGINT, SIGTERM}) std::signal(each, stop);
    count c;
    std::map<svm_task, std::int64_t> tasks;
    for (std::uint64_t seed = s.seed; c.problems < s.problems && seconds() < s.seconds && !stopped; ++seed) {
        const double before = seconds();
        const problem p = random_problem(seed, s.within);
        const std::string what = fmt::format("seed {}: {}", seed, p.text);
        remember(what);
        limit_time(s.patience);
        const std::string why = attempt(p, s, c);
        limit_time(0);
        ++c.problems;
        ++tasks[p.options.task];
        c.failed += !why.empty();
        if (!why.empty()) fmt::print("FAILED: {}\n        {}\n", what, why);
        if (s.verbose && why.empty()) fmt::print("{:.1f} s {}\n", seconds() - before, what);
        std::fflush(stdout);
    }
    fmt::print("stress: {} problems from seed {} in {:.0f} s ({} machines;", c.problems, s.seed, seconds(), c.fits);
    for (const auto& [task, many] : tasks) fmt::print(" {} {}", many, name(task));
    fmt::print("), {} given to LIBSVM{}, {} refused as infeasible, {} failed\n", c.compared,
               c.compared ? fmt::format(" (ours at most {:.1e} of the objective above; {} beyond its time)",
                                        c.worst_objective, c.slower)
                          : "",
               c.refused, c.failed);
    return c.failed > 0 ? 1 : 0;
}

}  // namespace
}  // namespace mercer::stress

int main(int count, char** arguments) {
    mercer::stress::settings s;
    for (int i = 1; i < count; ++i) {
        const std::string option = arguments[i];
        const auto number = [&] { return ++i < count ? std::atof(arguments[i]) : 0.0; };
        if (option == "--seed")
            s.seed = static_cast<std::uint64_t>(number());
        else if (option == "--problems")
            s.problems = static_cast<std::int64_t>(number());
        else if (option == "--seconds")
            s.seconds = number();
        else if (option == "--largest")
            s.within.largest = static_cast<mercer::index>(number());
        else if (option == "--compare")
            s.compare = static_cast<mercer::index>(number());
        else if (option == "--patience")
            s.patience = static_cast<unsigned>(number());
        else if (option == "--scaled")
            s.within.raw = false;
        else if (option == "--verbose")
            s.verbose = true;
        else {
            fmt::print(
                "mercer_stress [--seed N] [--problems N] [--seconds S] [--largest N] [--compare one in N with LIBSVM, "
                "0: none] [--patience S] [--scaled] "
                "[--verbose]\n");
            return 2;
        }
    }
    return mercer::stress::run(s);
}

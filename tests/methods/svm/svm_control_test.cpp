// Threads, limits, cancellation, progress, checkpoints.
#include <signal.h>
#include <sys/wait.h>
#include <unistd.h>

#include <chrono>
#include <limits>
#include <mutex>
#include <thread>

#include "mercer/methods/checkpoint.h"
#include "methods/svm/svm_support.h"

namespace mercer::svm_testing {
namespace {

using testing_support::contents;
using testing_support::scratch_folder;

class thread_count {
public:
    explicit thread_count(int count) : before_(threads()) { set_threads(count); }
    ~thread_count() { set_threads(before_); }

private:
    int before_;
};

std::vector<double> everything(const svm_model& m, const dataset& x) {
    std::vector<double> all(m.coef.data(), m.coef.data() + m.coef.rows() * m.coef.cols());
    all.insert(all.end(), m.offset.begin(), m.offset.end());
    for (const index row : m.support_rows) all.push_back(static_cast<double>(row));
    for (const auto& r : m.reports)
        for (const double v : {r.gap, r.objective, r.offset_low, r.offset_high, r.epsilon, static_cast<double>(r.steps),
                               static_cast<double>(r.rounds)})
            all.push_back(v);
    const matrix<double> f = decide(m, x);
    all.insert(all.end(), f.data(), f.data() + f.rows() * f.cols());
    return all;
}

TEST(svm_control, the_number_of_threads_changes_no_bit) {
    const sample digits = every(load("digits.svm.xz"), 4), blobs = clouds(2600, 3, 1.5, 0.1, 7),
                 waves = wave(900, 2, 3), few = clouds(600, 2, 1, 0.1, 2);
    struct run {
        const sample* s;
        svm_task task;
        double gamma;
        std::size_t memory;
    };
    for (const auto& [s, task, gamma, memory] :
         {run{&digits, svm_task::c_svc, 0.001, std::size_t{200} << 20}, run{&digits, svm_task::c_svc, 0.001, 100000},
          run{&blobs, svm_task::c_svc, 0.5, std::size_t{200} << 20}, run{&blobs, svm_task::c_svc, 0.5, 1 << 20},
          run{&blobs, svm_task::one_class, 0.5, 0}, run{&few, svm_task::nu_svc, 2, std::size_t{64} << 20},
          run{&waves, svm_task::epsilon_svr, 1, std::size_t{64} << 20}, run{&waves, svm_task::nu_svr, 1, 1 << 20}}) {
        svm_options o = options_for(task, 5);
        o.nu = 0.6;
        o.memory_bytes = memory;
        std::vector<double> first;
        for (const int count : {1, 2, 3}) {
            const thread_count limit(count);
            const auto found = everything(fit(rbf(gamma), *s, o), dense_data(s->x));
            if (count == 1) first = found;
            ASSERT_EQ(found, first) << name(task) << ", " << count << " threads, " << memory << " bytes";
        }
    }
}

TEST(svm_control, step_limits) {
    const sample s = clouds(1800, 2, 1, 0.1, 3), h = standardised(load("housing.svm"));
    const matrix<double> K = gram_matrix(s.x, rbf(1)), H = gram_matrix(h.x, rbf(1));
    for (const auto task :
         {svm_task::c_svc, svm_task::nu_svc, svm_task::one_class, svm_task::epsilon_svr, svm_task::nu_svr}) {
        const bool regression = task == svm_task::epsilon_svr || task == svm_task::nu_svr;
        const sample& data = regression ? h : s;
        double before = std::numeric_limits<double>::infinity();
        for (const std::int64_t most : {0, 1, 10, 400}) {
            svm_options o = options_for(task, 10, 1e-5);
            o.nu = 0.6;
            o.max_steps = most;
            const svm_model m = fit(rbf(1), data, o);
            SCOPED_TRACE(std::string(name(task)) + ", " + std::to_string(most) + " steps");
            ASSERT_EQ(m.reports[0].status, fit_status::step_limit);
            EXPECT_LE(m.reports[0].steps, most);
            if (task != svm_task::nu_svr &&
                task != svm_task::nu_svc) {  // for ν-SVR the gap is a function of α - α* only at the end
                svm_contract::check_unfinished(m, {o, data.y, (regression ? H : K).view()}, 5e-5);
            }
            EXPECT_LE(m.reports[0].objective, before + 1e-9);  // every step is an improvement
            before = m.reports[0].objective;
            EXPECT_EQ(static_cast<index>(predict(m, dense_data(data.x)).size()), data.size());
        }
    }
}

// A problem that takes some time: noise that a narrow kernel can fit.
const sample& slow_sample() {
    static const sample s = clouds(2500, 2, 0.5, 0.3, 4);
    return s;
}
// Float kernel values have an error of about 1e-5 here (‖x‖² up to 20 times gamma, 6e-8 each), and errors of different
// points partly cancel.
double slow_error(const svm_model& m) {
    double squares = 0;
    for (index i = 0; i < m.coef.cols(); ++i) squares += m.coef(0, i) * m.coef(0, i);
    return 2e-5 * std::sqrt(squares);
}
svm_options slow_options() { return options_for(svm_task::c_svc, 1e4, 1e-6); }

TEST(svm_control, time_limits) {
    const sample& s = slow_sample();
    const matrix<double> K = gram_matrix(s.x, rbf(10));
    for (const double seconds : {0.0, 0.02, 0.1}) {
        svm_options o = slow_options();
        o.max_seconds = seconds;
        const svm_model m = fit(rbf(10), s, o);
        ASSERT_EQ(m.reports[0].status, fit_status::time_limit);
        EXPECT_LT(m.reports[0].seconds, 20);
        svm_contract::check_unfinished(m, {o, s.y, K.view()}, slow_error(m));
    }
    // With many problems, those that started after the time limit have a model too.
    const sample digits = every(load("digits.svm.xz"), 8);
    svm_options o = options_for(svm_task::c_svc);
    o.max_seconds = 0;
    const svm_model m = fit(rbf(0.001), digits, o);
    ASSERT_EQ(m.problems(), 45);
    EXPECT_EQ(m.worst_status(), fit_status::time_limit);
    EXPECT_EQ(predict(m, dense_data(digits.x)).size(), digits.y.size());
}

TEST(svm_control, progress_and_cancellation) {
    const sample& s = slow_sample();
    const matrix<double> K = gram_matrix(s.x, rbf(10));
    svm_options o = slow_options();
    std::vector<svm_progress> seen;
    o.progress = [&](const svm_progress& now) {
        seen.push_back(now);
        return seen.size() < 3;
    };
    const svm_model m = fit(rbf(10), s, o);
    ASSERT_EQ(m.reports[0].status, fit_status::cancelled)
        << "the problem is no longer slow: " << m.reports[0].seconds << " s";
    ASSERT_EQ(seen.size(), 3u);
    svm_contract::check_unfinished(m, {o, s.y, K.view()}, slow_error(m));
    for (std::size_t i = 0; i < seen.size(); ++i) {
        const smo_progress& p = seen[i].solver;
        EXPECT_EQ(seen[i].problem, 0);
        EXPECT_EQ(seen[i].problems, 1);
        EXPECT_TRUE(std::isfinite(p.gap) && p.gap > 0);
        EXPECT_GT(p.active, 0);
        EXPECT_LE(p.active, p.size);
        EXPECT_EQ(p.size, s.size());
        EXPECT_TRUE(p.cache_hits >= 0 && p.cache_hits <= 1);
        EXPECT_GE(p.seconds_left, 0);
        EXPECT_FALSE(std::isnan(p.seconds_left));
        EXPECT_GT(p.seconds, i > 0 ? seen[i - 1].solver.seconds : 0.0);
        EXPECT_GE(p.steps, i > 0 ? seen[i - 1].solver.steps : 1);
        EXPECT_GE(p.rounds, i > 0 ? seen[i - 1].solver.rounds : 1);
    }
}

TEST(svm_control, cancelling_one_of_many_problems_ends_all) {
    sample s = slow_sample();
    for (std::size_t i = 0; i < s.y.size(); ++i) s.y[i] = static_cast<double>(i % 3);
    svm_options o = slow_options();
    std::mutex lock;
    int calls = 0;
    o.progress = [&](const svm_progress& now) {
        const std::lock_guard guard(lock);
        EXPECT_EQ(now.problems, 3);
        EXPECT_LT(now.problem, 3);
        ++calls;
        return false;
    };
    const svm_model m = fit(rbf(10), s, o);
    EXPECT_EQ(calls, 1) << "after the first no further question";
    for (const auto& r : m.reports) EXPECT_EQ(r.status, fit_status::cancelled);
    EXPECT_EQ(predict(m, dense_data(s.x)).size(), s.y.size());
}

TEST(svm_control, errors_in_a_callback_reach_the_caller) {
    svm_options o = slow_options();
    o.progress = [](const svm_progress&) -> bool { throw std::runtime_error("no"); };
    EXPECT_THROW(fit(rbf(10), slow_sample(), o), std::runtime_error);
    o.progress = nullptr;
    o.checkpoint_file = "/nowhere/at/all";
    o.checkpoint_seconds = 0;
    EXPECT_EQ(failure([&] { fit(rbf(10), slow_sample(), o); }).substr(0, 10), "i/o error:");
}

// ---- checkpoints ----

TEST(svm_checkpoint, a_fit_goes_on_to_the_same_optimum) {
    const scratch_folder folder;
    const sample two = clouds(1800, 2, 1, 0.1, 3), three = standardised(load("iris.svm")), waves = wave(1000, 1, 2);
    for (const auto task :
         {svm_task::c_svc, svm_task::nu_svc, svm_task::one_class, svm_task::epsilon_svr, svm_task::nu_svr}) {
        const bool regression = task == svm_task::epsilon_svr || task == svm_task::nu_svr;
        const sample& s = regression ? waves : two;
        SCOPED_TRACE(name(task));
        svm_options o = options_for(task, 10);
        o.nu = 0.6;
        const svm_model whole = fit(rbf(1), s, o);
        o.checkpoint_file = folder.path(name(task));
        o.checkpoint_seconds = 0;
        o.max_steps = std::max<std::int64_t>(1, whole.reports[0].steps / 2);
        EXPECT_EQ(fit(rbf(1), s, o).reports[0].status, fit_status::step_limit);
        EXPECT_TRUE(std::filesystem::exists(o.checkpoint_file));
        o.max_steps = std::numeric_limits<std::int64_t>::max();
        const svm_model resumed = fit(rbf(1), s, o);
        const matrix<double> K = gram_matrix(s.x, rbf(1));
        svm_contract::check_svm(resumed, {o, s.y, K.view()});
        EXPECT_NEAR(resumed.reports[0].objective, whole.reports[0].objective,
                    2 * o.tol * 10 * static_cast<double>(s.size()));
        // The final state was written too: a third run makes no steps.
        EXPECT_EQ(fit(rbf(1), s, o).reports[0].steps, 0);
        EXPECT_EQ(folder.files(), 1u) << "no temporary files stay";
        std::filesystem::remove(o.checkpoint_file);
    }
    svm_options o = options_for(svm_task::c_svc, 10, 1e-5);
    o.checkpoint_file = folder.path("pairs");
    fit(rbf(0.25), three, o);
    EXPECT_EQ(folder.files(), 3u);  // one for each pair of classes
    for (const auto& r : fit(rbf(0.25), three, o).reports) EXPECT_EQ(r.steps, 0);
}

struct small_problem {
    std::vector<double> p{1, -1, 0.5}, lower{0, 0, 0}, upper{1, 1, 2}, sums{0, 0};
    checkpoint_problem key() const { return {p, lower, upper, sums}; }
};

TEST(svm_checkpoint, comes_back_as_written) {
    const scratch_folder folder;
    const std::string path = folder.path("c");
    const small_problem problem;
    EXPECT_EQ(read_checkpoint(path, problem.key()), std::nullopt);
    const std::vector<double> alpha{0.25, 1e-300, -0.0};
    write_checkpoint(path, problem.key(), alpha);
    const auto back = read_checkpoint(path, problem.key());
    ASSERT_TRUE(back);
    EXPECT_EQ(*back, alpha);
    EXPECT_TRUE(std::signbit((*back)[2]));
}

TEST(svm_checkpoint, damaged_and_foreign_files_are_errors) {
    const scratch_folder folder;
    const std::string path = folder.path("c");
    const small_problem problem;
    write_checkpoint(path, problem.key(), std::vector<double>{0.25, 0.5, 0.75});
    const std::string good = contents(path);
    const auto reading = [&](const std::string& bytes) {
        folder.write("c", bytes);
        return failure([&] { read_checkpoint(path, problem.key()); });
    };
    EXPECT_EQ(reading(good), "no error");
    for (std::size_t length = 0; length < good.size(); ++length)
        EXPECT_NE(reading(good.substr(0, length)), "no error") << length << " bytes";
    EXPECT_NE(reading(good + "x"), "no error");
    for (std::size_t at = 0; at < good.size(); ++at)
        for (const int bit : {0, 3, 7}) {
            std::string bad = good;
            bad[at] = static_cast<char>(bad[at] ^ (1 << bit));
            EXPECT_EQ(reading(bad).substr(0, 10), "i/o error:") << "byte " << at << ", bit " << bit;
        }
    EXPECT_NE(reading("1 1:0.5 2:3\n-1 1:2\n").find("not a checkpoint"), std::string::npos);
    EXPECT_NE(reading(std::string(100, 'x')).find("not a checkpoint"), std::string::npos);
    // a checkpoint of another problem: any of its numbers may differ
    folder.write("c", good);
    for (auto member : {&small_problem::p, &small_problem::lower, &small_problem::upper, &small_problem::sums}) {
        small_problem other;
        (other.*member)[1] += 0.125;
        EXPECT_NE(failure([&] { read_checkpoint(path, other.key()); }).find("another problem"), std::string::npos);
    }
    EXPECT_EQ(failure([&] { read_checkpoint(folder.path("."), problem.key()); }).substr(0, 10), "i/o error:");
}

TEST(svm_checkpoint, belongs_to_one_fit) {
    const scratch_folder folder;
    const sample s = clouds(200, 2, 2, 0.1, 3);
    for (const auto task : {svm_task::c_svc, svm_task::one_class, svm_task::nu_svr}) {
        svm_options o = options_for(task, 1);
        o.checkpoint_file = folder.path(name(task));
        fit(rbf(1), s, o);
        svm_options other = o;
        other.C = task == svm_task::c_svc ? 2 : 1;
        other.nu = 0.35;
        EXPECT_NE(failure([&] { fit(rbf(1), s, other); }).find("another problem"), std::string::npos) << name(task);
        EXPECT_NE(failure([&] { fit(rbf(1), every(s, 2), o); }).find("another problem"), std::string::npos);
        // Another kernel gives another K with the same bounds: the checkpoint is a valid start.
        const matrix<double> K = gram_matrix(s.x, rbf(0.3));
        svm_contract::check_svm(fit(rbf(0.3), s, o), {o, s.y, K.view()});
    }
}

// Runs `work` in a child process and kills it after the given number of microseconds.
template <class Work>
void kill_in_the_middle(int microseconds, Work work) {
    const pid_t child = ::fork();
    ASSERT_GE(child, 0);
    if (child == 0) {
        try {
            work();
        } catch (...) {
        }
        ::_exit(0);
    }
    std::this_thread::sleep_for(std::chrono::microseconds(microseconds));
    ::kill(child, SIGKILL);
    int status = 0;
    ::waitpid(child, &status, 0);
}

TEST(svm_checkpoint, a_kill_leaves_the_old_or_the_new_one) {
    const scratch_folder folder;
    const std::string path = folder.path("c");
    constexpr std::size_t n = 20000;
    const std::vector<double> p(n, 1.0), lower(n, 0.0), upper(n, 1e9), sums(2, 0.0);
    const checkpoint_problem key{p, lower, upper, sums};
    write_checkpoint(path, key, std::vector<double>(n, 0.0));
    std::mt19937_64 random(std::random_device{}());
    int longest = 12000;  // microseconds; increased if no write has ended by then
    double last = 0;
    for (int round = 0; round < 50; ++round) {
        if (last == 0 && round % 10 == 9) longest *= 4;
        kill_in_the_middle(std::uniform_int_distribution<int>(0, longest)(random), [&] {
            for (double value = last + 1;; ++value) write_checkpoint(path, key, std::vector<double>(n, value));
        });
        const auto alpha = read_checkpoint(path, key);  // fails if the file is neither the old nor the new checkpoint
        ASSERT_TRUE(alpha);
        for (const double v : *alpha) ASSERT_EQ(v, (*alpha)[0]);
        EXPECT_GE((*alpha)[0], last);
        last = (*alpha)[0];
    }
    EXPECT_GT(last, 0) << "no write ended before its kill";
}

TEST(svm_checkpoint, a_killed_fit_goes_on) {
    const scratch_folder folder;
    const sample s = clouds(1600, 2, 0.5, 0.2, 4);
    svm_options o = options_for(svm_task::c_svc, 100);
    o.checkpoint_file = folder.path("c");
    o.checkpoint_seconds = 0;
    std::mt19937_64 random(std::random_device{}());
    std::uniform_int_distribution<int> delay(0, 150000);
    for (int round = 0; round < 5; ++round) kill_in_the_middle(delay(random), [&] { fit(rbf(5), s, o); });
    const matrix<double> K = gram_matrix(s.x, rbf(5));
    svm_contract::check_svm(fit(rbf(5), s, o), {o, s.y, K.view()});
}

}  // namespace
}  // namespace mercer::svm_testing

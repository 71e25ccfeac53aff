#include "stress/libsvm.h"

#include <sys/resource.h>
#include <sys/wait.h>
#include <unistd.h>

#include <cstdio>

#if MERCER_HAS_LIBSVM
#include <libsvm/svm.h>
#endif

namespace mercer::stress {

bool has_libsvm() { return MERCER_HAS_LIBSVM; }

bool libsvm_can(const problem& p) {
    const svm_options& o = p.options;
    // LIBSVM's class weights are factors of C only
    const bool weights = !o.class_weight.empty() && o.task == svm_task::nu_svc;
    return p.k.what != formula::kind::laplacian && o.sample_weight.empty() && !weights && !p.hard &&
           o.classes == multiclass::one_vs_one;
}

#if MERCER_HAS_LIBSVM
namespace {

// Numbers through a pipe.
class stream {
public:
    explicit stream(std::FILE* file) : file_(file) {}
    void put(double v) { std::fwrite(&v, sizeof v, 1, file_); }
    double take() {
        double v = 0;
        if (std::fread(&v, sizeof v, 1, file_) != 1) ok = false;
        return v;
    }
    bool ok = true;

private:
    std::FILE* file_;
};

void train(const problem& p, stream out) {
    const svm_options& o = p.options;
    const auto n = static_cast<std::size_t>(p.size());
    const bool given = p.K.rows() > 0;
    std::vector<std::vector<svm_node>> rows(n);
    std::vector<svm_node*> row(n);
    std::vector<double> y = p.y;
    y.resize(n, 0.0);
    for (std::size_t i = 0; i < n; ++i) {
        const auto at = static_cast<index>(i);
        if (given) rows[i].push_back({0, static_cast<double>(i + 1)});
        const index width = given ? p.size() : p.x.cols();
        for (index j = 0; j < width; ++j) {
            const double value = given ? p.K(at, j) : p.x(at, j);
            if (value != 0) rows[i].push_back({static_cast<int>(j + 1), value});
            // LIBSVM looks up precomputed values by position: none may be left out.
            else if (given)
                rows[i].push_back({static_cast<int>(j + 1), 0.0});
        }
        rows[i].push_back({-1, 0});
        row[i] = rows[i].data();
    }
    std::vector<int> label;
    std::vector<double> factor;
    for (const auto& [name, value] : o.class_weight) label.push_back(static_cast<int>(name)), factor.push_back(value);
    svm_parameter q{};
    q.svm_type = static_cast<int>(o.task);
    q.kernel_type = given                               ? PRECOMPUTED
                    : p.k.what == formula::kind::linear ? LINEAR
                    : p.k.what == formula::kind::poly   ? POLY
                    : p.k.what == formula::kind::rbf    ? RBF
                                                        : SIGMOID;
    q.degree = p.k.degree, q.gamma = p.k.gamma, q.coef0 = p.k.coef0;
    q.cache_size = 100, q.eps = o.tol, q.C = o.C, q.nu = o.nu, q.p = o.epsilon, q.shrinking = 1;
    q.nr_weight = static_cast<int>(label.size()), q.weight_label = label.data(), q.weight = factor.data();
    ::svm_problem problem{static_cast<int>(n), y.data(), row.data()};
    svm_set_print_string_function([](const char*) {});
    const ::svm_model* m = svm_train(&problem, &q);
    const bool classifier = q.svm_type == C_SVC || q.svm_type == NU_SVC;
    const int k = m->nr_class, tables = classifier ? k - 1 : 1, offsets = classifier ? k * (k - 1) / 2 : 1;
    out.put(classifier ? k : 0);
    for (int c = 0; classifier && c < k; ++c) out.put(m->label[c]);
    out.put(m->l);
    for (int s = 0; s < m->l; ++s) out.put(m->sv_indices[s] - 1);
    out.put(tables);
    for (int t = 0; t < tables; ++t)
        for (int s = 0; s < m->l; ++s) out.put(m->sv_coef[t][s]);
    out.put(offsets);
    for (int b = 0; b < offsets; ++b) out.put(-m->rho[b]);
}

}  // namespace

std::optional<std::vector<machine>> libsvm_answer(const problem& p, unsigned seconds) {
    int ends[2];
    if (pipe(ends) != 0) return std::nullopt;
    std::fflush(nullptr);
    const pid_t child = fork();
    if (child == 0) {
        const rlimit most{seconds, seconds};
        setrlimit(RLIMIT_CPU, &most);
        close(ends[0]);
        std::FILE* to = fdopen(ends[1], "wb");
        train(p, stream(to));
        std::fclose(to);
        _exit(0);
    }
    close(ends[1]);
    std::FILE* from = fdopen(ends[0], "rb");
    stream in(from);
    const auto numbers = [&](std::size_t count) {
        std::vector<double> v;
        while (v.size() < count && in.ok) v.push_back(in.take());
        return v;
    };
    const auto many = [&] { return static_cast<std::size_t>(in.take()); };
    const std::vector<double> classes = numbers(many()), places = numbers(many());
    std::vector<std::vector<double>> coef(many());
    for (auto& table : coef) table = numbers(places.size());
    const std::vector<double> offset = numbers(many());
    std::fclose(from);
    int status = 0;
    waitpid(child, &status, 0);
    if (!in.ok || status != 0) return std::nullopt;
    std::vector<index> support(places.begin(), places.end());
    return machines(p, classes, multiclass::one_vs_one, support, coef, offset);
}
#else
std::optional<std::vector<machine>> libsvm_answer(const problem&, unsigned) { return std::nullopt; }
#endif

}  // namespace mercer::stress

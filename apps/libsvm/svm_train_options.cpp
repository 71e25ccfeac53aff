#include "svm_train_options.h"

#include "libsvm_programs.h"

namespace mercer::programs {
namespace {

constexpr const char* usage =
    "Usage: svm-train [options] training_set_file [model_file]\n"
    "options:\n"
    "-s svm_type : set type of SVM (default 0)\n"
    "\t0 -- C-SVC\t\t(multi-class classification)\n"
    "\t1 -- nu-SVC\t\t(multi-class classification)\n"
    "\t2 -- one-class SVM\n"
    "\t3 -- epsilon-SVR\t(regression)\n"
    "\t4 -- nu-SVR\t\t(regression)\n"
    "-t kernel_type : set type of kernel function (default 2)\n"
    "\t0 -- linear: u'*v\n"
    "\t1 -- polynomial: (gamma*u'*v + coef0)^degree\n"
    "\t2 -- radial basis function: exp(-gamma*|u-v|^2)\n"
    "\t3 -- sigmoid: tanh(gamma*u'*v + coef0)\n"
    "\t4 -- precomputed kernel (kernel values in training_set_file)\n"
    "-d degree : set degree in kernel function (default 3)\n"
    "-g gamma : set gamma in kernel function (default 1/num_features)\n"
    "-r coef0 : set coef0 in kernel function (default 0)\n"
    "-c cost : set the parameter C of C-SVC, epsilon-SVR, and nu-SVR (default 1)\n"
    "-n nu : set the parameter nu of nu-SVC, one-class SVM, and nu-SVR (default 0.5)\n"
    "-p epsilon : set the epsilon in loss function of epsilon-SVR (default 0.1)\n"
    "-m cachesize : set cache memory size in MB (default 100)\n"
    "-e epsilon : set tolerance of termination criterion (default 0.001)\n"
    "-h shrinking : whether to use the shrinking heuristics, 0 or 1 (default 1)\n"
    "-b probability_estimates : whether to train a SVC or SVR model for probability estimates, 0 or 1 (default 0)\n"
    "-wi weight : set the parameter C of class i to weight*C, for C-SVC (default 1)\n"
    "-v n: n-fold cross validation mode\n"
    "-q : quiet mode (no outputs)\n";

}  // namespace

train_command parse_train(int argc, char** argv) {
    train_command c;
    int i = 1;
    for (; i < argc && argv[i][0] == '-'; ++i) {
        const char* const name = argv[i];
        if (name[1] == 'q') {
            c.quiet = true;
            continue;
        }
        if (++i >= argc) show_usage(usage);
        const char* const value = argv[i];
        const auto number = [&] { return number_option(value, usage); };
        const auto whole = [&] { return whole_option(value, usage); };
        switch (name[1]) {
            case 's': c.task = whole(); break;
            case 't': c.kernel = whole(); break;
            case 'd': c.degree = whole(); break;
            case 'g': c.gamma = number(); break;
            case 'r': c.coef0 = number(); break;
            case 'n': c.nu = number(); break;
            case 'm': c.cache_mb = number(); break;
            case 'c': c.C = number(); break;
            case 'e': c.tol = number(); break;
            case 'p': c.epsilon = number(); break;
            case 'h': c.shrinking = whole(); break;
            case 'b': c.probability = whole(); break;
            case 'v':
                c.folds = whole();
                if (c.folds < 2) {
                    std::fputs("n-fold cross validation: n must >= 2\n", stderr);
                    show_usage(usage);
                }
                break;
            case 'w': c.weights.emplace_back(whole_option(name + 2, usage), number()); break;
            default: std::fprintf(stderr, "Unknown option: -%c\n", name[1]); show_usage(usage);
        }
    }
    if (i >= argc) show_usage(usage);
    c.input = argv[i];
    if (i + 1 < argc)
        c.model = argv[i + 1];
    else
        c.model = c.input.substr(c.input.rfind('/') + 1) + ".model";
    return c;
}

void check_train(const train_command& c) {
    const auto refuse_if = [](bool bad, const char* why) {
        if (bad) end_with(std::string("ERROR: ") + why);
    };
    refuse_if(c.task < 0 || c.task > 4, "unknown svm type");
    refuse_if(c.kernel < 0 || c.kernel > 4, "unknown kernel type");
    refuse_if((c.kernel == 1 || c.kernel == 2 || c.kernel == 3) && !(c.gamma >= 0), "gamma < 0");
    refuse_if(c.kernel == 1 && c.degree < 0, "degree of polynomial kernel < 0");
    refuse_if(!(c.cache_mb > 0), "cache_size <= 0");
    refuse_if(!(c.tol > 0), "eps <= 0");
    refuse_if((c.task == 0 || c.task == 3 || c.task == 4) && !(c.C > 0), "C <= 0");
    refuse_if((c.task == 1 || c.task == 2 || c.task == 4) && !(c.nu > 0 && c.nu <= 1), "nu <= 0 or nu > 1");
    refuse_if(c.task == 3 && !(c.epsilon >= 0), "p < 0");
    refuse_if(c.shrinking != 0 && c.shrinking != 1, "shrinking != 0 and shrinking != 1");
    refuse_if(c.probability != 0 && c.probability != 1, "probability != 0 and probability != 1");
    refuse_if(c.probability == 1 && c.task == 2, "one-class SVM probability output not supported yet");
}

}  // namespace mercer::programs

#include "shared_factor.h"

#include <algorithm>
#include <cmath>
#include <stdexcept>
#include <string>
#include <vector>

#ifdef MERCER_SCALAPACK

extern "C" {
int Csys2blacs_handle(MPI_Comm from);
void Cfree_blacs_system_handle(int handle);
void Cblacs_gridinit(int* context, const char* order, int rows, int cols);
void Cblacs_gridexit(int context);
int numroc_(const int* n, const int* block, const int* me, const int* first, const int* processes);
void descinit_(int* desc, const int* m, const int* n, const int* mb, const int* nb, const int* row, const int* col,
               const int* context, const int* leading_dimension, int* info);
void pdpotrf_(const char* half, const int* n, double* a, const int* row, const int* col, const int* desc, int* info);
}

namespace mercer {
namespace {

constexpr int block = 128;

// A grid of ranks that is as square as possible. Some ranks may be left out of the grid.
struct rank_grid {
    int rows, cols;
    explicit rank_grid(int processes)
        : rows(static_cast<int>(std::sqrt(static_cast<double>(processes)))), cols(processes / rows) {}
    int size() const { return rows * cols; }
};

// The blocks of one rank: every rows-th block row and every cols-th block column, beginning with its own. ScaLAPACK
// stores matrices by columns, so it sees the lower half of Aᵀ = A.
class distributed_blocks {
public:
    distributed_blocks(const rank_grid& grid, int rank, int n)
        : grid_(grid), row_(rank / grid.cols), col_(rank % grid.cols), n_(n) {
        const int zero = 0;
        rows_ = numroc_(&n, &block, &row_, &zero, &grid.rows);
        cols_ = numroc_(&n, &block, &col_, &zero, &grid.cols);
    }
    int leading_dimension() const { return std::max(1, rows_); }
    std::size_t size() const {
        return static_cast<std::size_t>(leading_dimension()) * static_cast<std::size_t>(std::max(1, cols_));
    }

    // Calls use(position in these blocks, position in the upper half, count) for all contiguous sections on and above
    // the diagonal.
    template <class Use>
    void for_each_section(Use use) const {
        for (int c = 0; c < cols_; ++c) {
            const int j = (c / block * grid_.cols + col_) * block + c % block;
            for (int r = 0; r < rows_; r += block) {
                const int first = (r / block * grid_.rows + row_) * block, count = std::min(block, rows_ - r),
                          skip = std::clamp(j - first, 0, count);
                if (skip < count)
                    use(static_cast<std::size_t>(c) * static_cast<std::size_t>(leading_dimension()) +
                            static_cast<std::size_t>(r + skip),
                        static_cast<std::size_t>(j) * static_cast<std::size_t>(n_) +
                            static_cast<std::size_t>(first + skip),
                        count - skip);
            }
        }
    }

private:
    rank_grid grid_;
    int row_, col_, n_, rows_ = 0, cols_ = 0;
};

// The BLACS context of the grid, released by the destructor.
class grid_context {
public:
    grid_context(MPI_Comm all, const rank_grid& grid) : handle_(Csys2blacs_handle(all)), context_(handle_) {
        Cblacs_gridinit(&context_, "Row", grid.rows, grid.cols);
    }
    ~grid_context() {
        if (context_ >= 0) Cblacs_gridexit(context_);
        Cfree_blacs_system_handle(handle_);
    }
    grid_context(const grid_context&) = delete;
    grid_context& operator=(const grid_context&) = delete;
    int context() const { return context_; }

private:
    int handle_, context_;
};

// Factors these blocks in place and returns the status of pdpotrf.
int factor_blocks(const grid_context& at, const distributed_blocks& mine, int n, double* a) {
    int desc[9], info = 0;
    const int zero = 0, one = 1, context = at.context(), leading_dimension = mine.leading_dimension();
    descinit_(desc, &n, &n, &block, &block, &zero, &zero, &context, &leading_dimension, &info);
    if (info == 0) pdpotrf_("L", &n, a, &one, &one, desc, &info);
    return info;
}

void broadcast(MPI_Comm all, int from, std::vector<double>& numbers) {
    constexpr std::size_t at_once = std::size_t{1} << 27;
    for (std::size_t done = 0; done < numbers.size(); done += at_once)
        MPI_Bcast(numbers.data() + done, static_cast<int>(std::min(at_once, numbers.size() - done)), MPI_DOUBLE, from,
                  all);
}

}  // namespace

bool can_distribute_factor(int processes, std::size_t n) {
    constexpr std::size_t most = std::size_t{1} << 31;
    return n < most && distributed_blocks(rank_grid(processes), 0, static_cast<int>(n)).size() < most;
}

bool factor_distributed(MPI_Comm all, double* upper, std::size_t size) {
    int rank = 0, processes = 1;
    MPI_Comm_rank(all, &rank);
    MPI_Comm_size(all, &processes);
    const rank_grid grid(processes);
    const int n = static_cast<int>(size);
    const bool placed = rank < grid.size();
    std::vector<double> a;
    int info = 0;
    {
        const grid_context at(all, grid);
        if (placed) {
            const distributed_blocks mine(grid, rank, n);
            a.assign(mine.size(), 0.0);
            mine.for_each_section(
                [&](std::size_t here, std::size_t there, int count) { std::copy_n(upper + there, count, &a[here]); });
            info = factor_blocks(at, mine, n, a.data());
        }
    }
    // The largest status of all ranks, and the smallest as the largest of the negated ones.
    int statuses[2] = {info, -info};
    MPI_Allreduce(MPI_IN_PLACE, statuses, 2, MPI_INT, MPI_MAX, all);
    if (statuses[1] > 0)
        throw std::logic_error("ScaLAPACK's pdpotrf: argument " + std::to_string(statuses[1]) + " is wrong");
    if (statuses[0] > 0) return false;
    std::vector<double> runs;
    for (int from = 0; from < grid.size(); ++from) {
        const distributed_blocks theirs(grid, from, n);
        std::size_t count = 0;
        theirs.for_each_section([&](std::size_t, std::size_t, int run) { count += static_cast<std::size_t>(run); });
        runs.resize(count);
        double* at = runs.data();
        if (from == rank)
            theirs.for_each_section(
                [&](std::size_t here, std::size_t, int run) { at = std::copy_n(a.data() + here, run, at); });
        broadcast(all, from, runs);
        const double* read = runs.data();
        theirs.for_each_section([&](std::size_t, std::size_t there, int run) {
            std::copy_n(read, run, upper + there);
            read += run;
        });
    }
    return true;
}

}  // namespace mercer

#else

namespace mercer {

bool can_distribute_factor(int, std::size_t) { return false; }
bool factor_distributed(MPI_Comm, double*, std::size_t) {
    throw std::logic_error("this mercer was built without ScaLAPACK");
}

}  // namespace mercer

#endif

// Communication between processes (MPI ranks) that work on one fit together, each on its own rows. The library does not
// link MPI: a program that was started by mpirun or srun, or that has an MPI communicator, loads libmercer_mpi.so
// (backends/mpi) at run time, if that was built.
//
// All ranks make the same calls in the same order. A rank that fails ends all ranks (`abort`), because the others may
// be waiting for it. A null pointer to a group means a single process.
#pragma once

#include <algorithm>
#include <cstddef>
#include <cstring>
#include <memory>
#include <string>
#include <vector>

namespace mercer {

class communicator {
public:
    virtual ~communicator() = default;
    virtual int rank() const = 0;  // 0 … size() - 1
    virtual int size() const = 0;
    virtual int ranks_on_machine() const { return size(); }  // number of ranks on this machine
    // Copies `bytes` bytes at `data` from rank 0 to all ranks.
    virtual void broadcast(void* data, std::size_t bytes) const = 0;
    virtual void send(int to, const void* data, std::size_t bytes) const = 0;
    virtual void receive(int from, void* data, std::size_t bytes) const = 0;
    // Gathers `mine` of every rank, on every rank, in the order of the ranks.
    virtual std::vector<std::string> all_gather(const std::string& mine) const = 0;
    // Replaces each number by its sum over all ranks, on every rank. The order of the additions is not fixed: only for
    // numbers whose sums are exact.
    virtual void all_sum(double* data, std::size_t count) const = 0;
    // Returns true if the ranks can factor a matrix of n rows together.
    virtual bool can_factor(std::size_t n) const {
        (void)n;
        return false;
    }
    // Factors A = RᵀR, an n × n matrix that every rank holds: the upper half is read and replaced by R. Returns false
    // on every rank if a pivot is not positive; A is then unchanged. The order of the sums, and so the rounding,
    // depends on the number of ranks.
    virtual bool factor(double* upper, std::size_t n) const {
        (void)upper, (void)n;
        return false;
    }
    // Called by a failing rank as its last call. Returns true if all other ranks make this call too within `seconds`;
    // then no rank waits for another.
    virtual bool all_failed(double seconds) const = 0;
    // Ends every process of the group, the calling one included, with this exit code.
    [[noreturn]] virtual void abort(int code) const = 0;

    // Returns `mine` of rank 0 on every rank, so that all ranks take the same branch even if their processors round
    // differently.
    bool agree(bool mine) const {
        broadcast(&mine, sizeof mine);
        return mine;
    }
};

// The largest `mine` of all ranks, on every rank. NaN is ignored, unless every rank has NaN.
double max_over_ranks(const communicator* group, double mine);
// Returns true on every rank if `mine` is true on all ranks.
bool all_ranks(const communicator* group, bool mine);
inline bool agree(const communicator* group, bool mine) { return group ? group->agree(mine) : mine; }

// The group of processes that mpirun or srun started together with this one; null if this process was started alone.
// Throws errc::unsupported if there are several processes, but libmercer_mpi.so cannot be loaded. The first call joins
// the group, and must come from the thread that makes all later calls.
const communicator* started_communicator();
// The group that started_communicator() has joined; null if it has not been called yet.
const communicator* joined_communicator() noexcept;
// The group of an MPI communicator. The caller has initialised MPI and finalises it. `handle` is the Fortran handle of
// the communicator (MPI_Comm_c2f, mpi4py's py2f). `library` is the text of MPI_Get_library_version() in the MPI library
// of the handle, because a handle is invalid in another MPI library. Called by all ranks of the communicator.
std::unique_ptr<const communicator> open_communicator(int handle, const std::string& library);
// Throws the error that open_communicator() throws for this library. Communicates with no other rank, so a rank
// can call it before the others wait for it.
void require_same_mpi(const std::string& library);
// The number of threads for this rank: its share of the processors of its machine, at most threads().
int threads_per_rank(const communicator& group);

// Called by a rank that has failed. If all ranks have failed, returns, so that each can report its own error. Otherwise
// prints the number of the rank and `why` on stderr and ends all ranks, because the others would wait for this one.
void abort_unless_all_failed(const communicator& group, const std::string& why);

inline double max_over_ranks(const communicator* group, double mine) {
    if (!group) return mine;
    std::string bytes(sizeof mine, '\0');
    std::memcpy(bytes.data(), &mine, sizeof mine);
    double out = mine;
    for (const std::string& each : group->all_gather(bytes)) {
        double other = 0;
        std::memcpy(&other, each.data(), sizeof other);
        if (other > out || out != out) out = other;
    }
    return out;
}

inline bool all_ranks(const communicator* group, bool mine) {
    double not_so = mine ? 0 : 1;
    if (group) group->all_sum(&not_so, 1);
    return not_so == 0;
}

}  // namespace mercer

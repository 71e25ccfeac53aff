// Processes that work on one fit together, each on its own rows: what they say to each other. The library links no
// message passing: libmercer_mpi.so (backends/mpi), where it was built, is found at run time by a program that was
// started by mpirun or srun, or that has a communicator of MPI.
//
// All calls are made by all processes in the same order. A process that fails ends all of them (`end`): the others may
// be waiting for it.
#pragma once

#include <algorithm>
#include <cstddef>
#include <cstring>
#include <memory>
#include <string>
#include <vector>

namespace mercer {

class process_group {
public:
    virtual ~process_group() = default;
    virtual int rank() const = 0;  // 0 … size() - 1
    virtual int size() const = 0;
    virtual int here() const { return size(); }  // those on this machine
    // What rank 0 has, to all.
    virtual void broadcast(void* data, std::size_t bytes) const = 0;
    virtual void send(int to, const void* data, std::size_t bytes) const = 0;
    virtual void receive(int from, void* data, std::size_t bytes) const = 0;
    // What each has, in the order of the ranks.
    virtual std::vector<std::string> all(const std::string& mine) const = 0;
    // The sum of what each has, at each, in no fixed order: for numbers whose sums are exact.
    virtual void add(double* data, std::size_t count) const = 0;
    // Whether they can factor a matrix of n rows together.
    virtual bool can_factor(std::size_t n) const {
        (void)n;
        return false;
    }
    // RᵀR = A for an A that all of them have: of its n rows the upper half is read, and R takes its place. False, at
    // all of them, where a pivot is not positive: then A is as it was. Sums run in an order of their own, so the last
    // bits depend on the number of processes.
    virtual bool factor(double* upper, std::size_t n) const {
        (void)upper, (void)n;
        return false;
    }
    // Said by a process that has failed, and will make no other call: whether all the others say it too within so many
    // seconds. Then nobody waits for anybody.
    virtual bool all_failed(double seconds) const = 0;
    // Ends every process of the group, this one too.
    [[noreturn]] virtual void end(int code) const = 0;

    // What rank 0 says, so that all take the same way even where their processors round differently.
    bool agreed(bool mine) const {
        broadcast(&mine, sizeof mine);
        return mine;
    }
};

// The largest of what each has; NaN counts as nothing.
double largest_of(const process_group* group, double mine);
// Whether it is so at all of them.
bool everywhere(const process_group* group, bool mine);
inline bool agreed(const process_group* group, bool mine) { return group ? group->agreed(mine) : mine; }

// The processes this one was started with; null where it was started alone. Fails where there are others, but no
// library to speak to them. The first call joins the group, and must come from the thread that makes all later ones.
const process_group* started_processes();
// The same where they have been joined already.
const process_group* joined_processes() noexcept;
// The processes of a communicator of MPI, which somebody else has initialised and will finalise, by its handle in
// Fortran (MPI_Comm_c2f, mpi4py's py2f). `library`: what MPI_Get_library_version says where the handle is from: a
// handle means nothing to another MPI. Called by all of them.
std::unique_ptr<const process_group> processes_of_communicator(int handle, const std::string& library);
// Fails, saying why, where that would: for one process alone, before any other waits for it.
void require_communicators(const std::string& library);
// How many threads are this process's share of its machine.
int threads_of_process(const process_group& group);

// A process that failed while others go on leaves them waiting: says why, with its number, and ends all. Returns where
// all of them failed, and each can say so itself.
void end_unless_all_failed(const process_group& group, const std::string& why);

inline double largest_of(const process_group* group, double mine) {
    if (!group) return mine;
    std::string bytes(sizeof mine, '\0');
    std::memcpy(bytes.data(), &mine, sizeof mine);
    double out = mine;
    for (const std::string& each : group->all(bytes)) {
        double other = 0;
        std::memcpy(&other, each.data(), sizeof other);
        if (other > out || out != out) out = other;
    }
    return out;
}

inline bool everywhere(const process_group* group, bool mine) {
    double not_so = mine ? 0 : 1;
    if (group) group->add(&not_so, 1);
    return not_so == 0;
}

}  // namespace mercer

// Implements communicator (base/communicator.h) by MPI, for the ranks that mpirun or srun started, or those of a given
// communicator.
#include <mpi.h>

#include <algorithm>
#include <chrono>
#include <cstdint>
#include <cstdlib>
#include <thread>

#include "mercer/base/communicator.h"
#include "shared_factor.h"

namespace mercer {
namespace {

// MPI counts are of type int, so that larger messages are split.
constexpr std::size_t at_once = std::size_t{1} << 30;

template <class Call>
void in_messages(void* data, std::size_t bytes, Call call) {
    for (std::size_t done = 0; done < bytes; done += at_once)
        call(static_cast<char*>(data) + done, static_cast<int>(std::min(at_once, bytes - done)));
}

class mpi_communicator final : public communicator {
public:
    // Duplicates the communicator, so that its messages never mix with those of the caller. MPI errors end the job,
    // whatever error handler the caller has set.
    explicit mpi_communicator(MPI_Comm from) {
        for (MPI_Comm* each : {&all_, &failures_}) {
            MPI_Comm_dup(from, each);
            MPI_Comm_set_errhandler(*each, MPI_ERRORS_ARE_FATAL);
        }
        MPI_Comm_rank(all_, &rank_);
        MPI_Comm_size(all_, &size_);
        MPI_Comm machine;
        MPI_Comm_split_type(all_, MPI_COMM_TYPE_SHARED, rank_, MPI_INFO_NULL, &machine);
        MPI_Comm_size(machine, &here_);
        MPI_Comm_free(&machine);
    }
    ~mpi_communicator() override {
        int over = 0;
        MPI_Finalized(&over);
        if (over) return;
        for (MPI_Comm* each : {&all_, &failures_}) MPI_Comm_free(each);
    }
    mpi_communicator(const mpi_communicator&) = delete;
    mpi_communicator& operator=(const mpi_communicator&) = delete;
    int rank() const override { return rank_; }
    int size() const override { return size_; }
    int ranks_on_machine() const override { return here_; }
    void broadcast(void* data, std::size_t bytes) const override {
        in_messages(data, bytes, [&](char* from, int count) { MPI_Bcast(from, count, MPI_BYTE, 0, all_); });
    }
    void send(int to, const void* data, std::size_t bytes) const override {
        in_messages(const_cast<void*>(data), bytes,
                    [&](char* from, int count) { MPI_Send(from, count, MPI_BYTE, to, 0, all_); });
    }
    void receive(int from, void* data, std::size_t bytes) const override {
        in_messages(data, bytes,
                    [&](char* to, int count) { MPI_Recv(to, count, MPI_BYTE, from, 0, all_, MPI_STATUS_IGNORE); });
    }
    std::vector<std::string> all_gather(const std::string& mine) const override {
        const std::uint64_t size = mine.size();
        std::vector<std::uint64_t> sizes(static_cast<std::size_t>(size_));
        MPI_Allgather(&size, 1, MPI_UINT64_T, sizes.data(), 1, MPI_UINT64_T, all_);
        std::vector<std::string> out;
        for (int each = 0; each < size_; ++each) {
            out.push_back(each == rank_ ? mine : std::string(sizes[static_cast<std::size_t>(each)], '\0'));
            in_messages(out.back().data(), out.back().size(),
                        [&](char* at, int count) { MPI_Bcast(at, count, MPI_BYTE, each, all_); });
        }
        return out;
    }
    void all_sum(double* data, std::size_t count) const override {
        in_messages(data, count * sizeof(double), [&](char* at, int bytes) {
            MPI_Allreduce(MPI_IN_PLACE, at, bytes / static_cast<int>(sizeof(double)), MPI_DOUBLE, MPI_SUM, all_);
        });
    }
    bool can_factor(std::size_t n) const override { return can_distribute_factor(size_, n); }
    bool factor(double* upper, std::size_t n) const override { return factor_distributed(all_, upper, n); }
    bool all_failed(double seconds) const override {
        const auto until = std::chrono::steady_clock::now() + std::chrono::duration<double>(seconds);
        MPI_Request barrier;
        MPI_Ibarrier(failures_, &barrier);
        for (;;) {
            int there = 0;
            MPI_Test(&barrier, &there, MPI_STATUS_IGNORE);
            if (there || std::chrono::steady_clock::now() > until) return there;
            std::this_thread::sleep_for(std::chrono::milliseconds(10));
        }
    }
    [[noreturn]] void abort(int code) const override {
        MPI_Abort(all_, code);
        std::abort();
    }

private:
    MPI_Comm all_ = MPI_COMM_NULL, failures_ = MPI_COMM_NULL;
    int rank_ = 0, size_ = 1, here_ = 1;
};

void start_mpi() {
    int started = 0, level = 0;
    MPI_Initialized(&started);  // by mpi4py, for example
    if (started) return;
    MPI_Init_thread(nullptr, nullptr, MPI_THREAD_FUNNELED, &level);
    std::atexit([] {
        int over = 0;
        MPI_Finalized(&over);
        if (!over) MPI_Finalize();
    });
}

}  // namespace
}  // namespace mercer

// The number is the version of the interface communicator: a program and a library of different versions do not find
// each other's symbols.
extern "C" mercer::communicator* mercer_open_processes_3() {
    mercer::start_mpi();
    static mercer::mpi_communicator* const group = new mercer::mpi_communicator(MPI_COMM_WORLD);
    return group;
}
extern "C" mercer::communicator* mercer_open_communicator_3(int handle) {
    return new mercer::mpi_communicator(MPI_Comm_f2c(handle));
}
extern "C" const char* mercer_mpi_library_3() {
    static char text[MPI_MAX_LIBRARY_VERSION_STRING];
    int length = 0;
    MPI_Get_library_version(text, &length);
    return text;
}

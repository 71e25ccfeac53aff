// Processes started by mpirun or srun, by MPI.
#include <mpi.h>

#include <algorithm>
#include <cstdint>
#include <cstdlib>

#include "mercer/base/processes/process_group.h"

namespace mercer {
namespace {

// MPI counts with an int.
constexpr std::size_t at_once = std::size_t{1} << 30;

template <class Call>
void in_pieces(void* data, std::size_t bytes, Call call) {
    for (std::size_t done = 0; done < bytes; done += at_once)
        call(static_cast<char*>(data) + done, static_cast<int>(std::min(at_once, bytes - done)));
}

class mpi_group final : public process_group {
public:
    mpi_group() {
        int started = 0, level = 0;
        MPI_Initialized(&started);  // by mpi4py, say
        if (!started) {
            MPI_Init_thread(nullptr, nullptr, MPI_THREAD_FUNNELED, &level);
            std::atexit([] {
                int over = 0;
                MPI_Finalized(&over);
                if (!over) MPI_Finalize();
            });
        }
        MPI_Comm_rank(MPI_COMM_WORLD, &rank_);
        MPI_Comm_size(MPI_COMM_WORLD, &size_);
        MPI_Comm machine;
        MPI_Comm_split_type(MPI_COMM_WORLD, MPI_COMM_TYPE_SHARED, rank_, MPI_INFO_NULL, &machine);
        MPI_Comm_size(machine, &here_);
        MPI_Comm_free(&machine);
    }
    int rank() const override { return rank_; }
    int size() const override { return size_; }
    int here() const override { return here_; }
    void broadcast(void* data, std::size_t bytes) const override {
        in_pieces(data, bytes, [](char* from, int count) { MPI_Bcast(from, count, MPI_BYTE, 0, MPI_COMM_WORLD); });
    }
    void send(int to, const void* data, std::size_t bytes) const override {
        in_pieces(const_cast<void*>(data), bytes,
                  [&](char* from, int count) { MPI_Send(from, count, MPI_BYTE, to, 0, MPI_COMM_WORLD); });
    }
    void receive(int from, void* data, std::size_t bytes) const override {
        in_pieces(data, bytes, [&](char* to, int count) {
            MPI_Recv(to, count, MPI_BYTE, from, 0, MPI_COMM_WORLD, MPI_STATUS_IGNORE);
        });
    }
    std::vector<std::string> all(const std::string& mine) const override {
        const std::uint64_t size = mine.size();
        std::vector<std::uint64_t> sizes(static_cast<std::size_t>(size_));
        MPI_Allgather(&size, 1, MPI_UINT64_T, sizes.data(), 1, MPI_UINT64_T, MPI_COMM_WORLD);
        std::vector<std::string> out;
        for (int each = 0; each < size_; ++each) {
            out.push_back(each == rank_ ? mine : std::string(sizes[static_cast<std::size_t>(each)], '\0'));
            in_pieces(out.back().data(), out.back().size(),
                      [&](char* at, int count) { MPI_Bcast(at, count, MPI_BYTE, each, MPI_COMM_WORLD); });
        }
        return out;
    }
    void add(double* data, std::size_t count) const override {
        in_pieces(data, count * sizeof(double), [](char* at, int bytes) {
            MPI_Allreduce(MPI_IN_PLACE, at, bytes / static_cast<int>(sizeof(double)), MPI_DOUBLE, MPI_SUM,
                          MPI_COMM_WORLD);
        });
    }
    [[noreturn]] void end(int code) const override {
        MPI_Abort(MPI_COMM_WORLD, code);
        std::abort();
    }

private:
    int rank_ = 0, size_ = 1, here_ = 1;
};

}  // namespace
}  // namespace mercer

extern "C" mercer::process_group* mercer_open_processes_1() {
    static mercer::mpi_group* const group = new mercer::mpi_group;
    return group;
}

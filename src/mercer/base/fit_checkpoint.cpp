#include "mercer/base/fit_checkpoint.h"

#include <cerrno>
#include <cstring>
#include <filesystem>
#include <fstream>
#include <iterator>

#include "mercer/base/error.h"
#include "mercer/base/file.h"

namespace mercer {
namespace {

constexpr char magic[8] = {'m', 'e', 'r', 'c', 'e', 'r', 'c', '1'};

struct state_header {
    char magic[8];
    std::uint64_t size, problem, content;
};

std::uint64_t check_sum(std::uint64_t problem, std::span<const double> state) {
    return problem_mark()
        .add(std::string_view(reinterpret_cast<const char*>(&problem), sizeof problem))
        .add(state)
        .value();
}

}  // namespace

void write_state(const std::string& path, std::uint64_t problem, std::span<const double> state) {
    state_header head{};
    std::memcpy(head.magic, magic, sizeof magic);
    head.size = state.size(), head.problem = problem, head.content = check_sum(problem, state);
    std::string bytes(sizeof head + state.size_bytes(), '\0');
    std::memcpy(bytes.data(), &head, sizeof head);
    if (!state.empty()) std::memcpy(bytes.data() + sizeof head, state.data(), state.size_bytes());
    write_atomically(path, bytes);
}

std::optional<std::vector<double>> read_state(const std::string& path, std::uint64_t problem) {
    std::error_code reason;
    const auto kind = std::filesystem::status(path, reason).type();
    if (kind == std::filesystem::file_type::not_found) return std::nullopt;
    if (kind != std::filesystem::file_type::regular)
        fail(errc::io, path + ": not a checkpoint: " + (reason ? reason.message() : "not a plain file"));
    std::ifstream in(path, std::ios::binary);
    if (!in) fail(errc::io, path + ": cannot read the checkpoint: " + std::strerror(errno));
    const std::string bytes((std::istreambuf_iterator<char>(in)), std::istreambuf_iterator<char>());
    state_header head{};
    if (bytes.size() < sizeof head)
        fail(errc::io, path + ": not a checkpoint: " + std::to_string(bytes.size()) + " bytes, a header has " +
                           std::to_string(sizeof head));
    std::memcpy(&head, bytes.data(), sizeof head);
    if (std::memcmp(head.magic, magic, sizeof magic) != 0) fail(errc::io, path + ": not a checkpoint of this program");
    if (head.problem != problem)
        fail(errc::io, path + ": a checkpoint of another problem. Remove it, or name another file");
    const std::size_t room = bytes.size() - sizeof head;
    if (room % sizeof(double) != 0 || room / sizeof(double) != head.size)
        fail(errc::io, path + ": the checkpoint is damaged: " + std::to_string(room) + " bytes of numbers, " +
                           std::to_string(head.size) + " numbers expected");
    std::vector<double> state(head.size);
    if (!state.empty()) std::memcpy(state.data(), bytes.data() + sizeof head, room);
    if (check_sum(problem, state) != head.content)
        fail(errc::io, path + ": the checkpoint is damaged: its check sum does not fit");
    return state;
}

void remove_state(const std::string& path) {
    std::error_code none;
    std::filesystem::remove(path, none);
}

}  // namespace mercer

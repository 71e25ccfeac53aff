#include "mercer/methods/svm/files/checkpoint.h"

#include <cerrno>
#include <cstdint>
#include <cstring>
#include <filesystem>
#include <fstream>
#include <iterator>

#include "mercer/base/error.h"
#include "mercer/base/file.h"

namespace mercer {
namespace {

constexpr char magic[8] = {'m', 'e', 'r', 'c', 'e', 'r', 'c', '1'};

// FNV-1a over the bytes of the numbers: tells one problem from another, and a whole file from a damaged one.
std::uint64_t hash(std::span<const double> values, std::uint64_t seed) {
    for (const double v : values) {
        std::uint64_t bits;
        std::memcpy(&bits, &v, sizeof bits);
        for (int byte = 0; byte < 8; ++byte) seed = (seed ^ ((bits >> (8 * byte)) & 0xFF)) * 0x100000001B3ull;
    }
    return seed;
}

std::uint64_t problem_hash(const checkpoint_problem& problem) {
    std::uint64_t seed = 0xCBF29CE484222325ull;
    for (const auto& part : {problem.p, problem.lower, problem.upper, problem.sums}) seed = hash(part, seed);
    return seed;
}

struct header {
    char magic[8];
    std::uint64_t size;
    std::uint64_t problem;
    std::uint64_t content;
};

}  // namespace

void write_checkpoint(const std::string& path, const checkpoint_problem& problem, std::span<const double> alpha) {
    header head{};
    std::memcpy(head.magic, magic, sizeof magic);
    head.size = alpha.size();
    head.problem = problem_hash(problem);
    head.content = hash(alpha, head.problem);
    std::string bytes(sizeof head + alpha.size_bytes(), '\0');
    std::memcpy(bytes.data(), &head, sizeof head);
    std::memcpy(bytes.data() + sizeof head, alpha.data(), alpha.size_bytes());
    write_atomically(path, bytes);
}

std::optional<std::vector<double>> read_checkpoint(const std::string& path, const checkpoint_problem& problem) {
    std::error_code reason;
    const auto kind = std::filesystem::status(path, reason).type();
    if (kind == std::filesystem::file_type::not_found) return std::nullopt;
    if (kind != std::filesystem::file_type::regular)
        fail(errc::io, path + ": not a checkpoint: " + (reason ? reason.message() : "not a plain file"));
    std::ifstream in(path, std::ios::binary);
    if (!in) fail(errc::io, path + ": cannot read the checkpoint: " + std::strerror(errno));
    const std::string bytes((std::istreambuf_iterator<char>(in)), std::istreambuf_iterator<char>());
    header head{};
    if (bytes.size() < sizeof head)
        fail(errc::io, path + ": not a checkpoint: " + std::to_string(bytes.size()) + " bytes, a header has " +
                           std::to_string(sizeof head));
    std::memcpy(&head, bytes.data(), sizeof head);
    if (std::memcmp(head.magic, magic, sizeof magic) != 0) fail(errc::io, path + ": not a checkpoint of this program");
    const std::size_t n = problem.p.size();
    if (head.size != n || head.problem != problem_hash(problem))
        fail(errc::io, path + ": a checkpoint of another problem (" + std::to_string(head.size) +
                           " variables; this one has " + std::to_string(n) + "). Remove it, or name another file");
    std::vector<double> alpha(n);
    if (bytes.size() != sizeof head + n * sizeof(double))
        fail(errc::io, path + ": the checkpoint is damaged: " + std::to_string(bytes.size()) + " bytes, " +
                           std::to_string(sizeof head + n * sizeof(double)) + " expected");
    std::memcpy(alpha.data(), bytes.data() + sizeof head, n * sizeof(double));
    if (hash(alpha, head.problem) != head.content)
        fail(errc::io, path + ": the checkpoint is damaged: its check sum does not fit");
    return alpha;
}

}  // namespace mercer

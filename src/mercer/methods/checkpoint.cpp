#include "mercer/methods/checkpoint.h"

#include <algorithm>
#include <cmath>
#include <cstring>

#include "mercer/base/communicator.h"
#include "mercer/base/error.h"
#include "mercer/gram/gram.h"

namespace mercer {

std::uint64_t hash_rows(const communicator* group, std::span<const double> numbers, std::size_t first) {
    std::uint64_t sum = 0;
    for (std::size_t i = 0; i < numbers.size(); ++i)
        sum += problem_hash().add(static_cast<double>(first + i)).add(numbers[i]).value();
    if (!group) return sum;
    std::uint64_t all = 0;
    for (const std::string& each : group->all_gather(std::string(reinterpret_cast<const char*>(&sum), sizeof sum))) {
        std::uint64_t theirs = 0;
        std::memcpy(&theirs, each.data(), sizeof theirs);
        all += theirs;
    }
    return all;
}

template <class T>
std::vector<double> kernel_fingerprint(const gram<T>& k) {
    const index count = k.rows() > 0 ? std::min<index>(k.cols(), 32) : 0;
    std::vector<T> row(static_cast<std::size_t>(count));
    if (!row.empty()) k.block(row_set(0, 1), row_set(0, count), matrix_view<T>(row.data(), 1, count));
    std::vector<double> out;
    for (const T each : row)
        out.push_back(static_cast<float>(std::round(static_cast<double>(each) * 0x1p20) * 0x1p-20));
    return out;
}
template std::vector<double> kernel_fingerprint(const gram<float>&);
template std::vector<double> kernel_fingerprint(const gram<double>&);

bool checkpoint_file::is_writer() const { return !where_.path.empty() && (!group_ || group_->rank() == 0); }

std::optional<std::vector<double>> checkpoint_file::read() const {
    if (where_.path.empty()) return std::nullopt;
    std::optional<std::vector<double>> out;
    if (is_writer()) out = read_state(where_.path, problem_);
    if (!group_) return out;
    std::uint64_t size = out ? out->size() + 1 : 0;
    group_->broadcast(&size, sizeof size);
    if (size == 0) return std::nullopt;
    if (!out) out.emplace();
    out->resize(size - 1);
    group_->broadcast(out->data(), out->size() * sizeof(double));
    return out;
}

void checkpoint_file::keep(std::span<const double> state) {
    const auto now = std::chrono::steady_clock::now();
    if (!is_writer() || std::chrono::duration<double>(now - last_).count() < where_.seconds) return;
    write_state(where_.path, problem_, state);
    last_ = std::chrono::steady_clock::now();
}

void checkpoint_file::remove() const {
    if (is_writer()) remove_state(where_.path);
}

namespace {

std::uint64_t hash_of(const checkpoint_problem& problem) {
    problem_hash mark;
    for (const auto& part : {problem.p, problem.lower, problem.upper, problem.sums}) mark.add(part);
    return mark.value();
}

}  // namespace

void write_checkpoint(const std::string& path, const checkpoint_problem& problem, std::span<const double> alpha) {
    write_state(path, hash_of(problem), alpha);
}

std::optional<std::vector<double>> read_checkpoint(const std::string& path, const checkpoint_problem& problem) {
    auto alpha = read_state(path, hash_of(problem));
    if (alpha && alpha->size() != problem.p.size())
        fail(errc::io, path + fmt::format(": the checkpoint is damaged: it has {} variables, but the problem has {}. "
                                          "Remove the file and fit again",
                                          alpha->size(), problem.p.size()));
    return alpha;
}

recorded_products::recorded_products(block_operator multiply, const fit_checkpoint& where, std::uint64_t problem,
                                     const communicator* group)
    : multiply_(std::move(multiply)), kept_(!where.path.empty()), keeper_(where, problem, group) {
    if (auto found = keeper_.read()) all_ = std::move(*found);
}

void recorded_products::operator()(matrix_view<const double> v, matrix_view<double> out) {
    const auto numbers = static_cast<std::size_t>(out.rows * out.cols);
    if (kept_ && at_ < all_.size()) {
        if (at_ + numbers > all_.size())
            fail(errc::data,
                 "the checkpoint ends inside a matrix product and cannot be used: remove the file and fit again");
        for (index i = 0; i < out.rows; ++i)
            std::copy_n(all_.data() + at_ + static_cast<std::size_t>(i * out.cols), out.cols, out.row(i));
        at_ += numbers;
        return;
    }
    multiply_(v, out);
    if (!kept_) return;
    for (index i = 0; i < out.rows; ++i) all_.insert(all_.end(), out.row(i), out.row(i) + out.cols);
    at_ = all_.size();
    keeper_.keep(all_);
}

}  // namespace mercer

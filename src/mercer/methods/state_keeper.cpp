#include <algorithm>
#include <cmath>
#include <cstring>

#include "mercer/base/communicator.h"
#include "mercer/base/fit_checkpoint.h"
#include "mercer/gram/gram.h"

namespace mercer {

problem_mark& problem_mark::add(std::string_view bytes) {
    for (const char each : bytes) value_ = (value_ ^ static_cast<unsigned char>(each)) * 0x100000001B3ull;
    return *this;
}
problem_mark& problem_mark::add(std::span<const double> numbers) {
    for (const double each : numbers) {
        char bytes[sizeof each];
        std::memcpy(bytes, &each, sizeof each);
        add(std::string_view(bytes, sizeof bytes));
    }
    return *this;
}

std::uint64_t mark_of_rows(const process_group* group, std::span<const double> numbers, std::size_t first) {
    std::uint64_t sum = 0;
    for (std::size_t i = 0; i < numbers.size(); ++i)
        sum += problem_mark().add(static_cast<double>(first + i)).add(numbers[i]).value();
    if (!group) return sum;
    std::uint64_t all = 0;
    for (const std::string& each : group->all(std::string(reinterpret_cast<const char*>(&sum), sizeof sum))) {
        std::uint64_t theirs = 0;
        std::memcpy(&theirs, each.data(), sizeof theirs);
        all += theirs;
    }
    return all;
}

template <class T>
std::vector<double> first_values(const gram<T>& k) {
    const index count = k.rows() > 0 ? std::min<index>(k.cols(), 32) : 0;
    std::vector<T> row(static_cast<std::size_t>(count));
    if (!row.empty()) k.block(selection(0, 1), selection(0, count), matrix_view<T>(row.data(), 1, count));
    std::vector<double> out;
    for (const T each : row)
        out.push_back(static_cast<float>(std::round(static_cast<double>(each) * 0x1p20) * 0x1p-20));
    return out;
}
template std::vector<double> first_values(const gram<float>&);
template std::vector<double> first_values(const gram<double>&);

bool state_keeper::mine() const { return !where_.path.empty() && (!group_ || group_->rank() == 0); }

std::optional<std::vector<double>> state_keeper::found() const {
    if (where_.path.empty()) return std::nullopt;
    std::optional<std::vector<double>> out;
    if (mine()) out = read_state(where_.path, problem_);
    if (!group_) return out;
    std::uint64_t size = out ? out->size() + 1 : 0;
    group_->broadcast(&size, sizeof size);
    if (size == 0) return std::nullopt;
    if (!out) out.emplace();
    out->resize(size - 1);
    group_->broadcast(out->data(), out->size() * sizeof(double));
    return out;
}

void state_keeper::keep(std::span<const double> state) {
    const auto now = std::chrono::steady_clock::now();
    if (!mine() || std::chrono::duration<double>(now - last_).count() < where_.seconds) return;
    write_state(where_.path, problem_, state);
    last_ = std::chrono::steady_clock::now();
}

void state_keeper::remove() const {
    if (mine()) remove_state(where_.path);
}

}  // namespace mercer

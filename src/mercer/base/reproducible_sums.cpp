#include "mercer/base/reproducible_sums.h"

#include <algorithm>
#include <cstdint>

#include "mercer/base/communicator.h"

namespace mercer {
namespace {

void add_to(std::vector<double>& sum, const std::vector<double>& more) {
    for (std::size_t i = 0; i < sum.size(); ++i) sum[i] += more[i];
}

}  // namespace

std::vector<double> pairwise_sums::zeros() {
    std::vector<double> out;
    {
        std::lock_guard guard(lock_);
        if (!unused_.empty()) out = std::move(unused_.back()), unused_.pop_back();
    }
    out.assign(static_cast<std::size_t>(width_), 0.0);
    return out;
}

void pairwise_sums::add(index leaf, std::vector<double> sums) { put({0, leaf}, std::move(sums)); }

void pairwise_sums::put(place at, std::vector<double> sums) {
    for (;;) {
        std::vector<double> other;
        {
            std::lock_guard guard(lock_);
            const auto found = nodes_.find({at.first, at.second ^ 1});
            if (found == nodes_.end()) {
                nodes_.emplace(at, std::move(sums));
                return;
            }
            other = std::move(found->second);
            nodes_.erase(found);
        }
        add_to(sums, other);  // a + b = b + a
        at = {at.first + 1, at.second / 2};
        std::lock_guard guard(lock_);
        unused_.push_back(std::move(other));
    }
}

// Rank r receives the nodes that rank r + 1 has gathered, then those of r + 2, r + 4, …, so that rank 0 has all nodes
// after log₂(number of ranks) rounds.
void pairwise_sums::gather(const communicator& group) {
    const int rank = group.rank();
    for (int step = 1; step < group.size(); step *= 2) {
        if (rank & step) {
            std::vector<std::int64_t> places;
            for (const auto& [at, sums] : nodes_) places.insert(places.end(), {at.first, at.second});
            const std::uint64_t count = nodes_.size();
            group.send(rank - step, &count, sizeof count);
            group.send(rank - step, places.data(), places.size() * sizeof(std::int64_t));
            for (const auto& [at, sums] : nodes_) group.send(rank - step, sums.data(), sums.size() * sizeof(double));
            nodes_.clear();
            return;
        }
        if (rank + step >= group.size()) continue;
        std::uint64_t count = 0;
        group.receive(rank + step, &count, sizeof count);
        std::vector<std::int64_t> places(2 * count);
        group.receive(rank + step, places.data(), places.size() * sizeof(std::int64_t));
        for (std::uint64_t i = 0; i < count; ++i) {
            std::vector<double> sums = zeros();
            group.receive(rank + step, sums.data(), sums.size() * sizeof(double));
            put({static_cast<int>(places[2 * i]), places[2 * i + 1]}, std::move(sums));
        }
    }
}

std::vector<double> pairwise_sums::total(const communicator* group) {
    if (group) gather(*group);
    // The remaining nodes have no sibling. The smallest nodes hold the last leaves and are added first.
    std::vector<place> order;
    for (const auto& [at, sums] : nodes_) order.push_back(at);
    std::ranges::sort(order);
    std::vector<double> out = zeros();
    for (std::size_t i = 0; i < order.size(); ++i) {
        if (i == 0)
            out = std::move(nodes_[order[i]]);
        else
            add_to(out, nodes_[order[i]]);
    }
    nodes_.clear();
    if (group) group->broadcast(out.data(), out.size() * sizeof(double));
    return out;
}

}  // namespace mercer

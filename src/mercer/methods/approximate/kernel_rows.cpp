#include "mercer/methods/approximate/kernel_rows.h"

#include <numeric>

#include "mercer/gram/adaptors.h"
#include "mercer/gram/kept_rows.h"

namespace mercer {
namespace {

evaluator_memory for_passes() { return {std::size_t{64} << 20, std::size_t{256} << 20}; }

// Rows of K as one batch, kept in memory where that is worth it.
template <class T>
owned<gram_batches<T>> in_one_batch(std::shared_ptr<const gram<T>> k, std::size_t budget) {
    const double bytes = sizeof(T) * static_cast<double>(k->rows()) * static_cast<double>(k->cols());
    owned<gram_batches<T>> out{{k}, nullptr};
    if (k->element_cost() > 2 && (bytes <= static_cast<double>(budget) || k->element_cost() > 30)) {
        auto kept = std::make_shared<const kept_rows<T>>(*k, budget, false);
        out.keep.push_back(kept);
        out.it = std::make_unique<one_batch<T>>(*kept);
    } else {
        out.it = std::make_unique<one_batch<T>>(*k);
    }
    return out;
}

std::vector<index> listed(std::span<const index> which) { return {which.begin(), which.end()}; }

}  // namespace

bool float_pays(const kernel& k, index rows, index centres) {
    return k.properties().normalised && static_cast<double>(rows) * static_cast<double>(centres) > 3e8;
}

owned<gram<double>> objects_in_memory::among(const dataset& objects, std::span<const index>) const {
    return {{}, make_gram<double>(*k_, objects, std::size_t{64} << 20)};
}
owned<gram<double>> objects_in_memory::between(const dataset& left, std::span<const index>, const dataset& right,
                                               std::span<const index>) const {
    return {{}, make_gram<double>(*k_, left, right, std::size_t{64} << 20)};
}
owned<gram_batches<double>> objects_in_memory::passes(const dataset& centres, std::span<const index>,
                                                      std::size_t budget) const {
    return in_one_batch<double>(make_gram<double>(*k_, x_, centres, for_passes()), budget);
}
owned<gram_batches<float>> objects_in_memory::rough_passes(const dataset& centres, std::size_t budget) const {
    if (!float_pays(*k_, x_.size(), centres.size())) return {};
    return in_one_batch<float>(make_gram<float>(*k_, x_, centres, {64u << 20, 256u << 20, true}), budget);
}

owned<gram<double>> values_in_memory::among(const dataset&, std::span<const index> which) const {
    return {{}, std::make_unique<subset<double>>(k_, listed(which))};
}
owned<gram<double>> values_in_memory::between(const dataset&, std::span<const index> rows, const dataset&,
                                              std::span<const index> cols) const {
    return {{}, std::make_unique<subset<double>>(k_, listed(rows), listed(cols))};
}
owned<gram_batches<double>> values_in_memory::passes(const dataset&, std::span<const index> which, std::size_t) const {
    std::vector<index> all(static_cast<std::size_t>(k_.rows()));
    std::iota(all.begin(), all.end(), index{0});
    std::shared_ptr<const gram<double>> k(std::make_shared<subset<double>>(k_, std::move(all), listed(which)));
    return {{k}, std::make_unique<one_batch<double>>(*k)};
}

}  // namespace mercer

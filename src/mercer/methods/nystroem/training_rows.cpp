#include "mercer/methods/nystroem/training_rows.h"

#include <limits>
#include <numeric>

#include "mercer/gram/gram_views.h"
#include "mercer/gram/kept_rows.h"

namespace mercer {
namespace {

template <class T>
struct kept_gram {
    std::unique_ptr<const gram<T>> fresh;
    kept_rows<T> kept;
};

template <class T>
owned<gram_batches<T>> in_one_batch(std::shared_ptr<const gram<T>> k) {
    return {{k}, std::make_unique<one_batch<T>>(*k)};
}

std::vector<index> listed(std::span<const index> which) { return {which.begin(), which.end()}; }

}  // namespace

template <class T>
std::shared_ptr<const gram<T>> rows_of_passes(const kernel& k, const dataset& x, const dataset& centres,
                                              std::size_t budget) {
    auto fresh = make_gram<T>(k, x, centres, {std::size_t{64} << 20, std::size_t{256} << 20, sizeof(T) == 4});
    const double bytes = sizeof(T) * static_cast<double>(fresh->rows()) * static_cast<double>(fresh->cols());
    const bool dear = fresh->element_cost() > 30;
    if (bytes > static_cast<double>(budget) && !dear) return fresh;
    // A pass over values in memory takes about half of one that computes the cheapest of them, and there are a dozen.
    // Dearer ones are saved almost whole.
    const double patience = dear ? std::numeric_limits<double>::infinity() : fresh->element_cost() > 2 ? 16 : 4;
    const gram<T>& rows = *fresh;
    const std::shared_ptr<const kept_gram<T>> both(new kept_gram<T>{std::move(fresh), {rows, budget, false, patience}});
    return {both, &both->kept};
}
template std::shared_ptr<const gram<float>> rows_of_passes(const kernel&, const dataset&, const dataset&, std::size_t);
template std::shared_ptr<const gram<double>> rows_of_passes(const kernel&, const dataset&, const dataset&, std::size_t);

bool float_pays(const kernel& k, index rows, index centres, double pairs) {
    return k.properties().normalised && static_cast<double>(rows) * static_cast<double>(centres) > pairs;
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
    return in_one_batch(rows_of_passes<double>(*k_, x_, centres, budget));
}
owned<gram_batches<float>> objects_in_memory::rough_passes(const dataset& centres, std::size_t budget,
                                                           double pairs) const {
    if (!float_pays(*k_, x_.size(), centres.size(), pairs)) return {};
    return in_one_batch(rows_of_passes<float>(*k_, x_, centres, budget));
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

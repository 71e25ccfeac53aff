#include "mercer/methods/approximate/streamed_rows.h"

#include <fmt/format.h>

#include <algorithm>
#include <future>
#include <optional>

#include "mercer/base/error.h"
#include "mercer/base/stop.h"

namespace mercer {
namespace {

template <class T>
class streamed_gram final : public gram_batches<T> {
public:
    streamed_gram(std::shared_ptr<const kernel> k, row_batches& from, std::function<dataset(const dataset&)> prepare,
                  dataset centres)
        : k_(std::move(k)), from_(from), prepare_(std::move(prepare)), centres_(std::move(centres)) {}
    index cols() const override { return centres_.size(); }
    void each(const std::function<void(index first, const gram<T>& rows)>& use) const override {
        each_batch(from_, [&](index first, const table& batch) {
            const dataset x = prepare_(batch.x);
            if (x.kind() == domain::vectors) require_finite(x);
            use(first, *make_gram<T>(*k_, x, centres_, {std::size_t{64} << 20, std::size_t{64} << 20, sizeof(T) == 4}));
        });
    }

private:
    std::shared_ptr<const kernel> k_;
    row_batches& from_;
    std::function<dataset(const dataset&)> prepare_;
    dataset centres_;
};

}  // namespace

void each_batch(row_batches& from, const std::function<void(index first, const table& batch)>& use) {
    from.restart();
    const auto fetch = [&from] {
        table out;
        return from.next(out) ? std::optional<table>(std::move(out)) : std::nullopt;
    };
    index first = 0;
    std::optional<table> now = fetch();
    while (now) {
        stop_point();
        std::future<std::optional<table>> later = std::async(std::launch::async, fetch);
        try {
            use(first, *now);
        } catch (...) {
            later.wait();  // it reads from what the caller owns
            throw;
        }
        first += now->x.size();
        now = later.get();
    }
}

streamed_targets read_targets(row_batches& from) {
    streamed_targets out;
    bool named = false;
    std::vector<std::string> names;  // in the order they are met
    each_batch(from, [&](index first, const table& batch) {
        if (first == 0) {
            out.kind = batch.x.kind(), out.feature_names = batch.feature_names;
            named = !batch.class_names.empty();
        }
        if (named != !batch.class_names.empty())
            fail(errc::data, fmt::format("row {}: targets are names in some rows and numbers in others", first));
        out.size += batch.x.size();
        out.dims = std::max(out.dims, batch.x.dims());
        std::vector<double> place;
        for (const std::string& each : batch.class_names) {
            const auto at = std::ranges::find(names, each);
            place.push_back(static_cast<double>(at - names.begin()));
            if (at == names.end()) names.push_back(each);
        }
        for (const double y : batch.y) out.y.push_back(named ? place[static_cast<std::size_t>(y)] : y);
    });
    if (!named) return out;
    out.class_names = names;
    std::ranges::sort(out.class_names);
    for (double& y : out.y)
        y = static_cast<double>(std::ranges::lower_bound(out.class_names, names[static_cast<std::size_t>(y)]) -
                                out.class_names.begin());
    return out;
}

dataset streamed_rows::gather(std::span<const index> which) const {
    dataset out;
    std::size_t at = 0;
    each_batch(from_, [&](index first, const table& batch) {
        std::vector<index> here;
        for (; at < which.size() && which[at] < first + batch.x.size(); ++at) here.push_back(which[at] - first);
        if (here.empty()) return;
        const dataset some = prepare_(mercer::gather(batch.x, std::span<const index>(here)));
        out = out.size() == 0 ? some : concatenate(out, some);
    });
    return out;
}

owned<gram<double>> streamed_rows::among(const dataset& objects, std::span<const index>) const {
    return {{}, make_gram<double>(*k_, objects, std::size_t{64} << 20)};
}
owned<gram<double>> streamed_rows::between(const dataset& left, std::span<const index>, const dataset& right,
                                           std::span<const index>) const {
    return {{}, make_gram<double>(*k_, left, right, std::size_t{64} << 20)};
}
owned<gram_batches<double>> streamed_rows::passes(const dataset& centres, std::span<const index>, std::size_t) const {
    return {{}, std::make_unique<streamed_gram<double>>(k_, from_, prepare_, centres)};
}
owned<gram_batches<float>> streamed_rows::rough_passes(const dataset& centres) const {
    if (!float_pays(*k_, size_, centres.size())) return {};
    return {{}, std::make_unique<streamed_gram<float>>(k_, from_, prepare_, centres)};
}

}  // namespace mercer

#include "mercer/methods/nystroem/streamed_rows.h"

#include <fmt/format.h>

#include <algorithm>
#include <future>
#include <optional>

#include "mercer/base/communicator.h"
#include "mercer/base/context.h"
#include "mercer/base/error.h"
#include "mercer/data/all_kinds.h"
#include "mercer/methods/archive.h"
#include "mercer/methods/nystroem/training_rows.h"

namespace mercer {
namespace {

template <class T>
class streamed_gram final : public gram_batches<T> {
public:
    streamed_gram(std::shared_ptr<const kernel> k, row_batches& from, index rows,
                  std::function<dataset(const dataset&)> prepare, dataset centres)
        : k_(std::move(k)), from_(from), rows_(rows), prepare_(std::move(prepare)), centres_(std::move(centres)) {}
    index rows() const override { return rows_; }
    const communicator* processes() const override { return from_.processes(); }
    index cols() const override { return centres_.size(); }
    void each(const std::function<void(index first, const gram<T>& rows)>& use) const override {
        for_each_batch(from_, [&](index first, const table& batch) {
            const dataset x = prepare_(batch.x);
            if (x.kind() == object_kind::vectors) require_finite(x);
            use(first, *make_gram<T>(*k_, x, centres_, {std::size_t{64} << 20, std::size_t{64} << 20, sizeof(T) == 4}));
        });
    }

private:
    std::shared_ptr<const kernel> k_;
    row_batches& from_;
    index rows_;
    std::function<dataset(const dataset&)> prepare_;
    dataset centres_;
};

}  // namespace

// Message in which a process describes the rows it has read.
struct stream_summary {
    index own = 0, dims = 0;
    std::string kind;
    std::vector<std::string> classes, features;
};
template <>
struct file_form<stream_summary> {
    static constexpr std::string_view format = "mercer-facts";
    static constexpr int version = 1;
    static void parts(auto& a, auto& m) {
        a.integer("own", m.own);
        a.integer("dims", m.dims);
        a.head("kind", m.kind);
        a.head("classes", m.classes);
        a.head("features", m.features);
    }
};
template struct model_file<stream_summary>;

namespace {

// Combines the descriptions of all processes and fails if they do not match.
void combine_summaries(const communicator& group, streamed_targets& out) {
    const stream_summary mine{out.own, out.dims, name(out.kind), out.class_names, out.feature_names};
    out.size = 0;
    std::vector<std::string> names;
    bool seen = false, named = false;
    for (const std::string& each : group.all_gather(model_file<stream_summary>::bytes(mine))) {
        const stream_summary theirs = model_file<stream_summary>::parse(each, "what another process has read");
        if (theirs.own == 0) continue;
        if (!seen) {
            out.kind = parse_object_kind(theirs.kind);
            out.feature_names = theirs.features;
            named = !theirs.classes.empty();
        }
        seen = true;
        if (named != !theirs.classes.empty())
            fail(errc::data, "targets must be all names or all numbers, got both in different processes");
        if (theirs.features != out.feature_names || theirs.kind != name(out.kind))
            fail(errc::data, "the files of the processes do not have the same columns");
        out.size += theirs.own;
        out.dims = std::max(out.dims, theirs.dims);
        names.insert(names.end(), theirs.classes.begin(), theirs.classes.end());
    }
    std::ranges::sort(names);
    names.erase(std::unique(names.begin(), names.end()), names.end());
    out.class_names = names;
}

}  // namespace

void for_each_batch(row_batches& from, const std::function<void(index first, const table& batch)>& use) {
    from.restart();
    const auto fetch = [&from] {
        table out;
        return from.next(out) ? std::optional<table>(std::move(out)) : std::nullopt;
    };
    index first = from.first();
    std::optional<table> now = fetch();
    while (now) {
        throw_if_cancelled();
        // Deferred if the system cannot start another thread.
        std::future<std::optional<table>> later = std::async(std::launch::async | std::launch::deferred, fetch);
        try {
            use(first, *now);
        } catch (...) {
            later.wait();  // the reading thread uses data of the caller
            throw;
        }
        first += now->x.size();
        now = later.get();
    }
}

streamed_targets read_targets(row_batches& from) {
    streamed_targets out;
    bool named = false;
    std::vector<std::string> names;  // in the order in which they occur
    for_each_batch(from, [&](index first, const table& batch) {
        if (out.own == 0) {
            out.kind = batch.x.kind(), out.feature_names = batch.feature_names;
            named = !batch.class_names.empty();
        }
        if (named != !batch.class_names.empty())
            fail(errc::data, fmt::format("row {} (counted from 0): targets must be all names or all numbers, but they "
                                         "are {} here and {} in earlier rows",
                                         first, named ? "numbers" : "names", named ? "names" : "numbers"));
        out.own += batch.x.size();
        out.dims = std::max(out.dims, batch.x.dims());
        out.row_bytes = std::max(out.row_bytes, static_cast<double>(bytes_of_vectors(batch.x).value_or(0)) /
                                                    static_cast<double>(std::max<index>(batch.x.size(), 1)));
        std::vector<double> place;
        for (const std::string& each : batch.class_names) {
            const auto at = std::ranges::find(names, each);
            place.push_back(static_cast<double>(at - names.begin()));
            if (at == names.end()) names.push_back(each);
        }
        for (const double y : batch.y) out.y.push_back(named ? place[static_cast<std::size_t>(y)] : y);
    });
    out.class_names = names;
    out.size = out.own;
    if (from.processes()) combine_summaries(*from.processes(), out);
    if (out.class_names.empty()) return out;
    std::ranges::sort(out.class_names);
    for (double& y : out.y)
        y = static_cast<double>(std::ranges::lower_bound(out.class_names, names[static_cast<std::size_t>(y)]) -
                                out.class_names.begin());
    return out;
}

dataset streamed_rows::gather(std::span<const index> which) const {
    dataset out;
    const auto begin = std::ranges::lower_bound(which, first());
    auto at = static_cast<std::size_t>(begin - which.begin());
    for_each_batch(from_, [&](index first, const table& batch) {
        std::vector<index> here;
        for (; at < which.size() && which[at] < first + batch.x.size(); ++at) here.push_back(which[at] - first);
        if (here.empty()) return;
        const dataset some = prepare_(mercer::gather(batch.x, std::span<const index>(here)));
        out = out.size() == 0 ? some : concatenate(out, some);
    });
    return processes() ? join(*processes(), out) : out;
}

std::vector<double> streamed_rows::self() const {
    std::vector<double> out;
    for_each_batch(from_, [&](index, const table& batch) {
        const std::vector<double> some = kernel_diagonal(*k_, prepare_(batch.x));
        out.insert(out.end(), some.begin(), some.end());
    });
    return out;
}

owned<gram<double>> streamed_rows::square_gram(const dataset& objects, std::span<const index>) const {
    return {{}, make_gram<double>(*k_, objects, std::size_t{64} << 20)};
}
owned<gram<double>> streamed_rows::cross_gram(const dataset& left, std::span<const index>, const dataset& right,
                                              std::span<const index>) const {
    return {{}, make_gram<double>(*k_, left, right, std::size_t{64} << 20)};
}
owned<gram_batches<double>> streamed_rows::passes(const dataset& centres, std::span<const index>, std::size_t) const {
    return {{}, std::make_unique<streamed_gram<double>>(k_, from_, size_, prepare_, centres)};
}
owned<gram_batches<float>> streamed_rows::float_passes(const dataset& centres, std::size_t, double pairs) const {
    if (!is_float_faster(*k_, size_, centres.size(), pairs)) return {};
    return {{}, std::make_unique<streamed_gram<float>>(k_, from_, size_, prepare_, centres)};
}

}  // namespace mercer

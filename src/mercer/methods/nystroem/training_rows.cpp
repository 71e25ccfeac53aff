#include "mercer/methods/nystroem/training_rows.h"

#include <fmt/format.h>

#include <algorithm>
#include <cstring>
#include <limits>
#include <numeric>
#include <string>

#include "mercer/base/communicator.h"
#include "mercer/base/error.h"
#include "mercer/base/memory.h"
#include "mercer/data/dataset.h"
#include "mercer/gram/gram_views.h"
#include "mercer/gram/row_cache.h"
#include "mercer/methods/archive.h"

namespace mercer {
namespace {

template <class T>
struct kept_gram {
    std::unique_ptr<const gram<T>> fresh;
    stored_rows<T> kept;
};

template <class T>
owned<gram_batches<T>> as_one_batch(std::shared_ptr<const gram<T>> k) {
    return {{k}, std::make_unique<one_batch<T>>(*k)};
}

std::vector<index> to_vector(std::span<const index> which) { return {which.begin(), which.end()}; }

}  // namespace

template <class T>
std::shared_ptr<const gram<T>> make_pass_rows(const kernel& k, const dataset& x, const dataset& centres,
                                              std::size_t budget) {
    auto fresh = make_gram<T>(k, x, centres, {std::size_t{64} << 20, std::size_t{256} << 20, sizeof(T) == 4});
    const double bytes = sizeof(T) * static_cast<double>(fresh->rows()) * static_cast<double>(fresh->cols());
    const bool dear = fresh->cycles_per_element() > 30;
    if (bytes > static_cast<double>(budget) && !dear) return fresh;
    // stored_rows stops storing where first writes to memory take more than `patience` times as long as computing the
    // values. A pass over stored values takes about half as long as one that computes the cheapest kernel, and a fit
    // makes about a dozen passes. Expensive values are always worth storing.
    const double patience = dear ? std::numeric_limits<double>::infinity() : fresh->cycles_per_element() > 2 ? 16 : 4;
    const gram<T>& rows = *fresh;
    const std::shared_ptr<const kept_gram<T>> both(new kept_gram<T>{std::move(fresh), {rows, budget, false, patience}});
    return {both, &both->kept};
}
template std::shared_ptr<const gram<float>> make_pass_rows(const kernel&, const dataset&, const dataset&, std::size_t);
template std::shared_ptr<const gram<double>> make_pass_rows(const kernel&, const dataset&, const dataset&, std::size_t);

bool is_float_faster(const kernel& k, index rows, index centres, double pairs) {
    return k.properties().normalised && static_cast<double>(rows) * static_cast<double>(centres) > pairs;
}

owned<gram<double>> examples_in_memory::square_gram(const dataset& objects, std::span<const index>) const {
    return {{}, make_gram<double>(*k_, objects, std::size_t{64} << 20)};
}
owned<gram<double>> examples_in_memory::cross_gram(const dataset& left, std::span<const index>, const dataset& right,
                                                   std::span<const index>) const {
    return {{}, make_gram<double>(*k_, left, right, std::size_t{64} << 20)};
}
owned<gram_batches<double>> examples_in_memory::passes(const dataset& centres, std::span<const index>,
                                                       std::size_t budget) const {
    return as_one_batch(make_pass_rows<double>(*k_, x_, centres, budget));
}
owned<gram_batches<float>> examples_in_memory::float_passes(const dataset& centres, std::size_t budget,
                                                            double pairs) const {
    if (!is_float_faster(*k_, x_.size(), centres.size(), pairs)) return {};
    return as_one_batch(make_pass_rows<float>(*k_, x_, centres, budget));
}

owned<gram<double>> gram_in_memory::square_gram(const dataset&, std::span<const index> which) const {
    return {{}, std::make_unique<subset<double>>(k_, to_vector(which))};
}
owned<gram<double>> gram_in_memory::cross_gram(const dataset&, std::span<const index> rows, const dataset&,
                                               std::span<const index> cols) const {
    return {{}, std::make_unique<subset<double>>(k_, to_vector(rows), to_vector(cols))};
}
owned<gram_batches<double>> gram_in_memory::passes(const dataset&, std::span<const index> which, std::size_t) const {
    std::vector<index> all(static_cast<std::size_t>(k_.rows()));
    std::iota(all.begin(), all.end(), index{0});
    std::shared_ptr<const gram<double>> k(std::make_shared<subset<double>>(k_, std::move(all), to_vector(which)));
    return {{k}, std::make_unique<one_batch<double>>(*k)};
}

struct dataset_message {
    dataset x;
};
template <>
struct file_form<dataset_message> {
    static constexpr std::string_view format = "mercer-objects";
    static constexpr int version = 1;
    static void parts(auto& a, auto& m) { a.objects("objects", m.x); }
};
template struct model_file<dataset_message>;

std::string pack_dataset(const dataset& x) {
    return x.size() == 0 ? std::string() : model_file<dataset_message>::bytes({x});
}
dataset unpack_dataset(std::string_view bytes) {
    return bytes.empty() ? dataset() : model_file<dataset_message>::parse(bytes, "objects of another process").x;
}

dataset join(const communicator& group, const dataset& mine) {
    dataset out;
    for (const std::string& each : group.all_gather(pack_dataset(mine))) {
        const dataset some = unpack_dataset(each);
        if (some.size() > 0) out = out.size() == 0 ? some : concatenate(out, some);
    }
    return out;
}

namespace {

std::string kind_of(const dataset& x) {
    if (x.kind() != object_kind::vectors) return name(x.kind());
    const bool single = x.as<dense<float>>() || x.as<sparse<float>>();
    return fmt::format("{} vectors of {} features in {}", x.is_sparse() ? "sparse" : "dense", x.dims(),
                       single ? "float" : "double");
}

// The row numbers of all processes, and the rows that each process works on.
struct row_partition {
    std::vector<index> owned_from{0}, works_from{0};  // first row of each process, and the total
    index targets = 0;                                // number of columns of y
    bool weighted = false;

    index size() const { return owned_from.back(); }
};

row_partition partition_rows(const communicator& group, const dataset& x, matrix_view<const double> y,
                             const std::vector<double>& weight) {
    index mine[3] = {x.size(), y.cols, weight.empty() ? 0 : 1};
    std::string message(reinterpret_cast<const char*>(mine), sizeof mine);
    if (x.size() > 0) message += kind_of(x);
    row_partition out;
    std::string kind;
    int whose = 0;
    for (int rank = 0; const std::string& each : group.all_gather(message)) {
        index theirs[3];
        std::memcpy(theirs, each.data(), sizeof theirs);
        out.owned_from.push_back(out.owned_from.back() + theirs[0]);
        out.weighted = out.weighted || theirs[2] != 0;
        const std::string its = each.substr(sizeof theirs);
        if (theirs[0] > 0 && kind.empty()) kind = its, out.targets = theirs[1], whose = rank;
        if (theirs[0] > 0 && its != kind)
            fail(errc::data, fmt::format("process {} has {}, but process {} has {}: all processes must have the same",
                                         whose, kind, rank, its));
        if (theirs[0] > 0 && theirs[1] != out.targets)
            fail(
                errc::data,
                fmt::format(
                    "process {} has {} targets per row, but process {} has {}: all processes must have the same number",
                    whose, out.targets, rank, theirs[1]));
        ++rank;
    }
    const index leaf = chunk_rows(out.size());
    for (std::size_t r = 1; r < out.owned_from.size(); ++r)
        out.works_from.push_back(r + 1 == out.owned_from.size() ? out.size() : out.owned_from[r] / leaf * leaf);
    return out;
}

// Some rows with their targets and weights, packed into a message.
class row_message {
public:
    row_message(const dataset& x, matrix_view<const double> y, const std::vector<double>& weight) {
        const std::string objects = pack_dataset(x);
        const std::uint64_t size = objects.size();
        put(&size, sizeof size), put(objects.data(), objects.size());
        for (index i = 0; i < y.rows; ++i) put(y.row(i), static_cast<std::size_t>(y.cols) * sizeof(double));
        put(weight.data(), weight.size() * sizeof(double));
    }
    void send(const communicator& group, int to) const {
        const std::uint64_t size = bytes_.size();
        group.send(to, &size, sizeof size);
        group.send(to, bytes_.data(), bytes_.size());
    }

private:
    void put(const void* from, std::size_t bytes) { bytes_.append(static_cast<const char*>(from), bytes); }
    std::string bytes_;
};

class row_distribution {
public:
    row_distribution(const communicator& group, const dataset& x, matrix_view<const double> y,
                     const std::vector<double>& weight)
        : group_(group), x_(x), y_(y), weight_(weight), partition_(partition_rows(group, x, y, weight)) {
        const auto me = static_cast<std::size_t>(group.rank());
        out_.group = &group, out_.size = partition_.size(), out_.first = partition_.works_from[me];
        out_.y = matrix<double>(partition_.works_from[me + 1] - out_.first, partition_.targets);
        if (partition_.weighted) out_.weight.assign(static_cast<std::size_t>(out_.y.rows()), 1.0);
    }

    shared_examples run() {
        // All processes visit the pairs in the same order, so that every send has its matching receive.
        const auto processes = static_cast<std::size_t>(group_.size());
        for (std::size_t from = 0; from < processes; ++from)
            for (std::size_t to = 0; to < processes; ++to) {
                const index first = std::max(partition_.owned_from[from], partition_.works_from[to]),
                            end = std::min(partition_.owned_from[from + 1], partition_.works_from[to + 1]);
                if (first >= end) continue;
                if (static_cast<int>(to) == group_.rank())
                    receive_rows(static_cast<int>(from), first, end - first);
                else if (static_cast<int>(from) == group_.rank())
                    send_rows(static_cast<int>(to), first, end - first);
            }
        return std::move(out_);
    }

private:
    index begin() const { return partition_.owned_from[static_cast<std::size_t>(group_.rank())]; }

    void send_rows(int to, index first, index count) const {
        const index at = first - begin();
        const auto from = weight_.begin() + (weight_.empty() ? 0 : at);
        row_message(part(x_, at, count), y_.block(at, 0, count, y_.cols),
                    weight_.empty() ? std::vector<double>() : std::vector<double>(from, from + count))
            .send(group_, to);
    }

    void receive_rows(int from, index first, index count) {
        const index to = first - out_.first;
        if (from == group_.rank()) {
            const index at = first - begin();
            for (index i = 0; i < count; ++i) std::copy_n(y_.row(at + i), y_.cols, out_.y.row(to + i));
            if (!weight_.empty()) std::copy_n(weight_.begin() + at, count, out_.weight.begin() + to);
            // If other rows come before the rows of this rank, the rows of this rank up to the next chunk boundary are
            // copied and join those rows in `border`, so that each chunk is contiguous. The rows after the boundary are
            // not copied: `rest` refers to them.
            const index leaf = chunk_rows(out_.size),
                        border = to == 0 ? 0 : std::min(count, (first + leaf - 1) / leaf * leaf - first);
            if (border > 0) out_.border = concatenate(out_.border, part(x_, at, border));
            out_.rest = part(x_, at + border, count - border);
            return;
        }
        std::uint64_t size = 0;
        group_.receive(from, &size, sizeof size);
        std::string bytes(size, '\0');
        group_.receive(from, bytes.data(), bytes.size());
        std::uint64_t objects = 0;
        std::memcpy(&objects, bytes.data(), sizeof objects);
        const dataset some = unpack_dataset(std::string_view(bytes).substr(sizeof objects, objects));
        out_.border = out_.border.size() == 0 ? some : concatenate(out_.border, some);
        const char* at = bytes.data() + sizeof objects + objects;
        const std::size_t numbers = static_cast<std::size_t>(count * partition_.targets) * sizeof(double);
        copy_bytes(out_.y.row(to), at, numbers);
        const std::size_t rest = bytes.size() - (sizeof objects + objects + numbers);
        copy_bytes(out_.weight.data() + to, at + numbers, rest);
    }

    const communicator& group_;
    const dataset& x_;
    matrix_view<const double> y_;
    const std::vector<double>& weight_;
    row_partition partition_;
    shared_examples out_;
};

template <class T>
class shared_batches final : public gram_batches<T> {
public:
    shared_batches(const kernel& k, const shared_examples& all, const dataset& centres, std::size_t budget)
        : all_(all), cols_(centres.size()) {
        if (all.border.size() > 0) border_ = make_pass_rows<T>(k, all.border, centres, budget);
        if (all.rest.size() > 0) rest_ = make_pass_rows<T>(k, all.rest, centres, budget);
    }
    index rows() const override { return all_.size; }
    index cols() const override { return cols_; }
    const communicator* processes() const override { return all_.group; }
    void each(const std::function<void(index first, const gram<T>& rows)>& use) const override {
        if (border_) use(all_.first, *border_);
        if (rest_) use(all_.first + all_.border.size(), *rest_);
    }

private:
    const shared_examples& all_;
    index cols_;
    std::shared_ptr<const gram<T>> border_, rest_;
};

}  // namespace

shared_examples distribute_rows(const communicator& group, const dataset& x, matrix_view<const double> y,
                                const std::vector<double>& weight) {
    return row_distribution(group, x, y, weight).run();
}

dataset shared_rows::gather(std::span<const index> which) const {
    dataset mine;
    index first = all_.first;
    for (const dataset* each : {&all_.border, &all_.rest}) {
        std::vector<index> here;
        for (auto at = std::ranges::lower_bound(which, first); at != which.end() && *at < first + each->size(); ++at)
            here.push_back(*at - first);
        first += each->size();
        if (here.empty()) continue;
        const dataset some = mercer::gather(*each, std::span<const index>(here));
        mine = mine.size() == 0 ? some : concatenate(mine, some);
    }
    return join(*all_.group, mine);
}

index shared_rows::dims() const {
    return static_cast<index>(
        max_over_ranks(all_.group, static_cast<double>(std::max(all_.border.dims(), all_.rest.dims()))));
}

std::vector<double> shared_rows::self() const {
    std::vector<double> out;
    for (const dataset* each : {&all_.border, &all_.rest}) {
        if (each->size() == 0) continue;
        const std::vector<double> some = kernel_diagonal(*k_, *each);
        out.insert(out.end(), some.begin(), some.end());
    }
    return out;
}

owned<gram<double>> shared_rows::square_gram(const dataset& objects, std::span<const index>) const {
    return {{}, make_gram<double>(*k_, objects, std::size_t{64} << 20)};
}
owned<gram<double>> shared_rows::cross_gram(const dataset& left, std::span<const index>, const dataset& right,
                                            std::span<const index>) const {
    return {{}, make_gram<double>(*k_, left, right, std::size_t{64} << 20)};
}
owned<gram_batches<double>> shared_rows::passes(const dataset& centres, std::span<const index>,
                                                std::size_t budget) const {
    return {{}, std::make_unique<shared_batches<double>>(*k_, all_, centres, budget)};
}
owned<gram_batches<float>> shared_rows::float_passes(const dataset& centres, std::size_t budget, double pairs) const {
    if (!is_float_faster(*k_, all_.size, centres.size(), pairs)) return {};
    return {{}, std::make_unique<shared_batches<float>>(*k_, all_, centres, budget)};
}

}  // namespace mercer

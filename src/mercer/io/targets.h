// The targets of graphs: every graph has one, or none has. What is wrong with one is said at its place, for the graphs
// may come from several files.
#pragma once

#include <fmt/format.h>

#include <algorithm>
#include <deque>
#include <optional>
#include <string>

#include "mercer/base/readers_text.h"
#include "mercer/io/tsv.h"

namespace mercer::detail {

class graph_targets {
public:
    explicit graph_targets(const tsv_options& options) : options_(options) {}

    // The label of the next graph, which stands at that byte of the file; or the graph does, where it has none.
    void add(std::optional<std::string> label, const std::string& name, std::string_view text, std::size_t offset) {
        if (!options_.labelled) return;
        if (!first_) first_ = label.has_value();
        if (*first_ != label.has_value())
            fail_at(errc::parse, name, text, offset,
                    *first_ ? "expected a label of this graph, for the first one has a label"
                            : "expected no label of this graph, for the first one has none");
        if (!label) return;
        const auto& known = options_.classes;
        *label = as_utf8(*label);
        if (!known.empty() && std::ranges::find(known, *label) == known.end())
            fail_at(errc::data, name, text, offset,
                    fmt::format("expected one of the {} known classes, got {}", known.size(), detail::quoted(*label)));
        labels_.add(kept_.emplace_back(std::move(*label)), 0);
    }
    void finish(table& out) {
        if (!kept_.empty()) labels_.finish({}, {}, options_.classes, out);
    }

private:
    const tsv_options& options_;
    std::optional<bool> first_;     // whether the first graph has one
    std::deque<std::string> kept_;  // never moves what it holds
    label_column labels_;
};

}  // namespace mercer::detail

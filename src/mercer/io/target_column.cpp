#include "mercer/io/target_column.h"

#include <fmt/format.h>

#include <algorithm>
#include <iterator>
#include <unordered_map>

#include "mercer/base/error.h"
#include "mercer/base/text.h"

namespace mercer::detail {

void label_column::add(std::string_view label, std::size_t offset) {
    double value = 0;
    if (numbers_.size() == entries_.size() && parse_number(label, value) == number_error::none)
        numbers_.push_back(value);
    else if (!is_utf8(label))
        label = converted_.emplace_back(to_utf8(label));
    entries_.push_back({label, offset});
}

void label_column::copy_names() {
    if (numbers_.size() == entries_.size()) return;
    std::unordered_map<std::string_view, std::string_view> owned;
    for (entry& one : entries_) {
        const auto [at, fresh] = owned.try_emplace(one.text);
        if (fresh) at->second = converted_.emplace_back(one.text);
        one.text = at->second;
    }
}

void label_column::append(label_column&& next) {
    if (numbers_.size() == entries_.size()) numbers_.insert(numbers_.end(), next.numbers_.begin(), next.numbers_.end());
    entries_.insert(entries_.end(), next.entries_.begin(), next.entries_.end());
    copies_.push_back(std::move(next.converted_));
    std::ranges::move(next.copies_, std::back_inserter(copies_));
}

void label_column::finish(const std::string& name, std::string_view text, const std::vector<std::string>& known,
                          table& out) {
    if (known.empty() && numbers_.size() == entries_.size()) {
        out.y = std::move(numbers_);
        return;
    }
    std::vector<std::string> names = known;
    if (known.empty()) {
        std::unordered_map<std::string_view, bool> seen;
        for (const entry& one : entries_)
            if (seen.emplace(one.text, true).second) names.emplace_back(one.text);
        std::sort(names.begin(), names.end());
    }
    std::unordered_map<std::string_view, double> number;
    for (std::size_t k = 0; k < names.size(); ++k) number.emplace(names[k], static_cast<double>(k));
    out.y.reserve(entries_.size());
    for (const entry& one : entries_) {
        const auto found = number.find(one.text);
        if (found == number.end())
            fail_at(errc::data, name, text, one.offset,
                    fmt::format("expected one of the {} known classes, got {}", names.size(), quoted(one.text)));
        out.y.push_back(found->second);
    }
    out.class_names = std::move(names);
}

namespace fs = std::filesystem;

std::vector<fs::path> folder_entries(const fs::path& folder) {
    std::vector<fs::path> out;
    std::error_code failed;
    for (fs::directory_iterator at(folder, failed), end; !failed && at != end; at.increment(failed))
        if (!at->path().filename().string().starts_with('.')) out.push_back(at->path());
    if (failed) fail(errc::io, fmt::format("{}: {}", folder.string(), failed.message()));
    std::ranges::sort(out, {}, [](const fs::path& each) { return each.string(); });
    return out;
}

std::string folder_class(const fs::path& folder, const std::vector<std::string>& known) {
    std::string name = to_utf8(folder.filename().string());
    if (!known.empty() && std::ranges::find(known, name) == known.end())
        fail(errc::data, fmt::format("{}: expected one of the {} known classes, got {}", folder.string(), known.size(),
                                     detail::quoted(name)));
    return name;
}

void label_list::add(std::string_view label) {
    places_.emplace_back(text_.size(), label.size());
    text_ += label;
    text_ += '\n';
}

void label_list::finish(const std::string& name, const std::vector<std::string>& known, table& out) const {
    label_column column;
    for (const auto& [at, size] : places_) column.add(std::string_view(text_).substr(at, size), at);
    column.finish(name, text_, known, out);
}

void graph_targets::add(std::optional<std::string> label, const std::string& name, std::string_view text,
                        std::size_t offset) {
    if (!options_.labelled) return;
    if (!first_) first_ = label.has_value();
    if (*first_ != label.has_value())
        fail_at(errc::parse, name, text, offset,
                *first_ ? "expected a label of this graph, because the first graph has one, got none"
                        : "expected no label of this graph, because the first graph has none");
    if (!label) return;
    const auto& known = options_.classes;
    *label = to_utf8(*label);
    if (!known.empty() && std::ranges::find(known, *label) == known.end())
        fail_at(errc::data, name, text, offset,
                fmt::format("expected one of the {} known classes, got {}", known.size(), detail::quoted(*label)));
    labels_.add(copies_.emplace_back(std::move(*label)), 0);
}

void graph_targets::finish(table& out) {
    if (!copies_.empty()) labels_.finish({}, {}, options_.classes, out);
}

}  // namespace mercer::detail

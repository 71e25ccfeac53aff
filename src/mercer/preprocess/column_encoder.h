// A table of columns of any kind as vectors: what each column is, found out on one table and applied to others, where
// columns are looked for by name, in any order.
#pragma once

#include <functional>
#include <memory>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "mercer/preprocess/column_rule.h"

namespace mercer {

struct column_options {
    std::string missing = "fill";    // or "refuse": missing values are errors
    std::string scale = "standard";  // numbers to mean 0 and variance 1; "minmax": to -1 … 1; "none"
};

class column_encoder final : public csv_encoder {
public:
    // `target` is not among what it encodes. Fails with errc::data where no column is left.
    static column_encoder fit(const text_table& from, std::optional<std::size_t> target,
                              const column_options& options = {});

    const std::vector<column_rule>& rules() const { return rules_; }  // of all columns but the target, in their order
    const column_options& options() const { return options_; }
    const std::string& target() const { return target_; }  // its name or position; empty: none
    bool named() const { return named_; }
    std::vector<std::string> names() const;  // of the columns it knows, the target included
    index dims() const;
    std::vector<std::string> coordinates() const;

    using teller = std::function<void(const std::string&)>;
    // Dense vectors, sparse ones where there are texts. Columns that the table of the fit had not are left out, and
    // `tell` is told of them, of categories that were not known and of values filled in columns that had been complete.
    dataset apply(const text_table& from, const teller& tell = {}) const;
    // Where the target is, if it is there.
    std::optional<std::size_t> target_in(const text_table& from) const;
    // The file as the table of the fit was. Targets that are not there, missing or of a class that was not known are
    // left out, all of them, and options.tell is told.
    table parse(const source& file, const csv_options& options) const override;

    // JSON; applies to the same table with the same result.
    std::string to_json() const;
    static column_encoder from_json(std::string_view text, const std::string& name);

private:
    std::vector<std::size_t> positions(const text_table& from, const teller& tell) const;

    column_options options_;
    std::vector<column_rule> rules_;
    std::string target_;
    std::size_t target_at_ = 0;
    bool named_ = true;
};

}  // namespace mercer

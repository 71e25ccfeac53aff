// Encodes a table with columns of any kind as vectors. The encoding is fitted on a training table and applied to other
// tables, in which columns are found by name, in any order.
//
// Example:
//
//     const text_table raw = text_table::parse(read_file("data/penguins.csv"));
//     const column_encoder encoder = column_encoder::fit(raw, raw.find_column("species", "the target"));
//     const dataset x = encoder.apply(raw);
//     assert(x.size() == raw.rows() && x.dims() == encoder.dims());
#pragma once

#include <functional>
#include <memory>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "mercer/preprocess/column_rule.h"

namespace mercer {

// Options of column_encoder::fit().
struct column_options {
    std::string missing = "fill";    // "fill": replaced (column_rule.h); "refuse": an error
    std::string scale = "standard";  // numbers get mean 0 and variance 1; "minmax": range -1 … 1; "none"
};

// A fitted encoding.
class column_encoder final : public csv_encoder {
public:
    // Fits the encoding of all columns but `target`. Throws errc::data if no column is left to encode.
    static column_encoder fit(const text_table& from, std::optional<std::size_t> target,
                              const column_options& options = {});

    // All columns but the target, in the order of the table.
    const std::vector<column_rule>& rules() const { return rules_; }
    const column_options& options() const { return options_; }
    const std::string& target() const { return target_; }  // name or position of the target column; empty: no target
    bool has_header() const { return has_header_; }        // the training table has a header
    std::vector<std::string> names() const;                // the names of the columns, the target last
    index dims() const;                                    // number of coordinates
    std::vector<std::string> coordinate_names() const;     // the names of the coordinates

    using note_handler = std::function<void(const std::string&)>;
    // Returns dense vectors, or sparse vectors if there are texts or more than 1,000 categories in a column. Columns
    // that the training table does not contain are ignored. on_note() is called with a note on ignored columns, on
    // unseen categories, and on missing values in columns without missing values in the training table.
    dataset apply(const text_table& from, const note_handler& on_note = {}) const;
    // Returns the column of the target; none if the table does not contain it.
    std::optional<std::size_t> find_target(const text_table& from) const;
    // Parses and encodes a file. If a row has no target, or a target that is neither a number nor one of
    // options.classes, no targets are returned, and options.on_note is called with a note.
    table parse(const file_contents& file, const csv_options& options) const override;

    // Returns the fitted encoder as JSON; the encoder that from_json() reads from it gives bit-identical results.
    // `name` is the name of the file in messages.
    std::string to_json() const;
    static column_encoder from_json(std::string_view text, const std::string& name);

private:
    std::vector<std::size_t> find_columns(const text_table& from, const note_handler& on_note) const;

    column_options options_;
    std::vector<column_rule> rules_;
    std::string target_;
    std::size_t target_at_ = 0;
    bool has_header_ = true;
};

}  // namespace mercer

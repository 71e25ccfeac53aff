// Options, data and output of the subcommands that fit or use a model.
#pragma once

#include <optional>

#include "mercer/model/fit.h"
#include "mercer/model/model_file.h"
#include "mercer/plot/panels.h"
#include "program.h"

namespace mercer::cli {

// METHOD and the options --kernel, --set and --max-memory.
struct method_options {
    std::string method;
    std::string kernel;
    std::vector<std::string> set;
    std::vector<std::string> name_options;  // options given within METHOD, as in cells(svc, size=2000)
    std::size_t memory = 0;
    void add_to(CLI::App& command, bool with_method = true);
    // Throws usage_error if the method, an option, a value or the kernel is invalid.
    api::spec spec() const;
    // Like spec(), but numbers may be left open as "?". A kernel with an open number is not parsed yet.
    api::spec search_request() const;
};
void add_memory(CLI::App& command, std::size_t& bytes);
// Reads the objects without applying --scale and --text, which models apply themselves. `memory` limits the
// decompressed size of a packed file (see data_options::open).
loaded_data load_raw(const data_options& from, read_options how = {}, std::size_t memory = 0);
loaded_data load_raw(data_options from, const file_contents& file, read_options how = {});
// Throws an error that says what to do if the kernel of `s` cannot be evaluated on the objects.
void require_fit(const api::spec& s, const loaded_data& from, const std::string& path);

// Data for a fitted model: read with the reading options of the training data, columns in the order of the model.
struct model_data {
    std::string path, format = "auto", label, text_column{};
    csv_header header = csv_header::automatic;
    bool allow_other_files = true;          // true if the data may name further files to read (images of a list)
    index max_pixels = max_decoded_pixels;  // largest number of pixels of an image
    void add_to(CLI::App& command);
    table load(const api::model& m) const;
    // Like load(m), for a file that has been read already. `tell` receives warnings about the data.
    table load(const api::model& m, const file_contents& file,
               const std::function<void(const std::string&)>& tell) const;
};

// Fits a model and shows the progress on the terminal. The first Ctrl-C ends the fit early with the current solution,
// if the method has one.
api::model fit_with_progress(const api::spec& s, const table& data, std::size_t memory, progress_line& shown,
                             const fit_checkpoint& checkpoint = {});

// Scores a fitted model on its training data. Returns no scores if the user stops the computation with Ctrl-C; the
// model itself has been written before.
api::summary score_until_interrupted(const api::model& m, const table& data);

json figures_json(const api::summary& all);

// The output of a command that fits a model, as text or as JSON.
struct fit_output {
    std::string text;
    json all = json::object();
    std::string saved_path;  // path of the file that the model was written to; empty if none

    // Writes the model if an output file is given. A model whose fit or search was ended by Ctrl-C does not replace an
    // existing file: it is written to a new file beside the old one, and the exit code is 130.
    void save(const api::model& m, const std::string& out);
    void add_warning(const api::model& m);  // adds the warning of the model, if it has one
    // Prints the answer. `picture` and `page` are the files that were written; empty if none.
    void show(const common_options& common, const std::string& picture, const std::string& page = {});
};

// Returns the first two kernel principal components of the objects as points.
scatter component_scatter(const kernel& k, const dataset& x, std::size_t memory);
// Returns the panels of a model's picture. They depend on the method: components and their shares of variance, Fisher's
// directions, the error over λ, or the objects coloured by predicted class or value.
std::vector<panel> model_panels(const api::model& m, const table& data, std::size_t memory);

}  // namespace mercer::cli

// What the subcommands that fit and use models share.
#pragma once

#include <optional>

#include "mercer/model/model.h"
#include "mercer/plot/charts.h"
#include "program.h"

namespace mercer::cli {

// --kernel, --set, --memory: of everything that fits.
struct method_options {
    std::string method;
    std::string kernel;
    std::vector<std::string> set;
    std::vector<std::string> in_name;  // of METHOD written as cells(svc, size=2000): its options
    std::size_t memory = 0;
    void add_to(CLI::App& command, bool with_method = true);
    // What is wrong in it (method, option, value, kernel) is wrong usage.
    api::spec spec() const;
    // The same where numbers may be left open, as ?: the kernel is not parsed yet.
    api::spec open_spec() const;
};
void add_memory(CLI::App& command, std::size_t& bytes);
// The objects as they are in the file, whatever --scale and --text say: models see to that by themselves.
// memory: data_options::open.
objects load_unscaled(const data_options& from, read_options how = {}, std::size_t memory = 0);
objects load_unscaled(data_options from, const source& file, read_options how = {});
// Fails, with advice, where the kernel that was asked for does not fit the objects.
void require_fit(const api::spec& s, const objects& from, const std::string& path);

// Data for a model, read like those it was fitted on and with the columns in their order.
struct model_data {
    std::string path, format = "auto", label, text_column{};
    csv_header header = csv_header::automatic;
    bool other_files = true;                  // whether data may name files that are read too
    index most_pixels = most_decoded_pixels;  // of an image
    void add_to(CLI::App& command);
    table load(const api::model& m) const;
    // The same of a file that is read already; `tell` is told what is odd about it.
    table load(const api::model& m, const source& file, const std::function<void(const std::string&)>& tell) const;
};

// Fits with a progress line. The first Ctrl-C ends it with what there is, where the method has something to keep.
api::model fit_shown(const api::spec& s, const table& data, std::size_t memory, progress& shown,
                     const fit_checkpoint& checkpoint = {});

// The score of a fitted model on the data it was fitted on; no figures where Ctrl-C ends that. The model is kept by
// then.
api::figures score_unless_stopped(const api::model& m, const table& data);

json figures_json(const api::figures& all);

// What a command that fits says in the end, to people or as JSON.
struct fit_answer {
    std::string text;
    json all = json::object();
    std::string kept;  // the file that the model was written to; empty: none

    // Writes the model, where a file was named. A model of a fit or search that Ctrl-C cut short does not replace an
    // older file: it goes beside that file, and the exit code is 130.
    void keep(const api::model& m, const std::string& out);
    void trouble(const api::model& m);  // what did not go well, where anything did not
    // picture, page: the files that were written; empty: none.
    void show(const common_options& common, const std::string& picture, const std::string& page = {});
};

// The first two kernel principal components of the objects, as the model sees them.
scatter component_scatter(const kernel& k, const dataset& x, std::size_t memory);
// The picture of a model: components and their shares, Fisher's directions, the path over λ, or the objects coloured by
// what was predicted.
std::vector<panel> model_panels(const api::model& m, const table& data, std::size_t memory);

}  // namespace mercer::cli

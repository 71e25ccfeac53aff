// Models as files in this library's own format: everything that a model holds except how long fitting took, so that the
// same fit gives the same bytes. One line of text (format, version, sizes, checksum), one line of JSON (names and
// counts), then numbers as they are in memory, 64-bit little-endian. The words are the same for every model:
//
//     save_model(model, "iris.model");
//     auto again = load_model<knn_model>("iris.model");
#pragma once

#include <string>
#include <string_view>

namespace mercer {

// Made from the list of a model's parts, in the source file of the model (methods/archive.h).
template <class Model>
struct model_file {
    static std::string bytes(const Model& m);
    static Model parse(std::string_view bytes, const std::string& name);
    static void save(const Model& m, const std::string& path);
    static Model load(const std::string& path);
};

template <class Model>
std::string model_bytes(const Model& m) {
    return model_file<Model>::bytes(m);
}
// Fails with errc::parse, naming the file as `name`, for files that are cut short, damaged, of a newer version or of
// another model.
template <class Model>
Model parse_model(std::string_view bytes, const std::string& name) {
    return model_file<Model>::parse(bytes, name);
}
template <class Model>
void save_model(const Model& m, const std::string& path) {  // atomic
    model_file<Model>::save(m, path);
}
template <class Model>
Model load_model(const std::string& path) {
    return model_file<Model>::load(path);
}

}  // namespace mercer

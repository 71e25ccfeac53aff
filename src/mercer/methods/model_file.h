// Model files in the format of this library. A file contains everything in a model except the time of the fit, so equal
// models give equal bytes: one line of text (format, version, sizes, checksum), one line of JSON (names and counts),
// then numbers as in memory, 64-bit little-endian. The functions are the same for every model:
//
// Example:
//
//     const double numbers[] = {0, 1, 5, 6}, y[] = {-1, -1, 1, 1};
//     const dataset x = dense<double>({numbers, 4, 1});
//     save_model(fit_knn(linear{}, x, y, {.n_neighbors = 1}), "knn.model");
//     const knn_model again = load_model<knn_model>("knn.model");
//     assert(predict(again, x)[3] == 1);
#pragma once

#include <string>
#include <string_view>

namespace mercer {

// Instantiated in the source file of the model, from the list of its parts (methods/archive.h).
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
// Parses the contents of a model file. Throws errc::parse for files that are truncated, damaged, of a newer version or
// of another model; `name` is the name of the file in error messages.
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

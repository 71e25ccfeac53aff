// How a model becomes a file, and a file a model. A model lists its parts once, and both ways come from the list:
//
//     template <>
//     struct file_form<ridge_model> {
//         static constexpr std::string_view format = "mercer-ridge-model";
//         static constexpr int version = 1;
//
//         static void parts(auto& a, auto& m) {
//             const index dims = a.count("dims", m.dims()), outputs = a.count("outputs", m.outputs());
//             a.numbers(m.alpha);
//             a.table(m.coef, dims, outputs);
//             a.list(m.intercept, outputs);
//             a.finite(m.intercept, "an intercept");       // checks are made when a file is read
//         }
//     };
//     template struct model_file<ridge_model>;             // model_bytes, parse_model, save_model, load_model
//
// `a` is an archive_writer and m constant, or an archive_reader and m to be filled (archive.h has their words).
// Numbers stand in the file in the order of the list. A part that is added or changed raises `version`; a reader asks
// a.version() for what older files have instead.
//
// For the library's own use.
#pragma once

#include "mercer/base/file.h"
#include "mercer/io/file_contents.h"
#include "mercer/methods/archive.h"
#include "mercer/methods/kernel_expansion.h"
#include "mercer/methods/model_file.h"

namespace mercer {

template <class Model>
std::string model_file<Model>::bytes(const Model& m) {
    archive_writer out(file_form<Model>::version);
    out.part(m);
    return out.bytes(file_form<Model>::format);
}

template <class Model>
Model model_file<Model>::parse(std::string_view bytes, const std::string& name) {
    archive_reader in(bytes, file_form<Model>::format, file_form<Model>::version, name);
    Model m;
    in.read(m);
    return m;
}

template <class Model>
void model_file<Model>::save(const Model& m, const std::string& path) {
    write_atomically(path, bytes(m));
}

template <class Model>
Model model_file<Model>::load(const std::string& path) {
    const source file = read_source(path);
    return made_of(file, [&] { return parse(file.bytes(), file.name()); });
}

// A kernel and the `size` objects it compares with, or neither where k is null.
void kernel_and_objects(auto& a, auto& k, auto& x, index size) {
    a.kernel(k);
    if (!k) return;
    a.objects("objects", x);
    a.check(x.size() == size, "{} objects, but coefficients for {}", x.size(), size);
}

template <>
struct file_form<kernel_expansion> {
    static void parts(auto& a, auto& f) {
        const index examples = a.count("examples", f.size()),
                    functions = a.count("functions", f.functions(), index{1} << 24);
        a.whole("training_size", f.training_size);
        a.table(f.coef, examples, functions);
        a.finite(f.coef, "a coefficient");
        a.list(f.offset, functions);
        a.finite(f.offset, "an offset");
        a.list("kept", f.rows, examples);
        a.check(f.rows.empty() || std::ssize(f.rows) == examples, "{} numbers of examples, but coefficients for {}",
                f.rows.size(), examples);
        a.within(f.rows, 0, f.training_size, "the number of an example");
        kernel_and_objects(a, f.k, f.x, examples);
    }
};

}  // namespace mercer

// What only models of one kind can do: neighbours, pre-images, linear machines with other weights.
#include "mercer/base/error.h"
#include "mercer/gram/precomputed.h"
#include "mercer/methods/components/pre_image.h"
#include "mercer/methods/neighbours/knn.h"
#include "mercer/methods/svm/svm.h"
#include "models.h"

namespace mercer::python {
namespace {

// With another number of neighbours than the model's own; `self` holds k(z, z) where x is a matrix.
neighbours search(const held_model& model, const py::object& x, index n_neighbors, const py::object& self,
                  const py::object& n_jobs) {
    knn_model some = api::model_of<knn_model>(*model.fitted);
    some.options.n_neighbors = n_neighbors;
    run_control control;
    some.options.progress = control.watching();
    const std::vector<double> own = as_vector(self);
    neighbours found = on_input(
        x, thread_count(n_jobs), [&](const dataset& data) { return find_neighbours(some, data); },
        [&](const auto& K) { return find_neighbours(some, precomputed<double>(K), own); });
    control.finish();
    return found;
}

// Of any labels of the examples, given as places among so many classes.
py::object shares(const held_model& model, const neighbours& found, const doubles& codes, index classes) {
    knn_model labelled;
    labelled.options = api::model_of<knn_model>(*model.fitted).options;
    const auto places = as_span(codes);
    labelled.y.assign(places.begin(), places.end());
    labelled.classes.resize(static_cast<std::size_t>(classes));
    return to_numpy(without_lock(0, [&] { return class_shares(labelled, found); }));
}

py::object mean_of(const held_model& model, const neighbours& found) {
    return to_numpy(without_lock(0, [&] { return predict(api::model_of<knn_model>(*model.fitted), found); }));
}

py::object back(const held_model& model, const matrix_in& scores, const std::string& how, const py::object& n_jobs) {
    pre_image_options o;
    using method = pre_image_options::method;
    o.how = how == "fixed_point" ? method::fixed_point : how == "neighbors" ? method::neighbours : method::automatic;
    const auto values = view_of(scores);
    return to_numpy(without_lock(thread_count(n_jobs), [&] {
        return pre_images(api::model_of<kernel_pca_model>(*model.fitted), values, o).points;
    }));
}

// The same machine with other weights, one row for each problem, and offsets; both with the library's sign.
held_model with_weights(const held_model& model, const matrix_in& weights, const doubles& offset) {
    svm_model out = api::model_of<svm_model>(*model.fitted);
    const auto w = view_of(weights);
    const auto b = as_span(offset);
    if (w.rows != out.problems() || w.cols != out.support.dims() || static_cast<index>(b.size()) != w.rows ||
        out.coef.cols() != w.rows)
        fail(errc::invalid_argument, "coef_ and intercept_ must have " + std::to_string(out.problems()) +
                                         " rows, and coef_ " + std::to_string(out.support.dims()) + " columns");
    matrix<double> rows(w.rows, w.cols);
    for (index p = 0; p < w.rows; ++p) std::copy_n(w.row(p), w.cols, rows.row(p));
    out.support = dense<double>(std::move(rows));
    out.offset.assign(b.begin(), b.end());
    return {api::as_fitted(std::move(out))};
}

}  // namespace

void bind_particular(py::module_& m) {
    py::class_<neighbours>(m, "Neighbours")
        .def_property_readonly("indices", [](const neighbours& f) { return copied(f.indices.view()); })
        .def_property_readonly("distances", [](const neighbours& f) { return copied(f.distances.view()); });
    m.def("neighbours", &search);
    m.def("neighbour_shares", &shares);
    m.def("neighbour_means", &mean_of);
    m.def("pre_images", &back);
    m.def("with_weights", &with_weights);
}

}  // namespace mercer::python

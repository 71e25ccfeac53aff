// Answers judged by targets, as JSON: what mercer.evaluate makes a dict of.
#include "convert.h"
#include "mercer/inspection/evaluate.h"

namespace mercer::python {
namespace {

matrix<double> as_matrix(const std::optional<doubles>& from) {
    if (!from) return {};
    if (from->ndim() != 2) throw py::value_error("scores must have a column for each class");
    matrix<double> out(from->shape(0), from->shape(1));
    std::copy_n(from->data(), from->size(), out.data());
    return out;
}

// Classes are places in `names`.
std::string judged(bool values, const py::object& y, const py::object& predicted, const py::object& classes,
                   const std::optional<doubles>& scores, const std::optional<doubles>& probabilities,
                   const std::vector<std::string>& names, index resamples, index bins, std::uint64_t seed) {
    const model_answers answers{values ? answer::values : answer::classes,
                                as_vector(y),
                                as_vector(predicted),
                                as_vector(classes),
                                as_matrix(scores),
                                as_matrix(probabilities)};
    return without_lock(0, [&] {
        evaluation all = mercer::evaluate(answers, {resamples, bins, seed});
        for (std::size_t c = 0; c < all.names.size(); ++c)
            all.names[c] = names.at(static_cast<std::size_t>(all.table.labels[c]));
        return api::evaluation_json(all);
    });
}

}  // namespace

void bind_evaluation(py::module_& m) { m.def("evaluate", &judged); }

}  // namespace mercer::python

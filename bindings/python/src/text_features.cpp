// Binds TextFeatures: texts as vectors of term weights.
#include "mercer/preprocess/text_features.h"

#include "convert.h"

namespace mercer::python {

void bind_text_features(py::module_& m) {
    m.def("stop_words", &stop_words);
    py::class_<text_features>(m, "TextFeatures")
        .def_static(
            "fit",
            [](const dataset& texts, const std::string& how, const std::vector<std::string>& stop,
               const py::object& n_jobs) {
                text_options options = parse_text_options(how);
                options.terms.stop = stop;
                dataset rows;
                text_features made =
                    without_lock(thread_count(n_jobs), [&] { return text_features::fit(texts, options, &rows); });
                return std::pair(std::move(made), std::move(rows));
            },
            "The features and the rows of the texts they were fitted to.")
        .def("apply",
             [](const text_features& by, const dataset& texts, const py::object& n_jobs) {
                 return without_lock(thread_count(n_jobs), [&] { return by.apply(texts); });
             })
        .def_property_readonly("dims", &text_features::dims)
        .def_property_readonly("idf", [](const text_features& of) { return to_numpy(std::vector<double>(of.idf())); })
        .def_property_readonly("terms",
                               [](const text_features& of) {
                                   py::list out;
                                   for (std::int32_t t = 0; t < of.terms().size(); ++t)
                                       out.append(py::str(std::string(of.terms()[t])));
                                   return out;
                               })
        .def("to_json", &text_features::to_json)
        .def_static("from_json", [](const std::string& text) { return text_features::from_json(text, "texts"); });
}

}  // namespace mercer::python

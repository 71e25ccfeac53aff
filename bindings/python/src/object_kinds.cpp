#include "object_kinds.h"

#include <pybind11/numpy.h>
#include <pybind11/stl.h>

#include "mercer/base/error.h"
#include "mercer/data/all_kinds.h"
#include "mercer/io/tsv.h"

namespace mercer::python {
namespace {

std::string type_name(const py::handle& of) { return py::str(py::type::handle_of(of).attr("__name__")); }

bool is_text(const py::handle& item) { return py::isinstance<py::str>(item) || py::isinstance<py::bytes>(item); }

// Returns the bytes of a text: UTF-8, with the original invalid bytes if Python decoded them with
// errors="surrogateescape".
std::string bytes_of(const py::handle& text) {
    if (PyBytes_Check(text.ptr())) return text.cast<std::string>();
    Py_ssize_t size = 0;
    if (const char* utf8 = PyUnicode_AsUTF8AndSize(text.ptr(), &size)) return {utf8, static_cast<std::size_t>(size)};
    PyErr_Clear();
    PyObject* encoded = PyUnicode_AsEncodedString(text.ptr(), "utf-8", "surrogateescape");
    if (!encoded) throw py::error_already_set();
    return py::reinterpret_steal<py::bytes>(encoded);
}

// Throws if object i is not of the same kind as the first object.
void require_kind(bool is_one, std::size_t i, const char* what, const py::handle& item) {
    if (!is_one)
        throw py::type_error("object " + std::to_string(i) + " must be " + what + ", like the first one, got " +
                             type_name(item));
}

strings strings_from(const py::sequence& from) {
    std::vector<std::string> items;
    items.reserve(from.size());
    for (std::size_t i = 0; i < from.size(); ++i) {
        const py::object item = from[i];
        require_kind(is_text(item), i, "a str", item);
        items.push_back(bytes_of(item));
    }
    return strings(std::move(items));
}

// Integers are item numbers; texts get the number that the library assigns to them.
template <class Number>
std::int64_t number_of(const py::handle& item, const char* items, Number of_text) {
    if (py::isinstance<py::int_>(item) || PyIndex_Check(item.ptr())) return item.cast<std::int64_t>();
    if (!is_text(item)) throw py::type_error(items + (" must be whole numbers or str, got " + type_name(item)));
    return of_text(bytes_of(item));
}
std::int64_t item_number(const py::handle& item) {
    return number_of(item, "items of sets", [](const std::string& text) { return mercer::item_number(text); });
}
std::int64_t graph_label(const py::handle& label) {
    return number_of(label, "labels of nodes and edges", [](const std::string& text) { return label_of(text); });
}

sets sets_from(const py::sequence& from) {
    std::vector<std::vector<std::int64_t>> items(from.size());
    for (std::size_t i = 0; i < from.size(); ++i) {
        const py::object set = from[i];
        require_kind(py::isinstance<py::anyset>(set), i, "a set", set);
        for (const py::handle item : set) items[i].push_back(item_number(item));
    }
    return sets(std::move(items));
}

graph_edge edge_from(const py::handle& from) {
    const auto parts = py::reinterpret_borrow<py::object>(from).cast<py::sequence>();
    if (parts.size() != 2 && parts.size() != 3)
        throw py::value_error("an edge must be (from, to) or (from, to, label), got " + std::string(py::repr(from)));
    const auto end = [&](std::size_t which) {
        const auto node = parts[which].cast<std::int64_t>();
        if (node < 0 || node >= graph::max_ends)
            throw py::value_error("ends of edges must be numbers of nodes, from 0, got " + std::to_string(node));
        return static_cast<std::int32_t>(node);
    };
    return {end(0), end(1), parts.size() == 3 ? graph_label(parts[2]) : 0};
}

// Makes graphs from tuples (nodes, edges, labels or None, attributes or None, directed), which mercer._objects makes of
// all kinds of graphs.
graphs graphs_from(const py::sequence& from) {
    std::vector<graph> items;
    items.reserve(from.size());
    for (std::size_t i = 0; i < from.size(); ++i) {
        const auto given = from[i].cast<py::tuple>();
        graph_parts parts{.nodes = given[0].cast<index>(), .directed = given[4].cast<bool>()};
        for (const py::handle edge : given[1].cast<py::iterable>()) parts.edges.push_back(edge_from(edge));
        if (!given[2].is_none())
            for (const py::handle label : given[2].cast<py::iterable>()) parts.labels.push_back(graph_label(label));
        if (!given[3].is_none()) {
            const auto values = given[3].cast<doubles>();
            if (values.ndim() != 2) throw py::value_error("attributes must have two dimensions: nodes, numbers");
            parts.attributes = values.shape(1);
            parts.values.assign(values.data(), values.data() + values.size());
        }
        try {
            items.emplace_back(std::move(parts));
        } catch (const error& wrong) {
            throw py::value_error("graph " + std::to_string(i) + ": " + wrong.what());
        }
    }
    return graphs(std::move(items));
}

// Each object is a collections.Counter or another mapping from items to integers.
multisets multisets_from(const py::sequence& from) {
    std::vector<std::vector<counted_item>> items(from.size());
    for (std::size_t i = 0; i < from.size(); ++i) {
        const py::object bag = from[i];
        require_kind(py::isinstance<py::dict>(bag), i, "a Counter", bag);
        for (const auto& [item, count] : bag.cast<py::dict>())
            items[i].push_back({item_number(item), count.cast<std::int64_t>()});
    }
    return multisets(std::move(items));
}

// Each object is (elements, coordinates): one symbol or number per point, and a matrix with one row per point; elements
// may be None.
points points_from(const py::sequence& from) {
    std::vector<point_cloud> clouds(from.size());
    for (std::size_t i = 0; i < from.size(); ++i) {
        const py::object pair = from[i];
        const std::string what = "object " + std::to_string(i);
        if (!py::isinstance<py::tuple>(pair) || py::len(pair) != 2)
            throw py::type_error(what + " must be (elements, coordinates), like the first one");
        const auto parts = pair.cast<py::tuple>();
        const auto rows = parts[1].cast<matrix_in>();
        if (rows.ndim() != 2) throw py::value_error(what + ": coordinates must be a matrix, a row for each point");
        clouds[i].dims = rows.shape(1);
        clouds[i].coordinates.assign(rows.data(), rows.data() + rows.size());
        if (parts[0].is_none())
            clouds[i].elements.assign(static_cast<std::size_t>(rows.shape(0)), 0);
        else
            for (const py::handle each : parts[0]) {
                const bool symbol = py::isinstance<py::str>(each);
                const std::int32_t z = symbol ? element_number(each.cast<std::string>()) : each.cast<std::int32_t>();
                if (z < 0) throw py::value_error(what + ": no element is called " + std::string(py::str(each)));
                clouds[i].elements.push_back(z);
            }
        if (clouds[i].size() != rows.shape(0))
            throw py::value_error(what + ": " + std::to_string(clouds[i].size()) + " elements, but " +
                                  std::to_string(rows.shape(0)) + " points");
    }
    return points(std::move(clouds));
}

// Each object is an array of shape (time) or (time, coordinate).
series series_from(const py::sequence& from) {
    std::vector<one_series> items(from.size());
    for (std::size_t i = 0; i < from.size(); ++i) {
        const doubles values = doubles::ensure(from[i]);
        if (!values) throw py::error_already_set();
        if (values.ndim() != 1 && values.ndim() != 2)
            throw py::value_error("series " + std::to_string(i) + " must have one dimension (time) or two (time, " +
                                  "coordinate), got " + std::to_string(values.ndim()));
        items[i].values.assign(values.data(), values.data() + values.size());
        items[i].dims = values.ndim() == 1 ? 1 : static_cast<index>(values.shape(1));
    }
    return series(std::move(items));
}

// Each object is a tree as text in brackets. The Python function mercer._trees makes this text from every type of tree
// that users may pass.
trees trees_from(const py::sequence& from) {
    std::vector<tree> items;
    items.reserve(from.size());
    for (std::size_t i = 0; i < from.size(); ++i) {
        const py::object item = from[i];
        require_kind(is_text(item), i, "a text in brackets", item);
        const std::string text = bytes_of(item);
        items.push_back(parse_tree(text, "tree " + std::to_string(i), text));
    }
    return trees(std::move(items));
}

// Copies the values of an array of type T, divided by `most`, to `to`. Returns false if the array has another type.
template <class T>
bool take_values(const py::array& from, float most, image& to) {
    if (!py::isinstance<py::array_t<T>>(from)) return false;
    const auto values = py::array_t<T, py::array::c_style | py::array::forcecast>::ensure(from);
    for (py::ssize_t i = 0; i < values.size(); ++i) {
        if constexpr (std::is_same_v<T, bool>)  // PIL gives bits as bytes of value 255
            to.values.push_back(reinterpret_cast<const unsigned char*>(values.data())[i] ? 1.0F : 0.0F);
        else
            to.values.push_back(static_cast<float>(values.data()[i]) / most);
    }
    return true;
}

// Each object is an array (height, width) or (height, width, channels). Bytes and 16-bit integers are scaled to 0 … 1,
// floats are not scaled.
images images_from(const py::sequence& from) {
    std::vector<image> items(from.size());
    for (std::size_t i = 0; i < from.size(); ++i) {
        const std::string what = "image " + std::to_string(i);
        const auto values = py::array::ensure(from[i]);
        if (!values) throw py::error_already_set();
        if (values.ndim() != 2 && values.ndim() != 3)
            throw py::value_error(what + " must have two dimensions (height, width) or three (height, width, " +
                                  "channels), got " + std::to_string(values.ndim()));
        items[i].height = values.shape(0), items[i].width = values.shape(1);
        items[i].channels = values.ndim() == 3 ? values.shape(2) : 1;
        if (!take_values<std::uint8_t>(values, 255, items[i]) && !take_values<std::uint16_t>(values, 65535, items[i]) &&
            !take_values<bool>(values, 1, items[i]) && !take_values<float>(values, 1, items[i]) &&
            !take_values<double>(values, 1, items[i]))
            throw py::type_error(what + " must be an array of uint8, uint16, bool, float32 or float64, got " +
                                 std::string(py::str(values.dtype())));
    }
    return images(std::move(items));
}

py::object decoded(const std::string& text) {
    PyObject* made = PyUnicode_DecodeUTF8(text.data(), static_cast<py::ssize_t>(text.size()), "surrogateescape");
    if (!made) throw py::error_already_set();
    return py::reinterpret_steal<py::object>(made);
}

py::object as_python(const strings& from, index i) { return decoded(from[i]); }
py::object as_python(const trees& from, index i) { return decoded(from.text(i)); }

py::object as_python(const sets& from, index i) {
    py::set items;
    for (const std::int64_t item : from[i]) items.add(item);
    return py::frozenset(items);
}

// Returns a record as {"title": …, "price": …}; a field of one number becomes a number.
py::object as_python(const records& from, index i) {
    py::dict out;
    for (const auto& each : from.fields()) {
        const py::object value = objects_of(gather(each.values, row_set(i, 1)));
        const bool vectors = each.values.kind() == object_kind::vectors;
        out[py::str(each.name)] = vectors && each.values.is_sparse()   ? value
                                  : vectors && each.values.dims() == 1 ? py::object(value[py::int_(0)][py::int_(0)])
                                                                       : py::object(value[py::int_(0)]);
    }
    return out;
}

// Makes records from fields; each field holds the values of all records.
records records_from(const std::vector<std::pair<std::string, dataset>>& fields) {
    std::vector<records::field> made;
    for (const auto& [name, values] : fields) made.push_back({name, values});
    return records(std::move(made));
}

py::object as_python(const graphs& from, index i) {
    const graph& g = from[i];
    py::list labels, edges, attributes;
    for (index v = 0; v < g.nodes(); ++v) {
        labels.append(g.label(v));
        attributes.append(std::vector<double>(g.values(v).begin(), g.values(v).end()));
    }
    for (const graph_edge& e : g.edges()) edges.append(py::make_tuple(e.from, e.to, e.label));
    py::dict out;
    out["nodes"] = labels;
    out["edges"] = edges;
    if (g.attributes() > 0) out["attributes"] = attributes;
    if (g.directed()) out["directed"] = true;
    return out;
}

py::object as_python(const multisets& from, index i) {
    py::dict counts;
    for (const auto& [item, count] : from[i]) counts[py::int_(item)] = count;
    return py::module_::import("collections").attr("Counter")(counts);
}

py::object as_python(const points& from, index i) {
    const point_cloud& one = from[i];
    return py::make_tuple(to_numpy(std::vector<std::int32_t>(one.elements)),
                          copy_to_numpy<double>({one.coordinates.data(), one.size(), one.dims}));
}

py::object as_python(const series& from, index i) {
    const one_series& one = from[i];
    if (one.dims == 1) return py::array_t<double>(one.size(), one.values.data());
    return py::array_t<double>({one.size(), one.dims}, one.values.data());
}

py::object as_python(const images& from, index i) {
    const image& one = from[i];
    if (one.channels == 1) return py::array_t<float>({one.height, one.width}, one.values.data());
    return py::array_t<float>({one.height, one.width, one.channels}, one.values.data());
}

}  // namespace

void bind_object_kinds(py::module_& m) {
    const auto bind = [&](object_kind where, auto from) {
        m.def(name(where), [from](const py::sequence& some) { return dataset(from(some)); });
    };
    bind(strings::kind, strings_from);
    bind(sets::kind, sets_from);
    bind(graphs::kind, graphs_from);
    bind(multisets::kind, multisets_from);
    bind(points::kind, points_from);
    bind(images::kind, images_from);
    bind(series::kind, series_from);
    bind(trees::kind, trees_from);
    m.def("item_number", [](const py::object& item) { return item_number(item); });
    m.def(name(records::kind),
          [](const std::vector<std::pair<std::string, dataset>>& fields) { return dataset(records_from(fields)); });
}

py::list as_list(const objects& some) {
    py::list out;
    listed_kinds::for_each([&]<class Kind> {
        if (const Kind* items = some.as<Kind>())
            for (index i = 0; i < items->size(); ++i) out.append(as_python(*items, i));
    });
    return out;
}

}  // namespace mercer::python

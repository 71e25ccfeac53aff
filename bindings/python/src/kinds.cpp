#include "kinds.h"

#include <pybind11/numpy.h>

#include "mercer/data/kinds/all_kinds.h"

namespace mercer::python {
namespace {

strings strings_from(const py::sequence& from) {
    std::vector<std::string> items;
    items.reserve(from.size());
    for (std::size_t i = 0; i < from.size(); ++i) {
        const py::object item = from[i];
        if (!py::isinstance<py::str>(item) && !py::isinstance<py::bytes>(item))
            throw py::type_error("object " + std::to_string(i) + " must be a str, like the first one, got " +
                                 std::string(py::str(py::type::of(item).attr("__name__"))));
        items.push_back(item.cast<std::string>());
    }
    return strings(std::move(items));
}

// Whole numbers stand for themselves, other items for the number of their text.
std::int64_t item_number(const py::handle& item) {
    if (py::isinstance<py::int_>(item) || PyIndex_Check(item.ptr())) return item.cast<std::int64_t>();
    if (!py::isinstance<py::str>(item) && !py::isinstance<py::bytes>(item))
        throw py::type_error("items of sets must be whole numbers or str, got " +
                             std::string(py::str(py::type::handle_of(item).attr("__name__"))));
    return mercer::item_number(item.cast<std::string>());
}

sets sets_from(const py::sequence& from) {
    std::vector<std::vector<std::int64_t>> items(from.size());
    for (std::size_t i = 0; i < from.size(); ++i) {
        const py::object set = from[i];
        if (!py::isinstance<py::anyset>(set))
            throw py::type_error("object " + std::to_string(i) + " must be a set, like the first one, got " +
                                 std::string(py::str(py::type::of(set).attr("__name__"))));
        for (const py::handle item : set) items[i].push_back(item_number(item));
    }
    return sets(std::move(items));
}

// Arrays of one dimension, (time), or two, (time, coordinate).
series series_from(const py::sequence& from) {
    using array = py::array_t<double, py::array::c_style | py::array::forcecast>;
    std::vector<one_series> items(from.size());
    for (std::size_t i = 0; i < from.size(); ++i) {
        const array values = array::ensure(from[i]);
        if (!values) throw py::error_already_set();
        if (values.ndim() != 1 && values.ndim() != 2)
            throw py::value_error("series " + std::to_string(i) + " must have one dimension (time) or two (time, " +
                                  "coordinate), got " + std::to_string(values.ndim()));
        items[i].values.assign(values.data(), values.data() + values.size());
        items[i].dims = values.ndim() == 1 ? 1 : static_cast<index>(values.shape(1));
    }
    return series(std::move(items));
}

py::object as_python(const strings& from, index i) {
    PyObject* decoded =
        PyUnicode_DecodeUTF8(from[i].data(), static_cast<py::ssize_t>(from[i].size()), "surrogateescape");
    if (!decoded) throw py::error_already_set();
    return py::reinterpret_steal<py::object>(decoded);
}

py::object as_python(const sets& from, index i) {
    py::set items;
    for (const std::int64_t item : from[i]) items.add(item);
    return py::frozenset(items);
}

// {"title": …, "price": …}; a field of one number is that number.
py::object as_python(const records& from, index i) {
    py::dict out;
    for (const auto& each : from.fields()) {
        const py::object value = objects_of(gather(each.values, selection(i, 1)));
        const bool vectors = each.values.kind() == domain::vectors;
        out[py::str(each.name)] = vectors && each.values.is_sparse()   ? value
                                  : vectors && each.values.dims() == 1 ? py::object(value[py::int_(0)][py::int_(0)])
                                                                       : py::object(value[py::int_(0)]);
    }
    return out;
}

// Of fields, each the values of all records.
records records_from(const std::vector<std::pair<std::string, dataset>>& fields) {
    std::vector<records::field> made;
    for (const auto& [name, values] : fields) made.push_back({name, values});
    return records(std::move(made));
}

py::object as_python(const series& from, index i) {
    const one_series& one = from[i];
    if (one.dims == 1) return py::array_t<double>(one.size(), one.values.data());
    return py::array_t<double>({one.size(), one.dims}, one.values.data());
}

}  // namespace

void bind_kinds(py::module_& m) {
    m.def(name(strings::where), [](const py::sequence& from) { return dataset(strings_from(from)); });
    m.def(name(sets::where), [](const py::sequence& from) { return dataset(sets_from(from)); });
    m.def(name(records::where),
          [](const std::vector<std::pair<std::string, dataset>>& fields) { return dataset(records_from(fields)); });
    m.def(name(series::where), [](const py::sequence& from) { return dataset(series_from(from)); });
}

py::list as_list(const objects& some) {
    py::list out;
    listed_kinds::each([&]<class Kind> {
        if (const Kind* items = some.as<Kind>())
            for (index i = 0; i < items->size(); ++i) out.append(as_python(*items, i));
    });
    return out;
}

}  // namespace mercer::python

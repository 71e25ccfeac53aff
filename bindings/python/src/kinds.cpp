#include "kinds.h"

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

// collections.Counter, or any mapping from items to whole numbers.
multisets multisets_from(const py::sequence& from) {
    std::vector<std::vector<counted_item>> items(from.size());
    for (std::size_t i = 0; i < from.size(); ++i) {
        const py::object bag = from[i];
        if (!py::isinstance<py::dict>(bag))
            throw py::type_error("object " + std::to_string(i) + " must be a Counter, like the first one, got " +
                                 std::string(py::str(py::type::of(bag).attr("__name__"))));
        for (const auto& [item, count] : bag.cast<py::dict>())
            items[i].push_back({item_number(item), count.cast<std::int64_t>()});
    }
    return multisets(std::move(items));
}

// (elements, coordinates): symbols or numbers, one a point, and a matrix with a row for each; elements may be None.
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

py::object as_python(const multisets& from, index i) {
    py::dict counts;
    for (const auto& [item, count] : from[i]) counts[py::int_(item)] = count;
    return py::module_::import("collections").attr("Counter")(counts);
}

py::object as_python(const points& from, index i) {
    const point_cloud& one = from[i];
    return py::make_tuple(to_numpy(std::vector<std::int32_t>(one.elements)),
                          copied({one.coordinates.data(), one.size(), one.dims}));
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

}  // namespace

void bind_kinds(py::module_& m) {
    m.def(name(strings::where), [](const py::sequence& from) { return dataset(strings_from(from)); });
    m.def(name(sets::where), [](const py::sequence& from) { return dataset(sets_from(from)); });
    m.def(name(multisets::where), [](const py::sequence& from) { return dataset(multisets_from(from)); });
    m.def(name(points::where), [](const py::sequence& from) { return dataset(points_from(from)); });
    m.def(name(records::where),
          [](const std::vector<std::pair<std::string, dataset>>& fields) { return dataset(records_from(fields)); });
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

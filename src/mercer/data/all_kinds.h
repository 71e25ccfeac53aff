// The list of all kinds of object except vectors. A new kind is a file in this folder and a name in the list.
#pragma once

#include "mercer/data/graphs.h"
#include "mercer/data/images.h"
#include "mercer/data/point_clouds.h"
#include "mercer/data/records.h"
#include "mercer/data/series.h"
#include "mercer/data/sets.h"
#include "mercer/data/strings.h"
#include "mercer/data/trees.h"

namespace mercer {

template <object_collection... Kinds>
struct kind_list {
    // Calls f.template operator()<Kind>() for every kind.
    template <class Function>
    static void for_each(Function&& f) {
        (f.template operator()<Kinds>(), ...);
    }
};
using listed_kinds = kind_list<strings, sets, multisets, graphs, trees, points, series, images, records>;

// Returns vectors, then the kinds of the list, then any: the order in which kinds are shown to users.
std::vector<object_kind> all_object_kinds();
object_kind parse_object_kind(std::string_view name);  // throws errc::invalid_argument with the list of names
// Reads `count` objects of the kind of that name, as Kind::write() wrote them. Throws errc::parse for an unknown kind.
objects read_objects(std::string_view kind, byte_reader& from, index count);

}  // namespace mercer

// Every kind of object that is not vectors. A new one is its own file in this folder and its name in the list.
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

template <object_kind... Kinds>
struct kind_list {
    // All of them, each by the work given: f.template operator()<Kind>().
    template <class Function>
    static void each(Function&& f) {
        (f.template operator()<Kinds>(), ...);
    }
};
using listed_kinds = kind_list<strings, sets, multisets, graphs, trees, points, series, images, records>;

// vectors, then the kinds of the list, then any: the names in the order in which people are shown them.
std::vector<domain> all_domains();
domain domain_named(std::string_view name);  // fails with the list of names
// `count` objects of the kind of that name, as they were written.
objects read_objects(std::string_view kind, object_source& from, index count);

}  // namespace mercer

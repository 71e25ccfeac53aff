// The options of methods on a few centres, from a method's value and what every fit is told.
#pragma once

#include <string_view>
#include <type_traits>
#include <vector>

#include "mercer/base/error.h"
#include "mercer/methods/method.h"
#include "mercer/methods/nystroem/nystroem.h"

namespace mercer::api {

centre_choice centre_choice_named(std::string_view name);  // mixed where there is none
std::vector<index> row_numbers(const std::vector<double>& given);

template <class Options = nystroem_options>
Options nystroem_told(const auto& m, const fit_call& t) {
    auto o = t.common<Options>(m);
    o.n_centres = m.n_centres;
    o.centres = centre_choice_named(m.centres);
    if constexpr (requires { m.accuracy; }) {
        if (m.accuracy > 0 && m.n_centres != std::decay_t<decltype(m)>{}.n_centres)
            fail(errc::invalid_argument, "n_centres has no effect beside accuracy: leave one of them out");
        o.accuracy = m.accuracy, o.doubling = m.doubling, o.seconds = t.control.seconds;
    }
    if constexpr (requires { m.loss; }) o.hinge = m.loss == "hinge";
    o.centre_rows = row_numbers(m.centre_rows);
    return o;
}

}  // namespace mercer::api

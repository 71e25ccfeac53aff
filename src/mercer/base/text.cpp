#include <fast_float/fast_float.h>

#include <cmath>

#include "mercer/base/number.h"

namespace mercer::detail {

template <class T>
number_fault parse_number(std::string_view token, T& value) {
    const char* first = token.data();
    const char* const last = first + token.size();
    const bool negative = first != last && *first == '-';
    if (first != last && (*first == '-' || *first == '+')) ++first;
    if (first == last || *first == '-' || *first == '+') return number_fault::syntax;
    T magnitude{};
    const auto result = fast_float::from_chars(first, last, magnitude);
    if (result.ptr != last) return number_fault::syntax;
    if (std::isnan(magnitude)) return number_fault::not_finite;
    if (std::isinf(magnitude))
        return is_digit(*first) || *first == '.' ? number_fault::overflow : number_fault::not_finite;
    // Versions differ in whether they call 1e-400 out of range; it is 0, as strtod has it.
    if (result.ec == std::errc::invalid_argument) return number_fault::syntax;
    value = negative ? -magnitude : magnitude;
    return number_fault::none;
}

template <class T>
const char* decimal_at(const char* p, const char* end, T& value) {
    const bool negative = p != end && *p == '-';
    if (p != end && (*p == '-' || *p == '+')) ++p;
    if (p == end || !(is_digit(*p) || *p == '.')) return nullptr;
    T magnitude{};
    const auto result = fast_float::from_chars(p, end, magnitude);
    if (result.ec != std::errc{} || !std::isfinite(magnitude)) return nullptr;
    value = negative ? -magnitude : magnitude;
    return result.ptr;
}

const char* reason(number_fault fault) {
    switch (fault) {
        case number_fault::not_finite: return "a finite number";
        case number_fault::overflow: return "a number within range";
        default: return "a number";
    }
}

template number_fault parse_number(std::string_view, double&);
template number_fault parse_number(std::string_view, float&);
template const char* decimal_at(const char*, const char*, double&);
template const char* decimal_at(const char*, const char*, float&);

}  // namespace mercer::detail

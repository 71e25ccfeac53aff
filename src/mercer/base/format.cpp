// The parts of {fmt} that do not depend on the types of the caller, compiled once into the library. The header-only
// form of {fmt} would be compiled again in each of a hundred sources, which would take half of their compile time. The
// shared library of {fmt} would be a further dependency of the static programs.
#include <fmt/format-inl.h>

FMT_BEGIN_NAMESPACE
namespace detail {

template FMT_API auto dragonbox::to_decimal(float x) noexcept -> dragonbox::decimal_fp<float>;
template FMT_API auto dragonbox::to_decimal(double x) noexcept -> dragonbox::decimal_fp<double>;
template FMT_API auto thousands_sep_impl(locale_ref) -> thousands_sep_result<char>;
template FMT_API auto decimal_point_impl(locale_ref) -> char;
template FMT_API void buffer<char>::append(const char*, const char*);
#if FMT_VERSION < 110000  // a function from {fmt} 11 on
template FMT_API void vformat_to(buffer<char>&, string_view, basic_format_args<format_context>, locale_ref);
#endif

}  // namespace detail
FMT_END_NAMESPACE

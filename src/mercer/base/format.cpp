// What of {fmt} is not a template of the caller, compiled once and into the library: its header-only form would be
// compiled again in each of a hundred sources, half of their time, and its shared library would be one more thing to
// find for the static programs.
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

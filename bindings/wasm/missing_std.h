// Parts of the C++20 library that the libc++ of Debian's emscripten (13) lacks and the library uses: algorithms on
// ranges, bit_cast, <=> for containers, conversion between numbers and text. CMakeLists.txt includes this file before
// everything else. With a newer libc++ it is empty.
#pragma once
#ifdef __cplusplus
#include <version>
#if _LIBCPP_VERSION < 15000

#include <algorithm>
#include <charconv>
#include <compare>
#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <functional>
#include <iterator>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

namespace std {

template <class To, class From>
constexpr To bit_cast(const From& from) noexcept {
    static_assert(sizeof(To) == sizeof(From));
    return __builtin_bit_cast(To, from);
}

// lexicographical comparison, as the standard defines it
template <class I, class J>
constexpr auto __lexicographical(I a, I a_end, J b, J b_end) {
    using order = decltype(*a <=> *b);
    for (; a != a_end && b != b_end; ++a, ++b)
        if (const order c = *a <=> *b; c != 0) return c;
    return static_cast<order>(a != a_end ? strong_ordering::greater
                                         : (b != b_end ? strong_ordering::less : strong_ordering::equal));
}
template <class T, class A>
auto operator<=>(const vector<T, A>& a, const vector<T, A>& b) {
    return __lexicographical(a.begin(), a.end(), b.begin(), b.end());
}
inline strong_ordering operator<=>(const string& a, const string& b) { return a.compare(b) <=> 0; }
inline strong_ordering operator<=>(string_view a, string_view b) { return a.compare(b) <=> 0; }

template <class I, class J>
constexpr auto lexicographical_compare_three_way(I a, I a_end, J b, J b_end) {
    return __lexicographical(a, a_end, b, b_end);
}

inline from_chars_result from_chars(const char* first, const char* last, double& value) {
    const auto part = [](char c) { return c != 0 && strchr("0123456789+-.eEinfatyINFATY", c) != nullptr; };
    const string token(first, find_if_not(first, last, part));
    char* end = nullptr;
    const double found = strtod(token.c_str(), &end);
    if (end == token.c_str() || token[0] == '+') return {first, errc::invalid_argument};
    value = found;
    return {first + (end - token.c_str()), errc()};
}
inline to_chars_result to_chars(char* first, char* last, double value, chars_format, int digits) {
    char text[512];
    const int length = snprintf(text, sizeof text, "%.*g", digits, value);
    if (length > last - first) return {last, errc::value_too_large};
    memcpy(first, text, static_cast<size_t>(length));
    return {first + length, errc()};
}
// Writes the fewest digits that are read back as the same value.
inline to_chars_result to_chars(char* first, char* last, double value) {
    for (int digits = 1; digits < 17; ++digits) {
        char text[64];
        snprintf(text, sizeof text, "%.*g", digits, value);
        if (strtod(text, nullptr) == value) return to_chars(first, last, value, chars_format::general, digits);
    }
    return to_chars(first, last, value, chars_format::general, 17);
}

namespace ranges {

template <class Less, class Projection>
struct __by {
    Less& less;
    Projection& of;
    template <class A, class B>
    constexpr bool operator()(A&& a, B&& b) const {
        return invoke(less, invoke(of, static_cast<A&&>(a)), invoke(of, static_cast<B&&>(b)));
    }
};
template <class Less, class Projection>
__by(Less&, Projection&) -> __by<Less, Projection>;

template <class R, class Less = less, class P = identity>
constexpr auto sort(R&& r, Less by = {}, P of = {}) {
    std::sort(begin(r), end(r), __by{by, of});
    return end(r);
}
template <class R, class Less = less, class P = identity>
auto stable_sort(R&& r, Less by = {}, P of = {}) {
    std::stable_sort(begin(r), end(r), __by{by, of});
    return end(r);
}
template <class R, class I, class Less = less, class P = identity>
constexpr auto partial_sort(R&& r, I middle, Less by = {}, P of = {}) {
    std::partial_sort(begin(r), middle, end(r), __by{by, of});
    return end(r);
}
template <class R, class I, class Less = less, class P = identity>
constexpr auto nth_element(R&& r, I middle, Less by = {}, P of = {}) {
    std::nth_element(begin(r), middle, end(r), __by{by, of});
    return end(r);
}
template <class R, class Less = less, class P = identity>
constexpr bool is_sorted(R&& r, Less by = {}, P of = {}) {
    return std::is_sorted(begin(r), end(r), __by{by, of});
}
template <class R, class Equal = equal_to, class P = identity>
constexpr auto adjacent_find(R&& r, Equal by = {}, P of = {}) {
    return std::adjacent_find(begin(r), end(r), __by{by, of});
}
template <class I>
struct __pair_of_iterators {
    I first, last;
    constexpr I begin() const { return first; }
    constexpr I end() const { return last; }
};
template <class R, class Equal = equal_to, class P = identity>
constexpr auto unique(R&& r, Equal by = {}, P of = {}) {
    const auto last = std::unique(begin(r), end(r), __by{by, of});
    return __pair_of_iterators<remove_const_t<decltype(last)>>{last, end(r)};
}
template <class R, class T, class P = identity>
constexpr auto find(R&& r, const T& value, P of = {}) {
    return std::find_if(begin(r), end(r), [&](auto&& each) { return invoke(of, each) == value; });
}
template <class R, class F, class P = identity>
constexpr auto find_if(R&& r, F f, P of = {}) {
    return std::find_if(begin(r), end(r), [&](auto&& each) -> bool { return invoke(f, invoke(of, each)); });
}
template <class R, class F, class P = identity>
constexpr bool all_of(R&& r, F f, P of = {}) {
    return std::all_of(begin(r), end(r), [&](auto&& each) -> bool { return invoke(f, invoke(of, each)); });
}
template <class R, class F, class P = identity>
constexpr bool any_of(R&& r, F f, P of = {}) {
    return std::any_of(begin(r), end(r), [&](auto&& each) -> bool { return invoke(f, invoke(of, each)); });
}
template <class R, class F, class P = identity>
constexpr bool none_of(R&& r, F f, P of = {}) {
    return !ranges::any_of(r, f, of);
}
template <class R, class F, class P = identity>
constexpr auto count_if(R&& r, F f, P of = {}) {
    return std::count_if(begin(r), end(r), [&](auto&& each) -> bool { return invoke(f, invoke(of, each)); });
}
template <class R, class T, class P = identity>
constexpr auto count(R&& r, const T& value, P of = {}) {
    return std::count_if(begin(r), end(r), [&](auto&& each) { return invoke(of, each) == value; });
}
template <class R, class T, class Less = less, class P = identity>
constexpr auto lower_bound(R&& r, const T& value, Less by = {}, P of = {}) {
    return std::partition_point(begin(r), end(r),
                                [&](auto&& each) -> bool { return invoke(by, invoke(of, each), value); });
}
template <class R, class T, class Less = less, class P = identity>
constexpr auto upper_bound(R&& r, const T& value, Less by = {}, P of = {}) {
    return std::partition_point(begin(r), end(r),
                                [&](auto&& each) -> bool { return !invoke(by, value, invoke(of, each)); });
}
template <class R, class T, class Less = less, class P = identity>
constexpr bool binary_search(R&& r, const T& value, Less by = {}, P of = {}) {
    const auto at = ranges::lower_bound(r, value, by, of);
    return at != end(r) && !invoke(by, value, invoke(of, *at));
}
template <class R, class Less = less, class P = identity>
constexpr auto max_element(R&& r, Less by = {}, P of = {}) {
    return std::max_element(begin(r), end(r), __by{by, of});
}
template <class R, class Less = less, class P = identity>
constexpr auto min_element(R&& r, Less by = {}, P of = {}) {
    return std::min_element(begin(r), end(r), __by{by, of});
}
template <class R, class Less = less, class P = identity>
constexpr auto max(R&& r, Less by = {}, P of = {}) {
    return *ranges::max_element(r, by, of);
}
template <class R, class Less = less, class P = identity>
constexpr auto min(R&& r, Less by = {}, P of = {}) {
    return *ranges::min_element(r, by, of);
}
template <class T>
struct __smallest_and_largest {
    T min, max;
};
template <class R>
constexpr auto minmax(R&& r) {
    return __smallest_and_largest<remove_cvref_t<decltype(*begin(r))>>{ranges::min(r), ranges::max(r)};
}
template <class R, class O>
constexpr auto copy(R&& r, O to) {
    return std::copy(begin(r), end(r), to);
}
template <class R, class O, class F, class P = identity>
constexpr auto copy_if(R&& r, O to, F f, P of = {}) {
    return std::copy_if(begin(r), end(r), to, [&](auto&& each) -> bool { return invoke(f, invoke(of, each)); });
}
template <class R, class O>
constexpr auto move(R&& r, O to) {
    return std::move(begin(r), end(r), to);
}
template <class R, class T>
constexpr auto fill(R&& r, const T& value) {
    std::fill(begin(r), end(r), value);
    return end(r);
}
template <class R, class T>
constexpr auto replace(R&& r, const T& from, const T& to) {
    std::replace(begin(r), end(r), from, to);
    return end(r);
}
template <class R, class O, class F>
constexpr auto transform(R&& r, O to, F f) {
    return std::transform(begin(r), end(r), to, f);
}
template <class R>
constexpr auto reverse(R&& r) {
    std::reverse(begin(r), end(r));
    return end(r);
}
template <class R, class S, class Equal = equal_to>
constexpr bool equal(R&& r, S&& s, Equal by = {}) {
    return std::equal(begin(r), end(r), begin(s), end(s), by);
}
template <class R, class S, class O>
constexpr auto set_union(R&& r, S&& s, O to) {
    return std::set_union(begin(r), end(r), begin(s), end(s), to);
}

}  // namespace ranges
}  // namespace std

#endif
#endif

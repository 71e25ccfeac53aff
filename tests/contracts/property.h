// Property-based tests with RapidCheck, whose templates are compiled only in property.cpp. If a property fails, the
// generated values are shrunk and printed with the seed that reproduces them.
//
//     PROPERTY(sorting, keeps_the_length) {
//         std::vector<double> values = arbitrary::some_reals();
//         MUST_HOLD(sorted(values).size() == values.size());
//     }
#pragma once

#include <gtest/gtest.h>

#include <concepts>
#include <cstdint>
#include <functional>
#include <initializer_list>
#include <set>
#include <string>
#include <vector>

namespace mercer::arbitrary {

// Runs the body about a hundred times; returns false if the property failed.
bool holds(const std::string& what, const std::function<void()>& body);
void must_hold(bool holds, const char* text, const char* file, int line);
void require_precondition(bool condition);  // discards the generated values if the condition is false
void note(const std::string& text);         // printed if the property fails

// An arbitrary value of type bool, int, unsigned integer of 8, 32 or 64 bits, double, or a list that property.cpp
// names.
template <class T>
T any();
inline bool coin() { return any<bool>(); }

std::int64_t whole_number(std::int64_t low, std::int64_t high);
template <std::integral T>
T integer(T low, T high) {  // low <= value < high
    return static_cast<T>(whole_number(static_cast<std::int64_t>(low), static_cast<std::int64_t>(high)));
}
std::vector<std::int64_t> some_wholes(std::int64_t low, std::int64_t high);
std::set<std::int32_t> some_distinct(std::int32_t low, std::int32_t high);

double real();  // finite, of any magnitude
std::vector<double> reals(std::size_t count);
std::vector<double> some_reals();
std::string some_text(const std::string& letters);

template <class T>
T one_of(const std::vector<T>& all) {
    const T& taken = all[integer(std::size_t{0}, all.size())];
    note("one of them: " + ::testing::PrintToString(taken));
    return taken;
}
template <class T>
T one_of(std::initializer_list<T> all) {
    return one_of(std::vector<T>(all));
}

}  // namespace mercer::arbitrary

#define PROPERTY(suite, name)                                                                                   \
    void property_##suite##_##name();                                                                           \
    TEST(suite, name) { EXPECT_TRUE(::mercer::arbitrary::holds(#suite "." #name, property_##suite##_##name)); } \
    void property_##suite##_##name()
#define MUST_HOLD(...) ::mercer::arbitrary::must_hold(static_cast<bool>(__VA_ARGS__), #__VA_ARGS__, __FILE__, __LINE__)

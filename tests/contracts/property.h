// What must hold whatever is drawn, by rapidcheck, whose templates stay in property.cpp. Where it does not hold, the
// draws are made as small as they go and printed, with the seed that brings them back.
//
//     PROPERTY(sorting, keeps_the_length) {
//         std::vector<double> values = drawn::some_reals();
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

namespace mercer::drawn {

// A hundred times or so; false where it did not hold.
bool always(const std::string& what, const std::function<void()>& body);
void must_hold(bool holds, const char* text, const char* file, int line);
void suppose(bool condition);        // drops the draw where it is false
void note(const std::string& text);  // printed where the property does not hold

// Anything: of bool, int, the unsigned numbers of 8, 32 and 64 bits, double, and of the lists that property.cpp names.
template <class T>
T any();
inline bool coin() { return any<bool>(); }

std::int64_t whole_number(std::int64_t low, std::int64_t high);
template <std::integral T>
T whole(T low, T high) {  // low <= it < high
    return static_cast<T>(whole_number(static_cast<std::int64_t>(low), static_cast<std::int64_t>(high)));
}
std::vector<std::int64_t> some_wholes(std::int64_t low, std::int64_t high);
std::set<std::int32_t> some_distinct(std::int32_t low, std::int32_t high);

double real();  // finite, of any size
std::vector<double> reals(std::size_t count);
std::vector<double> some_reals();
std::string some_text(const std::string& letters);

template <class T>
T one_of(const std::vector<T>& all) {
    const T& taken = all[whole(std::size_t{0}, all.size())];
    note("one of them: " + ::testing::PrintToString(taken));
    return taken;
}
template <class T>
T one_of(std::initializer_list<T> all) {
    return one_of(std::vector<T>(all));
}

}  // namespace mercer::drawn

#define PROPERTY(suite, name)                                                                                \
    void property_##suite##_##name();                                                                        \
    TEST(suite, name) { EXPECT_TRUE(::mercer::drawn::always(#suite "." #name, property_##suite##_##name)); } \
    void property_##suite##_##name()
#define MUST_HOLD(...) ::mercer::drawn::must_hold(static_cast<bool>(__VA_ARGS__), #__VA_ARGS__, __FILE__, __LINE__)

#include "contracts/property.h"

#include <rapidcheck.h>

#include <cmath>

namespace mercer::arbitrary {
namespace {

rc::Gen<double> finite() {
    return rc::gen::suchThat(rc::gen::arbitrary<double>(), [](double value) { return std::isfinite(value); });
}

}  // namespace

bool holds(const std::string& what, const std::function<void()>& body) { return rc::check(what, body); }
void must_hold(bool holds, const char* text, const char* file, int line) {
    if (!holds) RC_FAIL(std::string(file) + ":" + std::to_string(line) + ": " + text);
}
void require_precondition(bool condition) { RC_PRE(condition); }
void note(const std::string& text) { RC_LOG() << text << '\n'; }

template <class T>
T any() {
    return *rc::gen::arbitrary<T>();
}
template bool any();
template int any();
template std::uint8_t any();
template std::uint32_t any();
template std::uint64_t any();
template double any();
template std::vector<std::uint8_t> any();
template std::vector<std::pair<std::uint8_t, bool>> any();

std::int64_t whole_number(std::int64_t low, std::int64_t high) { return *rc::gen::inRange(low, high); }
std::vector<std::int64_t> some_wholes(std::int64_t low, std::int64_t high) {
    return *rc::gen::container<std::vector<std::int64_t>>(rc::gen::inRange(low, high));
}
std::set<std::int32_t> some_distinct(std::int32_t low, std::int32_t high) {
    return *rc::gen::container<std::set<std::int32_t>>(rc::gen::inRange(low, high));
}

double real() { return *finite(); }
std::vector<double> reals(std::size_t count) { return *rc::gen::container<std::vector<double>>(count, finite()); }
std::vector<double> some_reals() { return *rc::gen::container<std::vector<double>>(finite()); }
std::string some_text(const std::string& letters) {
    return *rc::gen::container<std::string>(rc::gen::elementOf(letters));
}

}  // namespace mercer::arbitrary

// Replaces json_rows.cpp in builds without the server.
#include "json_rows.h"
#include "mercer/base/error.h"

namespace mercer::cli {

// NOLINTNEXTLINE(performance-unnecessary-value-param): the same signature as in json_rows.cpp
json_rows::json_rows(std::string) : size_(0) { fail(errc::unsupported, "this mercer was built without simdjson"); }
bool json_rows::has_object_rows() const { return false; }
dense<double> json_rows::numbers(const row_shape&) const { return {}; }
std::string json_rows::csv(const row_shape&, std::set<std::string>&) const { return {}; }
std::string json_rows::libsvm() const { return {}; }
std::vector<std::string> json_rows::texts(const std::string&) const { return {}; }
std::string json_rows::lines() const { return {}; }

}  // namespace mercer::cli

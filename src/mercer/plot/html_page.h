// The parts of an HTML page that needs nothing else: no network, no script; light or dark as the reader's screen is.
// All texts are escaped here.
#pragma once

#include <string>
#include <vector>

#include "mercer/plot/svg.h"

namespace mercer::html {

std::string cell(const std::string& text, const char* kind = "");  // kinds: "l" stands left, "good", "bad"
std::string row(const std::string& cells);
std::string head(const std::vector<std::string>& names);
std::string table_of(const std::string& rows);
std::string tile(const std::string& value, const std::string& name);
std::string figure(const svg& picture, const std::string& caption = {});
// The whole page.
std::string framed(const std::string& title, const std::string& body);

}  // namespace mercer::html

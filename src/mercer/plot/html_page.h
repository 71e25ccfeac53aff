// The elements of a self-contained HTML page: no network, no scripts, light or dark by the setting of the reader. All
// texts are escaped here.
#pragma once

#include <string>
#include <vector>

#include "mercer/plot/svg.h"

namespace mercer::html {

std::string cell(const std::string& text, const char* kind = "");  // kinds: "l" (left-aligned), "good", "bad"
std::string row(const std::string& cells);
std::string head(const std::vector<std::string>& names);
std::string make_table(const std::string& rows);
std::string tile(const std::string& value, const std::string& name);
std::string figure(const svg& picture, const std::string& caption = {});
// The complete page.
std::string make_html_page(const std::string& title, const std::string& body);

}  // namespace mercer::html

#include "mercer/plot/html_page.h"

#include <fmt/format.h>

#include <string_view>

namespace mercer::html {
namespace {

constexpr std::string_view page_style = R"(
    :root { color-scheme: light dark; --ink: #24292f; --soft: #57606a; --grid: #d8dee4; --paper: #ffffff; --back: #f6f8fa; --good: #1a7f37; --bad: #cf222e }
    @media (prefers-color-scheme: dark) {
      :root { --ink: #e6edf3; --soft: #9aa5b1; --grid: #30363d; --paper: #161b22; --back: #0d1117; --good: #3fb950; --bad: #ff7b72 }
    }
    body { margin: 0 auto; max-width: 1280px; padding: 28px 24px 60px; background: var(--back); color: var(--ink);
           font: 15px/1.5 Inter, "Helvetica Neue", Helvetica, Arial, "DejaVu Sans", sans-serif }
    h1 { font-size: 24px; margin: 0 0 4px } h2 { font-size: 19px; margin: 36px 0 8px } h3 { font-size: 15px; margin: 22px 0 6px }
    .about { color: var(--soft); margin: 0 0 18px }
    .tiles { display: flex; flex-wrap: wrap; gap: 12px; margin: 14px 0 }
    .tile { background: var(--paper); border: 1px solid var(--grid); border-radius: 8px; padding: 10px 14px; min-width: 130px }
    .tile b { display: block; font-size: 20px; font-weight: 600 } .tile span { color: var(--soft); font-size: 13px }
    figure { display: inline-block; vertical-align: top; margin: 0 14px 16px 0; background: var(--paper); border: 1px solid var(--grid); border-radius: 8px; padding: 8px; max-width: 100%; box-sizing: border-box }
    figure svg { display: block; max-width: 100%; height: auto } figcaption { color: var(--soft); font-size: 13px; max-width: 560px; padding: 4px 8px }
    .scroll { overflow-x: auto }
    table { border-collapse: collapse; background: var(--paper); font-size: 14px; font-variant-numeric: tabular-nums }
    th, td { border: 1px solid var(--grid); padding: 4px 10px; text-align: right } th { background: var(--back); font-weight: 600 }
    td.l, th.l { text-align: left } .good { color: var(--good) } .bad { color: var(--bad); font-weight: 600 }
    details { margin: 12px 0 } summary { cursor: pointer; font-weight: 600 }
)";

}  // namespace

std::string cell(const std::string& text, const char* kind) {
    return fmt::format("<td{}>{}</td>", *kind ? fmt::format(" class=\"{}\"", kind) : "", xml_escaped(text));
}
std::string row(const std::string& cells) { return "<tr>" + cells + "</tr>\n"; }
std::string head(const std::vector<std::string>& names) {
    std::string out;
    for (const auto& each : names)
        out += fmt::format("<th{}>{}</th>", &each == &names.front() ? " class=\"l\"" : "", xml_escaped(each));
    return row(out);
}
std::string make_table(const std::string& rows) {
    return "<div class=\"scroll\"><table>\n" + rows + "</table></div>\n";
}
std::string tile(const std::string& value, const std::string& name) {
    return fmt::format("<div class=\"tile\"><b>{}</b><span>{}</span></div>\n", xml_escaped(value), xml_escaped(name));
}
std::string figure(const svg& picture, const std::string& caption) {
    return "<figure>" + picture.fragment() +
           (caption.empty() ? "" : "<figcaption>" + xml_escaped(caption) + "</figcaption>") + "</figure>\n";
}

std::string make_html_page(const std::string& title, const std::string& body) {
    return fmt::format(
        "<!DOCTYPE html>\n<html xmlns=\"http://www.w3.org/1999/xhtml\" lang=\"en\">\n<head>\n<meta "
        "charset=\"utf-8\"/>\n"
        "<meta name=\"viewport\" content=\"width=device-width, "
        "initial-scale=1\"/>\n<title>{}</title>\n<style>{}{}</style>\n</head>\n<body>\n{}</body>\n</html>\n",
        xml_escaped(title), page_style, svg::inline_style(), body);
}

}  // namespace mercer::html

// Descriptions of all methods with their options, of all kernels with their parameters, and of one kernel expression.
#include <cmath>

#include "mercer/base/error.h"
#include "mercer/data/all_kinds.h"
#include "mercer/kernels/expression/listed_kernels.h"
#include "mercer/kernels/features/feature_map.h"
#include "session.h"

namespace mercer::page {
namespace {

json option_json(const api::option_info& o) {
    static const char* const kinds[] = {"number", "whole", "flag", "choice", "numbers"};
    json out{{"name", o.name},
             {"kind", kinds[static_cast<int>(o.kind)]},
             {"initial", o.default_value},
             {"about", o.about},
             {"low", number_json(o.low)},
             {"high", number_json(o.high)},
             {"condition", o.condition()}};
    if (!o.choices.empty()) out["choices"] = o.choices;
    json needs = json::array();
    for (const option_requirement& need : o.needs) needs.push_back({{"option", need.option}, {"values", need.values}});
    if (!needs.empty()) out["needs"] = needs;
    return out;
}

void about(session&, const request&, reply& out) {
    static const char* const targets[] = {"none", "classes", "values", "clusters", "sides"};
    json methods = json::array(), kernels = json::array(), algebra = json::array();
    for (const api::method& m : api::methods()) {
        json options = json::array();
        for (const api::option_info& o : m.options) options.push_back(option_json(o));
        methods.push_back({{"name", m.name},
                           {"family", name(m.family)},
                           {"about", m.about},
                           {"formula", m.formula},
                           {"targets", targets[static_cast<int>(m.targets)]},
                           {"takes_kernel", m.takes_kernel},
                           {"can_predict", m.can_predict},
                           {"can_transform", m.can_transform},
                           {"options", options}});
    }
    for (const registered_kernel& k : kernel_registry()) {
        json parameters = json::array();
        for (const parameter_info& p : k.info.parameters)
            parameters.push_back(
                {{"name", p.name}, {"initial", p.initial}, {"condition", p.condition}, {"about", p.about}});
        kernels.push_back({{"name", k.info.name},
                           {"aliases", k.info.aliases},
                           {"formula", k.info.formula},
                           {"domain", std::string(k.info.kind.name())},
                           {"parameters", parameters},
                           {"rule", k.info.rule},
                           {"mercer", k.info.mercer}});
    }
    json kinds = json::array();
    listed_kinds::for_each([&]<class Kind> {
        kinds.push_back({{"name", name(Kind::kind)}, {"default_kernel", Kind::default_kernel}});
    });
    for (const algebra_info& each : algebra_registry())
        algebra.push_back({{"form", each.form}, {"meaning", each.meaning}, {"rule", each.rule}});
    out.body = {{"methods", methods}, {"kernels", kernels}, {"algebra", algebra}, {"kinds", kinds}};
}

json form_json(const kernel_form& form) {
    json arguments = json::array(), parts = json::array();
    for (const auto& [name, value] : form.arguments) {
        json shown;
        if (const auto* number = std::get_if<double>(&value)) shown = number_json(*number);
        if (const auto* list = std::get_if<std::vector<double>>(&value)) shown = *list;
        if (const auto* rows = std::get_if<number_table>(&value))
            shown = static_cast<const std::vector<std::vector<double>>&>(*rows);
        arguments.push_back({name, shown});
    }
    for (const auto& part : form.parts) parts.push_back(form_json(part->form()));
    json out{{"what", form.operation}, {"arguments", arguments}, {"parts", parts}};
    if (!form.function_name.empty()) out["who"] = form.function_name;
    return out;
}

json proof_json(const proof& p) {
    json parts = json::array();
    for (const proof& each : p.parts) parts.push_back(proof_json(each));
    return {{"valid", p.valid},           {"claim", p.claim},       {"rule", p.rule},
            {"conditions", p.conditions}, {"at_fault", p.at_fault}, {"parts", parts}};
}

// Splits "kernel expression, character 18: there is no …" into the message and the position of the error, counted from
// 0.
void put_kernel_error(const error& e, reply& out) {
    const std::string message = e.what(), mark = "character ";
    out.body = {{"ok", false}, {"message", message.substr(0, message.find('\n'))}};
    if (const auto at = message.find(mark); at != std::string::npos)
        out.body["at"] = std::atoi(message.c_str() + at + mark.size()) - 1;
}

void show_kernel(session&, const request& r, reply& out) {
    try {
        const kernel k = kernel::parse(r.text("kernel"));
        const traits t = k.properties();
        out.body = {{"ok", true},
                    {"text", k.text()},
                    {"domain", std::string(k.kind().name())},
                    {"form", form_json(k.node().form())},
                    {"proof", proof_json(k.proof())},
                    {"stationary", t.stationary},
                    {"radial", t.radial},
                    {"normalised", t.normalised}};
        if (k.kind() == object_kind::vectors) try {
                out.body["features"] = feature_map(k, static_cast<index>(r.number("dims", 2)), 40).names();
            } catch (const error&) {
            }  // no finite map, or more than 40 features: none are shown
    } catch (const error& e) {
        put_kernel_error(e, out);
    }
}

// Returns the explicit features of the data if the kernel has at most 40 of them.
void map_points(session& s, const request& r, reply& out) {
    require_data(s, 1);
    const feature_map map(kernel_of(s, r), s.data.x.dims(), 40);
    const dense<double> rows = map.apply(s.data.x);
    out.body["names"] = map.names();
    out.array<float>("features", std::span(rows.view().data, static_cast<std::size_t>(rows.size() * rows.dims())));
}

}  // namespace

std::map<std::string, operation> description_operations() {
    return {{"about", about}, {"kernel", show_kernel}, {"map", map_points}};
}

}  // namespace mercer::page

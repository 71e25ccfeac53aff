#include "mercer/kernels/expression/fields.h"

namespace mercer {
namespace {

void add_kinds(const kernel_node& k, std::map<std::string, std::string>& kinds) {
    const kernel_form form = k.form();
    for (const auto& part : form.parts) {
        if (form.what == "field" && part->where() != domain::any) kinds[form.who] = name(part->where());
        add_kinds(*part, kinds);
    }
}

}  // namespace

std::map<std::string, std::string> kinds_of_fields(const kernel& k) {
    std::map<std::string, std::string> kinds;
    add_kinds(k.node(), kinds);
    return kinds;
}

}  // namespace mercer

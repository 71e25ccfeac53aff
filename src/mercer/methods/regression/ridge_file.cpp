// Ridge regressions as files.
#include "mercer/base/file.h"
#include "mercer/data/readers/source.h"
#include "mercer/methods/archive.h"
#include "mercer/methods/regression/ridge.h"

namespace mercer {
namespace {

constexpr const char* format_name = "mercer-ridge-model";
constexpr int version = 1;

}  // namespace

std::string model_bytes(const ridge_model& model) {
    archive_writer out;
    out.head = {{"dims", model.dims()},
                {"outputs", model.outputs()},
                {"form", model.form == ridge_form::primal ? "primal" : "dual"}};
    out.one(model.alpha);
    out.numbers(model.coef);
    out.all(model.intercept);
    return out.bytes(format_name, version);
}

ridge_model parse_ridge(std::string_view bytes, const std::string& name) {
    archive_reader in(bytes, format_name, version, name);
    ridge_model model;
    in.read([&] {
        const index dims = whole(in.head, "dims"), outputs = whole(in.head, "outputs", 1 << 24);
        const std::string form = in.head.at("form").get<std::string>();
        if (form != "primal" && form != "dual") in.bad("unknown form " + form);
        model.form = form == "primal" ? ridge_form::primal : ridge_form::dual;
        model.alpha = in.one();
        model.coef = in.numbers(dims, outputs);
        model.intercept = in.all<double>(outputs);
    });
    return model;
}

void save_ridge(const ridge_model& model, const std::string& path) { write_atomically(path, model_bytes(model)); }

ridge_model load_ridge(const std::string& path) {
    const source file = read_source(path);
    return parse_ridge(file.bytes(), file.name());
}

}  // namespace mercer

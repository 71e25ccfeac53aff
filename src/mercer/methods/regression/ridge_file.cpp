// Ridge regressions as files.
#include "mercer/methods/codec.h"
#include "mercer/methods/regression/ridge.h"

namespace mercer {

template <>
struct file_form<ridge_model> {
    static constexpr std::string_view format = "mercer-ridge-model";
    static constexpr int version = 1;

    static void parts(auto& a, auto& m) {
        const index dims = a.count("dims", m.dims()), outputs = a.count("outputs", m.outputs(), 1 << 24);
        a.choice("form", m.form, {"cheaper", "primal", "dual"});
        a.numbers(m.alpha);
        a.table(m.coef, dims, outputs);
        a.list(m.intercept, outputs);
    }
};
template struct model_file<ridge_model>;

}  // namespace mercer

// Fuzz target: arbitrary bytes as a model file, LIBSVM's or Mercer's. The reader must return a model that can be used
// and written again, or fail with mercer::error.
//
// The first byte: bit 0 selects LIBSVM's text (then bit 1: indices from 0); otherwise bit 1 replaces lengths and
// checksums by matching ones.
#include <cstddef>
#include <cstdint>
#include <cstdlib>
#include <string>
#include <string_view>

#include "contracts/model_parts.h"
#include "mercer/base/error.h"
#include "mercer/methods/svm/libsvm_model.h"
#include "mercer/model/model_file.h"

namespace {

template <class Work>
void attempt(Work work) {
    try {
        work();
    } catch (const mercer::error&) {
    }
}

// Calls every operation of a model on the objects that it contains.
void use(const mercer::api::model& m) {
    const auto part = m.inner().part("objects");
    const auto* x = std::get_if<mercer::dataset>(&part);
    if (x && x->size() > 0 && x->size() < 200 && x->dims() < 1000) {
        attempt([&] {
            if (static_cast<mercer::index>(m.inner().predict(*x).size()) != x->size()) std::abort();
        });
        attempt([&] { m.inner().predict_with_details(*x); });
        attempt([&] { m.inner().transform(*x); });
    }
    m.describe().text();
    const std::string once = mercer::api::parse(m.bytes(), "again").bytes();
    if (mercer::api::parse(once, "again").bytes() != once) std::abort();
}

// Old seeds begin with the head: adds a first line to them.
std::string as_file(std::string_view body) {
    std::string text(body);
    if (!text.starts_with("mercer-")) text.insert(0, "mercer-svm-model 1 0 0 0\n");
    return mercer::testing::model_part::read(text).bytes();
}

}  // namespace

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
    if (size < 2) return 0;
    const std::string_view body(reinterpret_cast<const char*>(data) + 1, size - 1);
    attempt([&] {
        if (data[0] & 1) {
            const bool zero_based = data[0] & 2;
            const mercer::svm_model model = mercer::parse_libsvm_model(body, "fuzz", zero_based);
            const std::string text = mercer::libsvm_model_text(model, zero_based);
            if (mercer::libsvm_model_text(mercer::parse_libsvm_model(text, "again", zero_based), zero_based) != text)
                std::abort();
            attempt([&] { use(mercer::api::parse(body, "fuzz")); });
        } else {
            use(mercer::api::parse(data[0] & 2 ? as_file(body) : std::string(body), "fuzz"));
        }
    });
    return 0;
}

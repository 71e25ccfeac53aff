// Any bytes as a model file, LIBSVM's or our own (its first line, with the checksum, is made to fit): the reader
// returns a model that can decide and be written again, or fails with mercer::error.
#include <cstddef>
#include <cstdint>
#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <string>
#include <string_view>

#include "mercer/base/error.h"
#include "mercer/methods/svm/files/libsvm_model.h"
#include "mercer/methods/svm/files/model_file.h"

namespace {

std::string with_first_line(std::string_view body) {
    std::uint64_t sum = 0xCBF29CE484222325ull;
    for (std::size_t at = 0; at < body.size(); at += 8) {
        std::uint64_t word = 0;
        std::memcpy(&word, body.data() + at, std::min<std::size_t>(8, body.size() - at));
        sum = (sum ^ word) * 0x100000001B3ull;
        sum ^= sum >> 29;
    }
    const std::size_t head = std::min(body.find('\n'), body.size() - 1) + 1;
    char line[120];
    std::snprintf(line, sizeof line, "mercer-svm-model 1 %zu %zu %016llx\n", head, body.size() - head,
                  static_cast<unsigned long long>(sum));
    return line + std::string(body);
}

void use(const mercer::svm_model& model) {
    if (!model.k || model.dims > 1000 || model.support.dims() > 1000) return;
    if (model.support.size() == 0 || model.support.kind() != mercer::domain::vectors) return;
    const auto f = mercer::decide(model, model.support);
    if (static_cast<mercer::index>(mercer::predict(model, f.view()).size()) != model.support.size()) std::abort();
    if (model.probability && model.is_classifier()) mercer::predict_probability(model, f.view());
}

}  // namespace

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
    if (size < 2) return 0;
    const std::string_view body(reinterpret_cast<const char*>(data) + 1, size - 1);
    try {
        if (data[0] & 1) {
            const bool zero_based = data[0] & 2;
            const mercer::svm_model model = mercer::parse_libsvm_model(body, "fuzz", zero_based);
            use(model);
            const std::string text = mercer::libsvm_model_text(model, zero_based);
            if (mercer::libsvm_model_text(mercer::parse_libsvm_model(text, "again", zero_based), zero_based) != text)
                std::abort();
        } else {
            use(mercer::parse_model<mercer::svm_model>(data[0] & 2 ? with_first_line(body) : std::string(body),
                                                       "fuzz"));
        }
    } catch (const mercer::error&) {
    }
    return 0;
}

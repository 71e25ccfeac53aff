// mercer_call, the one function that the page calls.
#include <cmath>
#include <exception>
#include <new>

#include "mercer/base/error.h"
#include "mercer/base/json.h"
#include "mercer/methods/estimator.h"
#include "session.h"

namespace mercer::page {

json number_json(double value) {
    if (std::isnan(value)) return "nan";
    if (std::isinf(value)) return value > 0 ? "inf" : "-inf";
    return value;
}
json figures_json(const api::summary& from) { return parse_json(from.json()); }

void require_data(const session& s, index least) {
    if (s.data.x.size() < least)
        fail(errc::data,
             "at least " + std::to_string(least) + " examples are needed, got " + std::to_string(s.data.x.size()));
}
kernel kernel_of(const session& s, const request& r) {
    const std::string text = r.text("kernel");
    return text.empty() ? api::default_kernel(s.data.x) : kernel::parse(text);
}

namespace {

const std::map<std::string, operation>& operations() {
    static const std::map<std::string, operation> all = [] {
        std::map<std::string, operation> out;
        for (auto part : {description_operations(), data_operations(), fit_operations(), matrix_operations(),
                          solver_operations(), object_operations()})
            out.merge(part);
        return out;
    }();
    return all;
}

// Runs one request. Errors are returned as a reply: {"error": message, "code": kind of error}.
reply answer_to(std::string_view text, std::span<const double> numbers, std::string_view bytes) {
    static std::map<std::string, session> kept;
    const auto fault = [](const char* code, const char* what) {
        reply out;
        out.body = {{"error", what}, {"code", code}};
        return out;
    };
    try {
        const request r{parse_json(text, "the request"), numbers, bytes};
        const std::string what = r.text("do");
        const auto found = operations().find(what);
        if (found == operations().end()) fail(errc::invalid_argument, "there is no operation '" + what + "'");
        reply out;
        found->second(kept[r.text("session")], r, out);
        return out;
    } catch (const error& e) {
        return fault(name(e.code()), e.what());
    } catch (const std::bad_alloc&) {
        return fault("memory", "not enough memory");
    } catch (const std::exception& e) {
        return fault("unexpected", e.what());
    }
}

}  // namespace
}  // namespace mercer::page

// Runs a request. Returns four numbers in static memory, valid until the next call: address and length of the JSON
// text, address and length of the bytes.
extern "C" __attribute__((used, visibility("default"))) const std::size_t* mercer_call(
    const char* text, std::size_t length, const double* numbers, std::size_t count, const char* bytes,
    std::size_t byte_count) {
    static std::string body;
    static std::vector<char> arrays;
    static std::size_t where[4];
    using namespace mercer::page;
    reply out = answer_to({text, length}, {numbers, count}, {bytes, byte_count});
    body = out.body.dump(-1, ' ', false, json::error_handler_t::replace);
    arrays = out.bytes();
    where[0] = reinterpret_cast<std::size_t>(body.data()), where[1] = body.size();
    where[2] = reinterpret_cast<std::size_t>(arrays.data()), where[3] = arrays.size();
    return where;
}

#include "served_model.h"

#include <fmt/format.h>

#include <algorithm>
#include <new>

#include "content_encoding.h"
#include "former_names.h"
#include "mercer/base/context.h"
#include "mercer/base/error.h"
#include "mercer/base/memory.h"
#include "mercer/base/workspace.h"
#include "predict.h"
#include "request_rows.h"

namespace mercer::cli {
namespace {

// A refusal with its own HTTP status.
struct refusal {
    int status;
    std::string message;
};

http_answer json_answer(const json& value, int status = 200) {
    return {status, value.dump(-1, ' ', false, json::error_handler_t::replace) + "\n"};
}

int status_of(errc code) {
    switch (code) {
        case errc::cancelled:
        case errc::memory: return 503;
        case errc::io: return 500;
        default: return 400;
    }
}

// Returns the value of a boolean parameter, which is true by default.
bool is_requested(const http_request& asked, const std::string& name) {
    const auto found = asked.query.find(name);
    return found == asked.query.end() || (found->second != "0" && found->second != "false" && found->second != "no");
}

// Returns true if the answer is CSV: Accept asks for CSV, or CSV was sent and Accept does not ask for JSON.
bool wants_csv(const http_request& asked) {
    if (asked.accept.find("application/json") != std::string::npos) return false;
    return asked.accept.find("text/csv") != std::string::npos || asked.type == "text/csv";
}

}  // namespace

served_model::served_model(const std::string& path, const http_limits& limits)
    : m_(api::load(path)), file_(path), limits_(limits) {
    const api::method& about = api::find_method(m_.method_name());
    predicts_ = about.can_predict;
    transforms_ = about.can_transform;
    m_.keep_prepared();
    // a fraction of the memory that is free after loading the model
    if (limits_.memory == 0) limits_.memory = default_memory_budget();
    description_ = json_answer(describe_model()).body;
    addresses_ = json_answer(addresses()).body;
}

http_answer served_model::answer(http_request& asked) {
    ++requests_;
    if (asked.path == "/") return with_method("GET", asked, [&] { return http_answer{200, addresses_}; });
    if (asked.path == "/health") return with_method("GET", asked, [&] { return health(); });
    if (asked.path == "/model")
        return with_method("GET", asked, [&] {
            reserve(asked, 2 * description_.size());
            return http_answer{200, description_};
        });
    if (asked.path == "/predict" && predicts_) return with_method("POST", asked, [&] { return predict(asked); });
    if (asked.path == "/transform" && transforms_) return with_method("POST", asked, [&] { return transform(asked); });
    return error_answer(404, fmt::format("there is no path '{}': the paths are /health, /model{}{}", asked.path,
                                         predicts_ ? ", /predict" : "", transforms_ ? ", /transform" : ""));
}

template <class Body>
http_answer served_model::with_method(const std::string& method, http_request& asked, Body body) const {
    if (asked.method != method && !(method == "GET" && asked.method == "HEAD")) {
        http_answer no =
            error_answer(405, fmt::format("{} must be requested with {}, got {}", asked.path, method, asked.method));
        no.allow = method == "GET" ? "GET, HEAD" : method;
        return no;
    }
    const workspace_limit limit([&](std::size_t more) { reserve(asked, more); });
    const cancellation_scope stop([&] { return std::chrono::steady_clock::now() > asked.until; });
    try {
        return body();
    } catch (const refusal& no) {
        return error_answer(no.status, no.message);
    } catch (const row_error& wrong) {
        return error_answer(400, wrong.one_based_message());
    } catch (const error& wrong) {
        if (wrong.code() == errc::cancelled)
            return error_answer(
                503,
                fmt::format(
                    "the response takes longer than {} s: send fewer rows, or start the server with a larger --timeout",
                    limits_.seconds));
        return error_answer(status_of(wrong.code()), wrong.what());
    } catch (const std::bad_alloc&) {
        return error_answer(503, "out of memory: send fewer rows at once");
    } catch (const std::exception& wrong) {
        return error_answer(500, wrong.what());
    }
}

json served_model::addresses() const {
    json out{{"GET /health", "status of the server"}, {"GET /model", "description of the model and its columns"}};
    if (predicts_) out["POST /predict"] = "rows as JSON or CSV; ?details=false returns predictions only";
    if (transforms_) out["POST /transform"] = "rows as JSON or CSV";
    return out;
}

http_answer served_model::health() const {
    const std::chrono::duration<double> up = std::chrono::steady_clock::now() - started_;
    return {200, fmt::format("{{\"status\":\"ok\",\"requests\":{},\"seconds\":{}}}\n", requests_.load(), up.count())};
}

json served_model::describe_model() const {
    json out = figures_json(m_.describe());
    out["file"] = file_;
    out["columns"] = required_columns(m_);
    out["predicts"] = predicts_;
    out["transforms"] = transforms_;
    add_renamed_keys(out);
    return out;
}

void served_model::unpack(http_request& asked) const {
    if (asked.encoding.empty() || asked.encoding == "identity") return;
    if (!can_decompress()) throw refusal{415, "Content-Encoding: this server cannot read compressed bodies"};
    const std::size_t before = asked.memory.bytes();
    asked.body = decompress(asked.body, [&](std::size_t size) {
        throw_if_cancelled();
        if (size > limits_.body)
            throw refusal{413,
                          fmt::format("the request has more than {} bytes: send fewer rows at once", limits_.body)};
        if (before + 16 * size > asked.memory.bytes()) reserve(asked, before + 16 * size - asked.memory.bytes());
    });
}

// Reserves `more` further bytes for a request.
void served_model::reserve(http_request& asked, std::size_t more) const {
    if (more > limits_.request_memory() || asked.memory.bytes() > limits_.request_memory() - more)
        throw refusal{413, fmt::format("the rows and their predictions exceed the memory limit of {} bytes per "
                                       "request: send fewer rows at once, or leave out details",
                                       limits_.request_memory())};
    if (!asked.memory.grow_to(asked.memory.bytes() + more))
        throw refusal{503, "all requests together exceed the memory limit of the server: try again later"};
}

table served_model::rows(http_request& asked, std::string& answer) const {
    unpack(asked);
    throw_if_cancelled();
    std::vector<std::string> notes;
    const auto format = asked.query.find("format");
    request_text from{std::move(asked.body), asked.type, format == asked.query.end() ? "" : format->second,
                      static_cast<index>(limits_.request_memory() / 64),
                      [&](std::size_t bytes) { reserve(asked, bytes); }};
    table data = request_rows(m_, std::move(from), [&](const std::string& note) { notes.push_back(note); });
    answer = fmt::format("{{\"n\":{}", data.x.size());
    for (std::size_t i = 0; i < notes.size(); ++i) {
        answer += i > 0 ? "," : ",\"warnings\":[";
        append_json_text(notes[i], answer);
    }
    if (!notes.empty()) answer += "]";
    throw_if_cancelled();
    return data;
}

// Reserves the memory of the numbers of an answer and of their text.
void served_model::reserve_answer(http_request& asked, index rows, index columns) const {
    constexpr std::size_t per_number = 64;
    std::size_t longest = 0;  // length of the longest class name, which may occur in every row
    for (const std::string& name : m_.class_names()) longest = std::max(longest, name.size());
    reserve(asked,
            static_cast<std::size_t>(rows) * ((static_cast<std::size_t>(columns) + 1) * per_number + 3 * longest));
}

http_answer served_model::predict(http_request& asked) const {
    std::string answer;
    const table data = rows(asked, answer);
    const bool detailed = is_requested(asked, "details");
    if (detailed && detail_columns_ < 0 && data.x.size() > 1)
        detail_columns_ = m_.predict_with_details(gather(data.x, row_set(0, 1))).details.values.cols();
    reserve_answer(asked, data.x.size(), detailed ? std::max<index>(detail_columns_, 0) : 0);
    const auto [found, details] =
        detailed ? m_.predict_with_details(data.x) : api::detailed_predictions{m_.predict(data.x), {}};
    if (detailed) detail_columns_ = details.values.cols();
    throw_if_cancelled();
    if (wants_csv(asked)) return {200, prediction_text(m_, found, details, true), "text/csv; charset=utf-8"};
    answer += ",\"predictions\":";
    append_predictions_json(m_, found, answer);
    if (!details.names.empty()) {
        answer += ",\"details\":{";
        append_columns_json(details, answer);
        answer += "}";
    }
    return {200, answer += "}\n"};
}

http_answer served_model::transform(http_request& asked) const {
    std::string answer;
    const table data = rows(asked, answer);
    if (transform_columns_ < 0 && data.x.size() > 1)
        transform_columns_ = m_.transform(gather(data.x, row_set(0, 1))).values.cols();
    reserve_answer(asked, data.x.size(), std::max<index>(transform_columns_, 0));
    const api::columns made = m_.transform(data.x);
    transform_columns_ = made.values.cols();
    throw_if_cancelled();
    if (wants_csv(asked)) return {200, columns_text(made), "text/csv; charset=utf-8"};
    answer += ",";
    append_columns_json(made, answer);
    return {200, answer += "}\n"};
}

}  // namespace mercer::cli

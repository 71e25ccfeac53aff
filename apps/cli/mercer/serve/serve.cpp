// mercer serve: a fitted model that answers over HTTP.
#include <fcntl.h>
#include <fmt/format.h>
#include <unistd.h>

#include <atomic>
#include <cerrno>
#include <csignal>
#include <thread>

#include "../predict/predictions.h"
#include "http_server.h"
#include "mercer/base/error.h"
#include "mercer/base/stop.h"
#include "request_rows.h"

namespace mercer::cli {
namespace {

struct serve_options {
    std::string model;
    common_options common;
    std::string host = "127.0.0.1";
    int port = 8080;
    http_limits limits;
};

http_answer in_json(const json& value, int status = 200) {
    return {status, value.dump(-1, ' ', false, json::error_handler_t::replace) + "\n"};
}
http_answer refused(int status, const std::string& message) { return in_json({{"error", message}}, status); }

int status_of(errc code) {
    switch (code) {
        case errc::cancelled:
        case errc::memory: return 503;
        case errc::io: return 500;
        default: return 400;
    }
}

// Is it wanted, by a parameter that may be left out?
bool wanted(const http_request& asked, const std::string& name) {
    const auto found = asked.query.find(name);
    return found == asked.query.end() || (found->second != "0" && found->second != "false" && found->second != "no");
}

// What is known of one model, and what it says of rows.
class served {
public:
    served(const std::string& path, const http_limits& limits) : m_(api::load(path)), file_(path), limits_(limits) {
        const api::method& about = api::find_method(m_.method_name());
        predicts_ = about.can_predict;
        transforms_ = about.can_transform;
        m_.keep_ready();
    }

    http_answer answer(const http_request& asked) {
        ++requests_;
        if (asked.path == "/") return only("GET", asked, [&] { return in_json(addresses()); });
        if (asked.path == "/health") return only("GET", asked, [&] { return in_json(health()); });
        if (asked.path == "/model") return only("GET", asked, [&] { return in_json(facts()); });
        if (asked.path == "/predict" && predicts_) return only("POST", asked, [&] { return predict(asked); });
        if (asked.path == "/transform" && transforms_) return only("POST", asked, [&] { return transform(asked); });
        return refused(404, fmt::format("there is nothing at '{}': there are /health, /model{}{}", asked.path,
                                        predicts_ ? ", /predict" : "", transforms_ ? ", /transform" : ""));
    }
    const api::model& model() const { return m_; }
    std::int64_t requests() const { return requests_; }

private:
    template <class Body>
    http_answer only(const std::string& method, const http_request& asked, Body body) {
        if (asked.method != method && !(method == "GET" && asked.method == "HEAD")) {
            http_answer no = refused(405, fmt::format("{} is asked by {}, got {}", asked.path, method, asked.method));
            no.allow = method == "GET" ? "GET, HEAD" : method;
            return no;
        }
        const stop_scope stop([&] { return std::chrono::steady_clock::now() > asked.until; });
        try {
            return body();
        } catch (const error& wrong) {
            if (wrong.code() == errc::cancelled)
                return refused(503, fmt::format("the answer takes longer than {} s: send fewer rows, or start the "
                                                "server with a larger --timeout",
                                                limits_.seconds));
            return refused(status_of(wrong.code()), wrong.what());
        } catch (const std::bad_alloc&) {
            return refused(503, "out of memory: send fewer rows at once");
        } catch (const std::exception& wrong) {
            return refused(500, wrong.what());
        }
    }

    json addresses() const {
        json out{{"GET /health", "is the server there"}, {"GET /model", "what the model is, and its columns"}};
        if (predicts_) out["POST /predict"] = "rows as JSON or CSV; ?details=false leaves out what is behind answers";
        if (transforms_) out["POST /transform"] = "rows as JSON or CSV";
        return out;
    }
    json health() const {
        const std::chrono::duration<double> up = std::chrono::steady_clock::now() - started_;
        return {{"status", "ok"}, {"requests", requests_.load()}, {"seconds", up.count()}};
    }
    json facts() const {
        json out = figures_json(m_.describe());
        out["file"] = file_;
        out["columns"] = columns_wanted(m_);
        out["predicts"] = predicts_;
        out["transforms"] = transforms_;
        return out;
    }

    table rows(const http_request& asked, json& answer) const {
        json notes = json::array();
        const auto format = asked.query.find("format");
        const request_text from{asked.body, asked.type, format == asked.query.end() ? "" : format->second};
        table data = request_rows(m_, from, [&](const std::string& note) { notes.push_back(note); });
        answer["n"] = data.x.size();
        if (!notes.empty()) answer["warnings"] = std::move(notes);
        return data;
    }
    // CSV for those who say so, and for those who sent CSV and do not say.
    static bool in_csv(const http_request& asked) {
        if (asked.accept.find("application/json") != std::string::npos) return false;
        return asked.accept.find("text/csv") != std::string::npos || asked.type == "text/csv";
    }

    http_answer predict(const http_request& asked) const {
        json answer;
        const table data = rows(asked, answer);
        const auto [found, details] =
            wanted(asked, "details") ? m_.predict_with_details(data.x) : api::explained{m_.predict(data.x), {}};
        if (in_csv(asked)) return {200, prediction_text(m_, found, details, true), "text/csv; charset=utf-8"};
        answer["predictions"] = predictions_json(m_, found);
        if (!details.names.empty()) answer["details"] = columns_json(details);
        return in_json(answer);
    }
    http_answer transform(const http_request& asked) const {
        json answer;
        const api::columns made = m_.transform(rows(asked, answer).x);
        if (in_csv(asked)) return {200, columns_text(made), "text/csv; charset=utf-8"};
        answer.update(columns_json(made));
        return in_json(answer);
    }

    api::model m_;
    std::string file_;
    http_limits limits_;
    bool predicts_ = false, transforms_ = false;
    std::atomic<std::int64_t> requests_{0};
    std::chrono::steady_clock::time_point started_ = std::chrono::steady_clock::now();
};

// The first SIGINT or SIGTERM stops the server, which answers what it has begun; the second ends the program. (By
// handlers: threads of BLAS are there before main, and hear signals that are blocked here.)
class stop_on_signals {
public:
    explicit stop_on_signals(http_server& server) {
        if (::pipe2(ends_, O_CLOEXEC) != 0) fail(errc::io, "no pipe for signals");
        for (const int each : {SIGINT, SIGTERM}) {
            struct sigaction before {};
            if (sigaction(each, nullptr, &before) == 0 && before.sa_handler == SIG_IGN) continue;
            struct sigaction action {};
            action.sa_handler = [](int which) {
                if (heard_++ > 0) ::_exit(128 + which);
                (void)!::write(ends_[1], "", 1);
            };
            sigaction(each, &action, nullptr);
        }
        watcher_ = std::thread([&server] {
            char any = 0;
            while (::read(ends_[0], &any, 1) < 0 && errno == EINTR) {
            }
            server.stop();
        });
    }
    ~stop_on_signals() {
        (void)!::write(ends_[1], "", 1);  // where the server ended by itself
        watcher_.join();
    }
    stop_on_signals(const stop_on_signals&) = delete;
    stop_on_signals& operator=(const stop_on_signals&) = delete;

private:
    inline static int ends_[2] = {-1, -1};
    inline static std::atomic<int> heard_ = 0;
    std::thread watcher_;
};

void serve(const serve_options& options) {
    options.common.apply();
    served model(options.model, options.limits);
    http_server server(options.limits, [&](const http_request& asked) { return model.answer(asked); });
    const int port = server.bind(options.host, options.port);
    const bool v6 = options.host.find(':') != std::string::npos;
    const std::string address = fmt::format("http://{}:{}", v6 ? "[" + options.host + "]" : options.host, port);
    if (options.common.as_json)
        print(json{{"address", address}, {"port", port}, {"model", options.model}}.dump() + "\n");
    else
        print(fmt::format("{} of {} answers at {}; Ctrl-C stops it\n", model.model().method_name(), options.model,
                          address));
    std::fflush(stdout);
    {
        const stop_on_signals listening(server);
        server.run();
    }
    if (!options.common.as_json) print(fmt::format("stopped after {}\n", counted(model.requests(), "request")));
}

void add_limits(CLI::App& command, http_limits& limits) {
    command.add_option("--max-body", limits.body, "The largest request, such as 64MB (default 16MB)")
        ->option_text("SIZE")
        ->transform(CLI::AsSizeValue(false))
        ->group("Limits");
    command.add_option("--timeout", limits.seconds, "Seconds for a request and its answer (default 30)")
        ->option_text("SECONDS")
        ->check(CLI::Range(0.05, 86400.0))
        ->group("Limits");
    command.add_option("--clients", limits.clients, "Connections at once; more of them wait (default 64)")
        ->option_text("N")
        ->check(CLI::Range(1, 4096))
        ->group("Limits");
}

}  // namespace

void add_serve(CLI::App& program) {
    CLI::App* command =
        add_command(program, "serve", "Answer over HTTP: rows as JSON or CSV in, what a fitted model says of them out");
    const auto options = std::make_shared<serve_options>();
    command->add_option("MODEL", options->model, "A file of `mercer fit`, or any other model file of the library")
        ->required();
    command->add_option("--port", options->port, "The port (default 8080); 0 takes one that is free and says which")
        ->option_text("N")
        ->check(CLI::Range(0, 65535))
        ->group("Address");
    command
        ->add_option("--host", options->host,
                     "The address to listen at (default 127.0.0.1: this machine alone; 0.0.0.0: whoever can reach it, "
                     "without passwords or encryption)")
        ->option_text("ADDRESS")
        ->group("Address");
    add_limits(*command, options->limits);
    options->common.add_to(*command);
    command->footer(
        "Examples:\n"
        "  mercer serve iris.model --port 8080\n"
        "  curl localhost:8080/model\n"
        "  curl localhost:8080/predict -H 'Content-Type: application/json' -d '[[5.1, 3.5, 1.4, 0.2]]'\n"
        "  curl localhost:8080/predict -H 'Content-Type: text/csv' --data-binary @new.csv\n"
        "\nAddresses, keys and limits are in docs/serve.md.");
    command->callback([options] { serve(*options); });
}

}  // namespace mercer::cli

// mercer serve: answers HTTP requests with a fitted model.
#include <fcntl.h>
#include <fmt/format.h>
#include <unistd.h>

#include <atomic>
#include <cerrno>
#include <csignal>
#include <system_error>
#include <thread>

#include "fit.h"
#include "http_server.h"
#include "mercer/base/error.h"
#include "served_model.h"

namespace mercer::cli {
namespace {

struct serve_options {
    std::string model;
    common_options common;
    std::string host = "127.0.0.1";
    int port = 8080;
    http_limits limits;
};

// The first SIGINT or SIGTERM stops the server after it has answered the requests that have begun; the second ends the
// program. (Handlers are used because BLAS starts threads before main(), which would receive signals that are blocked
// here.)
class stop_on_signals {
public:
    explicit stop_on_signals(http_server& server) {
        int ends[2];
        if (::pipe2(ends, O_CLOEXEC) != 0) fail(errc::io, "cannot create a pipe for signals");
        write_end_ = ends[1];
        for (const int each : {SIGINT, SIGTERM}) {
            struct sigaction before {};
            if (sigaction(each, nullptr, &before) == 0 && before.sa_handler == SIG_IGN) continue;
            struct sigaction action {};
            action.sa_handler = [](int which) {
                if (signals_received_++ > 0) ::_exit(128 + which);
                // A pipe that cannot be written can be closed, which wakes the thread too.
                if (::write(write_end_, "", 1) < 0) ::close(write_end_.exchange(-1));
            };
            sigaction(each, &action, nullptr);
        }
        try {
            watcher_ = std::thread([&server, read_end = ends[0]] {
                char any = 0;
                while (::read(read_end, &any, 1) < 0 && errno == EINTR) {
                }
                server.stop();
            });
        } catch (const std::system_error& wrong) {
            fail(errc::memory,
                 fmt::format("cannot start the thread that waits for signals: out of memory, or the limit "
                             "on the number of processes (ulimit -u) is reached ({})",
                             wrong.what()));
        }
    }
    ~stop_on_signals() {
        ::close(write_end_.exchange(-1));  // wakes the thread if the server ended without a signal
        watcher_.join();
    }
    stop_on_signals(const stop_on_signals&) = delete;
    stop_on_signals& operator=(const stop_on_signals&) = delete;

private:
    inline static std::atomic<int> write_end_ = -1;
    inline static std::atomic<int> signals_received_ = 0;
    std::thread watcher_;
};

void serve(const serve_options& options) {
    options.common.apply();
    served_model model(options.model, options.limits);
    http_server server(model.limits(), [&](http_request& asked) { return model.answer(asked); });
    const int port = server.bind(options.host, options.port);
    const bool v6 = options.host.find(':') != std::string::npos;
    const std::string address = fmt::format("http://{}:{}", v6 ? "[" + options.host + "]" : options.host, port);
    {
        const stop_on_signals listening(server);
        if (options.common.as_json)
            print(json{{"address", address}, {"port", port}, {"model", options.model}}.dump() + "\n");
        else
            print(fmt::format("serving {} ({}) at {}; Ctrl-C stops the server\n", options.model,
                              model.model().method_name(), address));
        flush_output();
        server.run();
    }
    if (!options.common.as_json) print(fmt::format("stopped after {}\n", count_text(model.requests(), "request")));
}

void add_limits(CLI::App& command, http_limits& limits) {
    command
        .add_option("--max-body", limits.body, "Largest request body after decompression, such as 64MB (default: 16MB)")
        ->option_text("SIZE")
        ->transform(CLI::AsSizeValue(false))
        ->group("Limits");
    command
        .add_option("--timeout", limits.seconds,
                    "Time limit for reading and answering a request in seconds (default: 30)")
        ->option_text("SECONDS")
        ->check(range_validator(0.05, 86400))
        ->group("Limits");
    command
        .add_option("--max-connections", limits.clients,
                    "Maximum number of open connections; other clients wait (default: 1024)")
        ->option_text("N")
        ->check(CLI::Range(1, 65536))
        ->group("Limits");
    command
        .add_option("--max-memory", limits.memory,
                    "Memory limit of all requests together (default: at most half of the free memory)")
        ->option_text("SIZE")
        ->transform(CLI::AsSizeValue(false))
        ->group("Limits");
}

}  // namespace

void add_serve(CLI::App& program) {
    CLI::App* command = add_command(program, "serve", "Serve predictions of a model over HTTP",
                                    "Serves predictions of a fitted model over HTTP: requests and responses are JSON "
                                    "or CSV. Ctrl-C stops the server.");
    const auto options = std::make_shared<serve_options>();
    command->add_option("MODEL", options->model, "Model file, written by a command of Mercer or by LIBSVM's svm-train")
        ->required();
    command->add_option("--port", options->port, "TCP port; 0 selects a free port (default: 8080)")
        ->option_text("N")
        ->check(CLI::Range(0, 65535))
        ->group("Address");
    command
        ->add_option("--host", options->host,
                     "Address to listen on, no password (default: 127.0.0.1, only this machine)")
        ->option_text("ADDRESS")
        ->group("Address");
    add_limits(*command, options->limits);
    options->common.add_to(*command);
    command->get_option("--json")->description("Print the address of the server as one line of JSON");
    set_common_options(*command,
                       {"--port", "--host", "--max-body", "--timeout", "--max-connections", "--max-memory", "--json"});
    command->footer(
        "Examples:\n"
        "  mercer fit svc data/iris.csv --target species -o iris.model\n"
        "  mercer serve iris.model --port 8080\n"
        "  curl localhost:8080/predict -H 'Content-Type: text/csv' -d '5.1,3.5,1.4,0.2'\n"
        "\ndocs/serve.md describes the paths, the keys of requests and responses, and the limits.");
    command->callback([options] { serve(*options); });
}

}  // namespace mercer::cli

// A fitted model that answers HTTP requests.
#pragma once

#include <atomic>
#include <chrono>
#include <string>

#include "fit.h"
#include "http_message.h"

namespace mercer::cli {

class served_model {
public:
    // limits.memory = 0: the budget is a fraction of the memory that is free after the model is loaded.
    served_model(const std::string& path, const http_limits& limits);

    // May be called from several threads at once. Returns within the time limit of the request.
    http_answer answer(http_request& asked);
    const api::model& model() const { return m_; }
    const http_limits& limits() const { return limits_; }
    std::int64_t requests() const { return requests_; }

private:
    template <class Body>
    http_answer with_method(const std::string& method, http_request& asked, Body body) const;
    json addresses() const;
    http_answer health() const;
    json describe_model() const;
    void unpack(http_request& asked) const;
    void reserve(http_request& asked, std::size_t more) const;
    table rows(http_request& asked, std::string& answer) const;
    void reserve_answer(http_request& asked, index rows, index columns) const;
    http_answer predict(http_request& asked) const;
    http_answer transform(http_request& asked) const;

    api::model m_;
    std::string file_;
    http_limits limits_;
    bool predicts_ = false, transforms_ = false;
    std::string description_, addresses_;  // the answers to /model and /
    // Numbers per row of an answer, measured on one row; -1: not known yet.
    mutable std::atomic<index> detail_columns_{-1}, transform_columns_{-1};
    std::atomic<std::int64_t> requests_{0};
    std::chrono::steady_clock::time_point started_ = std::chrono::steady_clock::now();
};

}  // namespace mercer::cli

#include <kcontrol/testing/scripted_transport.hpp>

#include <utility>

namespace kcontrol::inline v0_1::testing {
namespace detail {

class scripted_reader final : public http::body_stream {
public:
    explicit scripted_reader(std::shared_ptr<scripted_body> body) : body_(std::move(body)) {}
    ~scripted_reader() override { body_->abandon(); }

    awaitable<result<std::size_t>> read_some(std::span<char> into, duration idle, std::stop_token stop) override {
        return body_->read(into, idle, std::move(stop));
    }

private:
    std::shared_ptr<scripted_body> body_;
};

}  // namespace detail

scripted_step::scripted_step(environment& env, std::string expected)
    : expected_(std::move(expected)), body_(std::make_shared<scripted_body>(env)) {}

scripted_step& scripted_step::with_body(std::string text) {
    request_body_ = std::move(text);
    return *this;
}

scripted_step& scripted_step::with_header(std::string name, std::string value) {
    request_headers_.add(name, std::move(value));
    return *this;
}

scripted_step& scripted_step::reply(int status, std::string text, std::string content_type) {
    head_.status = status;
    if (!content_type.empty()) head_.headers.set("Content-Type", std::move(content_type));
    if (!text.empty()) body_->push(std::move(text));
    body_->end(stream_end::clean);
    return *this;
}

scripted_step& scripted_step::stream(std::initializer_list<std::string> slices, stream_end how) {
    head_.status = 200;
    head_.headers.set("Content-Type", "application/json");
    for (const auto& slice : slices) body_->push(slice);
    body_->end(how);
    return *this;
}

scripted_step& scripted_step::header(std::string name, std::string value) {
    head_.headers.add(name, std::move(value));
    return *this;
}

scripted_step& scripted_step::fail(errc code, std::string message) {
    failure_ = error(code, std::move(message));
    return *this;
}

std::string scripted_step::compare(const http::request& req) const {
    const std::string got = req.method + " " + req.target;
    const bool open = !expected_.empty() && expected_.back() == '*';
    const std::string_view begin = std::string_view(expected_).substr(0, expected_.size() - (open ? 1 : 0));
    if (open ? !got.starts_with(begin) : got != begin) return "expected " + expected_ + ", got " + got;
    if (request_body_ && *request_body_ != req.body) {
        return got + ": expected body " + *request_body_ + ", got " + req.body;
    }
    for (const auto& field : request_headers_) {
        if (req.headers.get(field.name) == field.value) continue;
        return got + ": expected header " + field.name + ": " + field.value;
    }
    return {};
}

scripted_step& scripted_transport::expect(std::string method_and_target) {
    return steps_.emplace_back(env_, std::move(method_and_target));
}

std::vector<std::string> scripted_transport::failures() const {
    std::vector<std::string> out = unexpected_;
    for (const auto& step : steps_) out.push_back("never requested: " + step.expected_);
    return out;
}

result<void> scripted_transport::verify() const {
    std::string text;
    for (const auto& failure : failures()) text += (text.empty() ? "" : "; ") + failure;
    if (text.empty()) return {};
    return error(errc::unavailable, "script: " + text);
}

http::transport_factory scripted_transport::factory() {
    return [self = shared_from_this()](executor, const http::endpoint& to,
                                       const http::tls_options& with) -> result<std::shared_ptr<http::transport>> {
        self->server_ = to;
        self->tls_ = with;
        ++self->connected_;
        return std::shared_ptr<http::transport>(self);
    };
}

awaitable<result<http::opened_exchange>> scripted_transport::open(http::request req, http::exchange_options options) {
    const time_point deadline = env_.now() + options.deadline();
    if (options.form() == http::exchange_form::websocket) co_return http::no_websockets();
    if (options.stop().stop_requested()) co_return error(errc::stopped);
    sent_.push_back(req);
    deadlines_.push_back(options.deadline());
    if (steps_.empty()) co_return unexpected("no step left for " + req.method + " " + req.target);
    const scripted_step step = std::move(steps_.front());
    steps_.pop_front();
    if (const auto wrong = step.compare(req); !wrong.empty()) co_return unexpected(wrong);
    if (step.hang_) {
        const wake why = co_await sleep_for(env_, options.deadline(), options.stop());
        co_return error(why == wake::stopped ? errc::stopped : errc::timeout, "scripted: no answer");
    }
    if (step.failure_) co_return *step.failure_;
    http::opened_exchange answer(step.head_);
    answer.stream = std::make_unique<detail::scripted_reader>(step.body_);
    if (options.form() == http::exchange_form::streamed) co_return answer;
    const auto body = std::move(answer.stream);
    char chunk[4096];
    for (;;) {
        const std::span<char> into(chunk);
        const auto n = co_await body->read_some(into, deadline - env_.now(), options.stop());
        if (!n) co_return n.error();
        if (*n == 0) co_return answer;
        answer.body.append(chunk, *n);
        if (answer.body.size() > options.max_body()) {
            co_return error(errc::too_large, "scripted: the body is too large");
        }
    }
}

error scripted_transport::unexpected(std::string what) {
    unexpected_.push_back(what);
    return error(errc::unavailable, "script: " + what);
}

}  // namespace kcontrol::testing

// What answers a review: the functions that were registered, and a refusal of what can not be read.
#pragma once

#include <kcontrol/runtime/guarded_calls.hpp>
#include <kcontrol/serve/responses.hpp>
#include <kcontrol/webhook/conversion_review.hpp>
#include <kcontrol/webhook/webhook_server.hpp>

#include <boost/asio/post.hpp>
#include <boost/asio/this_coro.hpp>

#include <memory>
#include <string>
#include <utility>
#include <vector>

namespace kcontrol::inline v0_1::detail {

// What functions of the embedding program threw.
class webhook_faults {
public:
    webhook_faults(environment& env, const logger& log) : calls(env, log) {}

    guarded_calls calls;
    std::uint64_t admission = 0, conversion = 0;
};

inline http::response failure_response(int code, std::string_view reason, std::string_view message) {
    return http::response(code, "application/json", failure_status_json(code, reason, message));
}

inline awaitable<http::response> answer_admission(std::shared_ptr<webhook_faults> faults,
                                                  std::shared_ptr<const admission_handler> handler, webhook_call call) {
    auto read = decode_admission_review(call.request.body);
    if (!read) co_return failure_response(400, "BadRequest", read.error().message());
    const auto asked = std::make_shared<const admission_request>(std::move(*read));
    admission_response answer;
    try {
        answer = co_await (*handler)(admission_context(asked, call.stop));
    } catch (...) {
        ++faults->admission;
        faults->calls.caught("an admission function", [&asked] { return asked->describe(); });
        answer = admission_response(verdict_of(error_of_thrown("the webhook's function")));
        answer.patch.clear();
    }
    co_return http::response(200, "application/json", to_json(answer, *asked));
}

inline awaitable<http::response> answer_conversion(std::shared_ptr<webhook_faults> faults,
                                                   std::shared_ptr<const std::vector<kind_conversion>> kinds,
                                                   webhook_call call) {
    const auto asked = decode_conversion_review(call.request.body);
    if (!asked) co_return failure_response(400, "BadRequest", asked.error().message());
    const executor mine = co_await boost::asio::this_coro::executor;
    result<std::vector<std::string>> made{std::vector<std::string>()};
    for (std::size_t i = 0; i < asked->objects.size(); ++i) {
        // A list may be long: between its objects others get on.
        if (i % 16 == 15) co_await boost::asio::post(mine, boost::asio::use_awaitable);
        if (call.stop.stop_requested()) {
            made = error(errc::timeout, "the time of the request was over");
            break;
        }
        auto one = convert_one(*kinds, *asked, i);
        if (!one) {
            if (one.error() == errc::callback_failed) ++faults->conversion;
            made = one.error();
            break;
        }
        made->push_back(std::move(*one));
    }
    co_return http::response(200, "application/json", conversion_review_response(*asked, made));
}

}  // namespace kcontrol::detail

// The log of a container: whole, or as it grows.
#include "testserver/body_writer.hpp"
#include "testserver/pod_handler.hpp"
#include "testserver/responses.hpp"

#include <algorithm>
#include <limits>

namespace kcontrol::inline v0_1::testing::detail {
namespace {

// Whether a container may still say something.
bool may_say_more(const object_ptr& pod) {
    if (pod == nullptr) return false;
    const json::value content(pod->content());
    const std::string_view phase = json::get_string(content, {"status", "phase"});
    return phase != "Succeeded" && phase != "Failed";
}

}  // namespace

awaitable<int> pod_handler::answer_log(const http::server_request& request, http::responder& out,
                                       const request_info& info, const fault& injected) {
    const auto pods = store_.table({"", "pods"});
    const namespaced_name key(info.namespace_, info.name);
    const object_ptr pod = pods == nullptr ? nullptr : pods->get(key);
    outcome<log_query> query = failure::not_found({"", "pods"}, key.name);
    if (request.method != "GET") {
        query = failure::method_not_allowed();
    } else if (pod != nullptr) {
        query = log_query::of_request(info, pod->value(pods->type(), "v1"));
    }
    if (query && query->previous && logs_.find(key, query->container, true) == nullptr) {
        query = failure::bad_request("previous terminated container \"" + query->container + "\" in pod \"" + key.name +
                                     "\" not found");
    }
    if (!query) {
        const int code = query.error().code;
        co_await send_answer(env_, out, status_response(query.error()), injected);
        co_return code;
    }
    // Nobody says anything before a node has the pod.
    const json::value shown_pod = pod->value(pods->type(), "v1");
    if (json::get_string(shown_pod, {"spec", "nodeName"}).empty()) {
        co_await send_answer(env_, out, http::response(204), injected);
        co_return 204;
    }
    http::response_head head(200);
    head.headers.set("Content-Type", "text/plain");
    const auto started = co_await out.start(std::move(head));
    std::size_t shown = 0;
    std::int64_t left = query->limit.value_or(std::numeric_limits<std::int64_t>::max());
    bool open = started.has_value();
    bool first = true;
    while (open) {
        const auto* all = logs_.find(key, query->container, query->previous);
        // A container that started anew begins its log anew.
        if (all != nullptr && all->size() < shown) shown = 0;
        std::string text = all == nullptr ? std::string() : query->text(*all, shown, first, env_.wall_now());
        if (all != nullptr) shown = all->size();
        first = false;
        text.resize(static_cast<std::size_t>(std::min(left, static_cast<std::int64_t>(text.size()))));
        left -= static_cast<std::int64_t>(text.size());
        if (!text.empty()) {
            open = co_await write_at_rate(env_, out, std::move(text), injected.bytes_per_second());
            if (open && left > 0) continue;  // more may have been said meanwhile
            break;
        }
        if (!query->follow || query->previous || !may_say_more(pods->get(key))) break;
        const wake why = co_await log_written_.wait(env_, out.disconnected());
        open = why != wake::stopped;
    }
    co_return started ? 200 : 0;
}

bool pod_handler::serves_log(const request_info& info) {
    return info.is_resource && info.group.empty() && info.resource == "pods" && info.subresource == "log";
}

void pod_handler::write_log(const namespaced_name& pod, const std::string& container, std::string_view text) {
    logs_.write(pod, container, env_.wall_now(), text);
    log_written_.notify_all();
}

void pod_handler::restart_log(const namespaced_name& pod, const std::string& container) {
    logs_.begin(pod, container);
    log_written_.notify_all();
}

void pod_handler::changed(const store_event& event) {
    if (event.what == change::deleted) logs_.forget(event.key);
    log_written_.notify_all();
}

}  // namespace kcontrol::testing::detail

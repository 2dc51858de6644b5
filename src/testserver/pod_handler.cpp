#include "testserver/pod_handler.hpp"

#include <kcontrol/http/websocket_acceptor.hpp>

#include "testserver/body_writer.hpp"
#include "testserver/responses.hpp"

#include <array>
#include <charconv>
#include <span>

namespace kcontrol::inline v0_1::testing::detail {
namespace {

constexpr std::array<std::string_view, 2> exec_protocols{"v5.channel.k8s.io", "v4.channel.k8s.io"};
constexpr std::array<std::string_view, 1> port_protocols{"v4.channel.k8s.io"};

std::span<const std::string_view> stream_protocols(bool forwards) {
    return forwards ? std::span<const std::string_view>(port_protocols) : exec_protocols;
}

// What stands in the way of a stream, in the order in which Kubernetes looks.
outcome<void> check_pod_of_stream(const request_info& info, const json::value& pod) {
    if (pod.is_null()) return failure::not_found({"", "pods"}, info.name);
    if (info.subresource != "portforward") {
        const auto named = container_of_log(pod, std::string(info.parameter("container")));
        if (!named) return named.error();
    }
    if (!json::get_string(pod, {"spec", "nodeName"}).empty()) return {};
    return failure::bad_request("pod " + info.name + " does not have a host assigned");
}

outcome<exec_request> exec_request_of(const request_info& info, const json::value& pod) {
    exec_request wish;
    wish.pod = {info.namespace_, info.name};
    wish.container = *container_of_log(pod, std::string(info.parameter("container")));
    wish.attaches = info.subresource == "attach";
    for (const auto& [name, value] : info.query) {
        if (name == "command") wish.command.push_back(value);
    }
    wish.input = info.flag("stdin");
    wish.output = info.flag("stdout");
    wish.error_output = info.flag("stderr");
    wish.tty = info.flag("tty");
    if (wish.input || wish.output || wish.error_output) return wish;
    return failure::bad_request("you must specify at least 1 of stdin, stdout, stderr");
}

outcome<std::uint16_t> port_wish_of(const request_info& info) {
    const std::string_view text = info.parameter("ports");
    std::uint16_t port = 0;
    const auto [end, problem] = std::from_chars(text.data(), text.data() + text.size(), port);
    if (problem == std::errc() && end == text.data() + text.size() && port != 0) return port;
    return failure::bad_request("query parameter \"ports\" must be one port, not \"" + std::string(text) + "\"");
}

}  // namespace

// A request for a stream that may begin.
class pod_handler::planned_stream {
public:
    http::websocket_acceptor* acceptor = nullptr;
    std::string protocol;
    exec_request command;
    std::uint16_t port = 0;  // or a command
};

outcome<pod_handler::planned_stream> pod_handler::plan_stream(const http::server_request& request, http::responder& out,
                                                              const request_info& info, const requester& who) const {
    if (request.method != "GET" && request.method != "POST") return failure::method_not_allowed();
    request_info starts = info;  // who may only read starts nothing
    starts.verb = "create";
    if (const auto allowed = access_.authorize(who, starts); !allowed) return allowed.error();
    const auto pods = store_.table({"", "pods"});
    const object_ptr object = pods == nullptr ? nullptr : pods->get({info.namespace_, info.name});
    const json::value pod = object == nullptr ? json::value() : object->value(pods->type(), "v1");
    if (const auto good = check_pod_of_stream(info, pod); !good) return good.error();
    if (request.headers.get("Upgrade").empty()) return failure::bad_request("Upgrade request required");
    planned_stream plan;
    const bool forwards = info.subresource == "portforward";
    if (forwards ? on_port_ == nullptr : on_exec_ == nullptr) {
        return failure(
            501, "NotImplemented",
            "this server has no pods/" + info.subresource + ", for nobody plays it (api_server::on_exec, on_port)");
    }
    if (forwards) {
        const auto port = port_wish_of(info);
        if (!port) return port.error();
        plan.port = *port;
    } else {
        auto wish = exec_request_of(info, pod);
        if (!wish) return wish.error();
        plan.command = std::move(*wish);
    }
    plan.acceptor = dynamic_cast<http::websocket_acceptor*>(&out);
    plan.protocol = http::offered_subprotocol(request, stream_protocols(forwards));
    const bool can = plan.acceptor != nullptr && !plan.protocol.empty() && http::is_websocket_upgrade(request);
    if (can) return plan;
    return failure(501, "NotImplemented",
                   "this server speaks " + std::string(stream_protocols(forwards).front()) +
                       " over WebSockets for pods/" + info.subresource + ", and only to clients that come by a socket");
}

awaitable<int> pod_handler::answer_stream(const http::server_request& request, http::responder& out,
                                          const request_info& info, const fault& injected, const requester& who) {
    auto plan = plan_stream(request, out, info, who);
    if (!plan) {
        const int code = plan.error().code;
        co_await send_answer(env_, out, status_response(plan.error()), injected);
        co_return code;
    }
    auto socket = co_await plan->acceptor->accept_websocket(request, plan->protocol);
    if (!socket) co_return 0;
    if (plan->port != 0) {
        port_call call({info.namespace_, info.name}, plan->port, std::move(*socket));
        const port_handler peer = on_port_;
        co_await call.begin();
        co_await peer(call);
        co_await call.finish();
        co_return 101;
    }
    exec_call call(std::move(plan->command), std::move(*socket), plan->protocol == exec_protocols.front());
    const exec_handler peer = on_exec_;
    const int exit_code = co_await peer(call);
    co_await call.finish(exit_code);
    co_return 101;
}

bool pod_handler::serves_stream(const request_info& info) {
    if (!info.is_resource || !info.group.empty() || info.resource != "pods" || info.name.empty()) return false;
    return info.subresource == "exec" || info.subresource == "attach" || info.subresource == "portforward";
}

}  // namespace kcontrol::testing::detail

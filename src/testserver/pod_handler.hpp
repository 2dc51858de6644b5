// What a kubelet serves through the API server: logs, commands in containers and connections to their ports.
#pragma once

#include <kcontrol/http/handler.hpp>
#include <kcontrol/runtime/environment.hpp>
#include <kcontrol/runtime/wait.hpp>
#include <kcontrol/testing/fault.hpp>
#include <kcontrol/testing/pod_streams.hpp>

#include "testserver/object_store.hpp"
#include "testserver/pod_logs.hpp"
#include "testserver/request_access.hpp"

#include <string>
#include <string_view>

namespace kcontrol::inline v0_1::testing::detail {

/// Answers requests below pods that are no writes. Touched on the server's executor only.
class pod_handler {
public:
    /// All three outlive it.
    pod_handler(environment& env, const object_store& store, const request_access& access)
        : env_(env), store_(store), access_(access) {}

    void write_log(const namespaced_name& pod, const std::string& container, std::string_view text);
    void restart_log(const namespaced_name& pod, const std::string& container);
    void on_exec(exec_handler peer) { on_exec_ = std::move(peer); }
    void on_port(port_handler peer) { on_port_ = std::move(peer); }

    /// A pod changed: its log may be over.
    void changed(const store_event& event);

    static bool serves_log(const request_info& info);
    static bool serves_stream(const request_info& info);

    /// Answers, and returns the status code of the answer; 0: the client is disconnected.
    awaitable<int> answer_log(const http::server_request& request, http::responder& out, const request_info& info,
                              const fault& injected);
    awaitable<int> answer_stream(const http::server_request& request, http::responder& out, const request_info& info,
                                 const fault& injected, const requester& who);

private:
    class planned_stream;
    outcome<planned_stream> plan_stream(const http::server_request& request, http::responder& out,
                                        const request_info& info, const requester& who) const;

    environment& env_;
    const object_store& store_;
    const request_access& access_;
    pod_logs logs_;
    async_event log_written_;  // or a pod changed
    exec_handler on_exec_;     // none: commands are not served
    port_handler on_port_;     // none: connections to ports are not served
};

}  // namespace kcontrol::testing::detail

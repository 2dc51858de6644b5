// The labeler's web face before a script: see scripted_server.hpp. Its own steps:
//
//   sample       what is measured: time (RFC 3339), state, message, driverVersion, cudaVersion (a number), gpus: the
//                members of /api/v1/gpus' items, flat where they are measured: temperatureC, powerW, powerLimitW,
//                utilization, memoryTotalBytes, memoryUsedBytes, smMHz, memoryMHz, eccUncorrected, xid, xidTime, users,
//                nvlinks, nvlinksActive, nvlinkTransmit, nvlinkReceive, migs (uuid, profile, totalBytes)
//   anew         as if the program had been started anew: nothing measured, no past
#include <kcontrol/values/time.hpp>

#include "scripted_server.hpp"
#include "web/handlers.hpp"

namespace {

using namespace gpu_labeler;
using kcontrol::json::object;

std::optional<double> measured(const object& at, std::string_view name) {
    const auto* found = at.if_contains(name);
    return found && found->is_number() ? std::optional<double>(found->to_number<double>()) : std::nullopt;
}

template <class T>
std::optional<T> counted(const object& at, std::string_view name) {
    const auto value = measured(at, name);
    return value ? std::optional<T>(static_cast<T>(*value)) : std::nullopt;
}

kcontrol::wall_time time_of(const object& at, std::string_view name) {
    const auto time = kcontrol::parse_time(text(at, name));
    return time ? *time : kcontrol::wall_time{};
}

template <class State>
State named(const std::string& name, std::initializer_list<std::pair<std::string_view, State>> states) {
    for (const auto& [known, state] : states) {
        if (known == name) return state;
    }
    return states.begin()->second;
}

gpu_sample read_gpu(const object& at) {
    gpu_sample out;
    out.index = static_cast<unsigned>(number(at, "index"));
    out.uuid = text(at, "uuid");
    out.name = text(at, "name");
    out.bus_id = text(at, "busId");
    out.health =
        named<gpu_health>(text(at, "health"),
                          {{"ok", gpu_health::ok}, {"degraded", gpu_health::degraded}, {"failed", gpu_health::failed}});
    out.reason = text(at, "reason");
    out.temperature_celsius = measured(at, "temperatureC");
    out.power_watts = measured(at, "powerW");
    out.power_limit_watts = measured(at, "powerLimitW");
    out.gpu_percent = counted<unsigned>(at, "utilization");
    out.memory_percent = counted<unsigned>(at, "memoryUtilization");
    out.memory_total_bytes = counted<std::uint64_t>(at, "memoryTotalBytes");
    out.memory_used_bytes = counted<std::uint64_t>(at, "memoryUsedBytes");
    out.sm_clock_mhz = counted<unsigned>(at, "smMHz");
    out.memory_clock_mhz = counted<unsigned>(at, "memoryMHz");
    out.ecc_uncorrected_volatile = counted<std::uint64_t>(at, "eccUncorrected");
    out.recovery_action = counted<unsigned>(at, "recovery");
    if (const auto links = counted<unsigned>(at, "nvlinks")) {
        out.nvlink = nvlink_sample{*links,
                                   counted<unsigned>(at, "nvlinksActive").value_or(*links),
                                   std::nullopt,
                                   std::nullopt,
                                   measured(at, "nvlinkTransmit"),
                                   measured(at, "nvlinkReceive")};
    }
    if (const auto xid = counted<std::uint64_t>(at, "xid")) {
        out.xid = xid_report{*xid, time_of(at, "xidTime"), {{*xid, 1}}};
    }
    each(at, "users", [&](const object& u) {
        out.users.push_back({text(u, "namespace"), text(u, "pod"), text(u, "container"), text(u, "migUuid")});
    });
    each(at, "migs", [&](const object& m) {
        mig_sample slice;
        slice.uuid = text(m, "uuid");
        slice.profile = text(m, "profile");
        slice.memory_total_bytes = counted<std::uint64_t>(m, "totalBytes");
        out.migs.push_back(std::move(slice));
    });
    return out;
}

node_sample read_sample(const object& at) {
    node_sample out;
    out.time = time_of(at, "time");
    out.state = named<reader_state>(text(at, "state"), {{"ok", reader_state::ok},
                                                        {"starting", reader_state::starting},
                                                        {"no-driver", reader_state::no_driver},
                                                        {"no-device", reader_state::no_device},
                                                        {"hanging", reader_state::hanging},
                                                        {"failing", reader_state::failing}});
    out.message = text(at, "message");
    out.driver_version = text(at, "driverVersion");
    out.cuda_version = counted<int>(at, "cudaVersion");
    each(at, "gpus", [&](const object& g) { out.gpus.push_back(read_gpu(g)); });
    return out;
}

class labeler_page_server final : public scripted_server {
public:
    labeler_page_server(kcontrol::environment& env, boost::asio::io_context& context)
        : scripted_server(env, context, [this](kcontrol::http::server_request request, kcontrol::http::responder& out) {
              return routes_.handler()(std::move(request), out);
          }) {
        site_.add_routes(routes_);
    }

private:
    std::optional<std::string> step(const std::string& op, const object& at) override {
        if (op == "sample") {
            site_.take(read_sample(at));
        } else if (op == "anew") {
            site_ = web_handlers("gpu-node-7");
        } else {
            return std::nullopt;
        }
        return "ok";
    }

    web_handlers site_{"gpu-node-7"};
    kcontrol::http::router routes_;
};

}  // namespace

int main() {
    kcontrol::system_environment env;
    boost::asio::io_context context(1);
    labeler_page_server server(env, context);
    return serve_script(context, server);
}

// A simulated cluster with what services follow in it: EndpointSlices, Services, pods and Leases.
#pragma once

#include <kcontrol/service/endpoints.hpp>
#include <kcontrol/service/leader_follower.hpp>
#include <kcontrol/testing/sim_world.hpp>

#include <functional>
#include <string>
#include <utility>
#include <vector>

namespace kcontrol::test {

using namespace std::chrono_literals;

/// An endpoint of a slice that is made: "10.0.0.1", with a pod, and with a letter for each condition: r(eady),
/// s(erving), t(erminating); "" leaves the conditions out.
class made_endpoint {
public:
    made_endpoint(std::string a, std::string p = {}, std::string c = "rs")  // NOLINT: meant to convert
        : address(std::move(a)), pod(std::move(p)), conditions(std::move(c)) {}
    made_endpoint(const char* a) : made_endpoint(std::string(a)) {}  // NOLINT: meant to convert

    std::string address, pod, conditions;
};

inline json::value slice_json(const std::string& name, const std::vector<made_endpoint>& all,
                              const std::string& service = "web",
                              json::array ports = {{{"name", "http"}, {"port", 8080}, {"protocol", "TCP"}}}) {
    json::array endpoints;
    for (const auto& one : all) {
        json::object made{{"addresses", json::array{one.address}}};
        if (!one.conditions.empty()) {
            const auto has = [&](char c) { return one.conditions.find(c) != std::string::npos; };
            made["conditions"] = {{"ready", has('r')}, {"serving", has('s')}, {"terminating", has('t')}};
        }
        if (!one.pod.empty()) made["targetRef"] = {{"kind", "Pod"}, {"name", one.pod}, {"namespace", "default"}};
        endpoints.push_back(std::move(made));
    }
    const bool six = !all.empty() && all.front().address.find(':') != std::string::npos;
    return {{"apiVersion", "discovery.k8s.io/v1"},
            {"kind", "EndpointSlice"},
            {"metadata", {{"name", name}, {"labels", {{"kubernetes.io/service-name", service}}}}},
            {"addressType", six ? "IPv6" : "IPv4"},
            {"endpoints", std::move(endpoints)},
            {"ports", std::move(ports)}};
}

inline json::value service_json(const std::string& name,
                                json::array ports = {{{"name", "http"}, {"port", 80}, {"targetPort", 8080}}}) {
    return {{"apiVersion", "v1"},
            {"kind", "Service"},
            {"metadata", {{"name", name}}},
            {"spec", {{"selector", {{"app", name}}}, {"ports", std::move(ports)}}}};
}

/// "10.0.0.1:8080" for one that is ready, with "(serving)", "(terminating)" or "(down)" for others, joined by spaces.
template <class Endpoints>
std::string text_of(const Endpoints& all) {
    std::string out;
    for (const service::endpoint& one : all) {
        out += (out.empty() ? "" : " ") + one.address + ":" + std::to_string(one.port);
        if (!one.ready) out += one.terminating ? "(terminating)" : one.serving ? "(serving)" : "(down)";
    }
    return out;
}

class service_stage {
public:
    explicit service_stage(std::uint64_t seed = 1) : world(seed) {
        (void)api.create(service_json("web")).value();
        log = logger([this](const log_record& record) {
            std::string line(record.message);
            for (const auto& f : record.fields) line += " " + std::string(f.name) + "=" + f.value;
            logged.push_back(std::move(line));
        });
    }

    /// Creates or replaces it.
    void put(json::value object, const testing::group_resource& id) {
        const std::string name(json::get_string(object, {"metadata", "name"}));
        if (const auto present = api.get(id, {"default", name})) {
            // Some kinds are updated only by who names the version.
            object.at("metadata").as_object()["resourceVersion"] =
                json::get_string(*present, {"metadata", "resourceVersion"});
            (void)api.update(object).value();
        } else {
            (void)api.create(object).value();
        }
    }
    void put_slice(const std::string& name, const std::vector<made_endpoint>& all) {
        put(slice_json(name, all), slices);
    }
    void remove_slice(const std::string& name) { (void)api.remove(slices, {"default", name}).value(); }

    /// As the server's death and its return.
    void kill_server() {
        world.network().set_link(server.name(), testing::link_state::refused);
        world.network().break_connections(server.name());
    }
    void revive_server() { world.network().set_link(server.name(), testing::link_state::up); }

    std::size_t lines_with(const std::string& part) const {
        std::size_t out = 0;
        for (const auto& line : logged) out += line.find(part) != std::string::npos ? 1 : 0;
        return out;
    }

    const testing::group_resource slices{"discovery.k8s.io", "endpointslices"};
    const testing::group_resource services{"", "services"};
    const testing::group_resource pods{"", "pods"};
    const testing::group_resource leases{"coordination.k8s.io", "leases"};

    testing::sim_world world;
    testing::sim_server& server = world.add_server("server");
    testing::api_server& api = server.api();
    client cl = world.connect(server);
    std::vector<std::string> logged;
    logger log;
};

/// Endpoints that are followed in it, and what the callback was told: "+10.0.0.1:8080 -… live".
class followed_endpoints {
public:
    explicit followed_endpoints(service_stage& s, service::endpoints_target target = web(),
                                service::endpoints_options options = {})
        : stage(s),
          of(
              s.world.env(), s.world.get_executor(), s.cl, std::move(target), std::move(options),
              [this](const service::endpoints_change& change) { note(change); }, s.log) {}
    ~followed_endpoints() { stage.world.run(of.stop()); }

    static service::endpoints_target web() { return service::endpoints_target::service({"default", "web"}); }

    std::string text() const { return text_of(of.snapshot()->endpoints); }
    bool until(const std::string& expected, duration limit = 10s) {
        return stage.world.run_until([&] { return text() == expected; }, limit);
    }
    bool until(service::freshness state, duration limit = 30s) {
        return stage.world.run_until([&] { return of.state() == state; }, limit);
    }
    /// Followed, live, and with those endpoints.
    bool begin(const std::string& expected) {
        (void)of.start().value();
        return until(service::freshness::live) && until(expected);
    }

    service_stage& stage;
    std::vector<std::string> told;
    service::endpoints of;

private:
    void note(const service::endpoints_change& change) {
        std::string line = "v" + std::to_string(change.snapshot->version);
        for (const auto& one : change.removed) line += " -" + one.address;
        for (const auto& one : change.added) line += " +" + one.address;
        line += " " + std::string(to_string(change.state));
        if (change.problem) line += " problem";
        told.push_back(std::move(line));
    }
};

}  // namespace kcontrol::test

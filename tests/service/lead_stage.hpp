// Candidates of service::lead in a simulated world, each a process in a pod of its own, and a store that refuses
// smaller tokens than it has seen.
#pragma once

#include <kcontrol/service/lead.hpp>

#include "leader/stage.hpp"

#include <boost/asio/detached.hpp>

#include <algorithm>
#include <cstdint>
#include <map>
#include <memory>
#include <optional>
#include <string>
#include <utility>
#include <vector>

namespace kcontrol::test {

inline const testing::group_resource lead_leases("coordination.k8s.io", "leases");
inline const testing::group_resource lead_pods("", "pods");

class lead_stage;

/// A process that writes into the store while it has a token, and for a while after: it asks nobody.
class lead_process {
public:
    lead_process(lead_stage& world, int number);

    void start() { (void)lead->start().value(); }
    void suspend() { gate->stopped = true; }
    void resume() { gate->resume(); }
    void link(testing::link_state state);
    void make();  // anew, as after a restart of the container
    void kill() { lead.reset(); }
    bool leading() const { return lead && lead->leading(); }

    std::string name, host;
    lead_stage& of;
    machine_environment env;
    std::shared_ptr<process_executor::gate> gate;
    executor ex;
    client direct;
    service::lead_options options;
    std::optional<service::lead> lead;
    std::string told;  // by the callbacks
    std::vector<std::string> logged;
    std::vector<std::uint64_t> tokens;  // of its terms
    duration pace = 100ms, linger{};    // between writes; for how long it writes on after a loss
    std::size_t working = 0;

private:
    static awaitable<void> write(lead_process* self, std::uint64_t token, std::stop_token stop);
};

class lead_stage {
public:
    explicit lead_stage(std::size_t count, std::uint64_t seed = 1, duration lease = 3s)
        : lease_time(lease), world(seed) {
        for (std::size_t i = 0; i < count; ++i) {
            const std::string name(1, static_cast<char>('a' + i));
            add_pod(name);
            processes.push_back(std::make_unique<lead_process>(*this, static_cast<int>(i)));
        }
        observed = server_api.on_change([this](const testing::resource_type& type, testing::change what,
                                               const json::value& object) { see(type.id(), what, object); });
    }
    ~lead_stage() {
        observed.reset();
        for (auto& one : processes) {
            one->linger = {};
            one->resume();
            one->link(testing::link_state::up);
            if (one->lead) world.run(drop(one->lead->stop(0s)));
        }
        world.run_until([this] {
            return std::all_of(processes.begin(), processes.end(), [](const auto& one) { return one->working == 0; });
        });
        world.run_for(10min);
        for (auto& one : processes) one->lead.reset();
        world.run_for(1min);
    }

    void add_pod(const std::string& name, bool labelled = false) {
        json::object labels{{"app", "x"}};
        if (labelled) labels["role"] = "leader";
        (void)server_api
            .create({{"apiVersion", "v1"}, {"kind", "Pod"}, {"metadata", {{"name", name}, {"labels", labels}}}})
            .value();
        if (labelled) labelled_now.insert(name);
    }
    lead_process& operator[](std::size_t i) { return *processes[i]; }
    bool until(const std::function<bool()>& done, duration limit = 2min) { return world.run_until(done, limit); }
    void pass(duration d) { world.run_for(d); }
    lead_process* leader() {
        for (auto& one : processes) {
            if (one->leading()) return one.get();
        }
        return nullptr;
    }
    std::string labelled() const {
        std::string out;
        for (const std::string& name : labelled_now) out += name;
        return out;
    }
    json::value lease() { return server_api.get(lead_leases, {"default", "l"}).value(); }

    /// A write arrives at the store.
    void arrived(std::uint64_t token, const std::string& by) {
        if (token < largest) {
            ++refused;
            return;
        }
        ++accepted;
        largest = token;
        if (!writers.emplace(token, by).second && writers[token] != by) wrong.push_back("a token of two: " + by);
    }
    /// Whose term that token is of, by what the server stored; empty: nobody's.
    std::string holder_at(std::uint64_t version) const {
        const auto next = acquired.upper_bound(version);
        return next == acquired.begin() ? std::string() : std::prev(next)->second;
    }

    const duration lease_time;
    testing::sim_world world;
    testing::sim_server& server = world.add_server("server");
    testing::api_server& server_api = server.api();
    std::vector<std::unique_ptr<lead_process>> processes;
    std::uint64_t largest = 0;
    std::size_t accepted = 0, refused = 0;
    std::map<std::uint64_t, std::string> writers;
    std::vector<std::string> wrong;
    std::map<std::uint64_t, std::string> acquired;  // version of the Lease → who holds it from there on
    std::set<std::string> labelled_now;
    duration longest_two{};  // for how long the label was on two pods
    std::string most_labelled;

private:
    static awaitable<void> drop(awaitable<bool> work) { (void)co_await std::move(work); }

    void see(const testing::group_resource& id, testing::change what, const json::value& object) {
        const std::string name(json::get_string(object, {"metadata", "name"}));
        if (id == lead_leases) {
            const auto version = std::stoull(std::string(json::get_string(object, {"metadata", "resourceVersion"})));
            const std::string holder(json::get_string(object, {"spec", "holderIdentity"}));
            if (acquired.empty() || acquired.rbegin()->second != holder) acquired[version] = holder;
        } else if (id == lead_pods) {
            if (labelled_now.size() > 1) note_two();
            const bool has = what != testing::change::deleted &&
                             json::get_string(object, {"metadata", "labels", "role"}) == "leader";
            if (!has) labelled_now.erase(name);
            if (has) labelled_now.insert(name);
            if (labelled_now.size() < 2) two_since.reset();
            if (labelled_now.size() > 1 && !two_since) two_since = world.context().now();
        }
    }
    void note_two() {
        const duration lasted = world.context().now() - *two_since;
        if (lasted <= longest_two) return;
        longest_two = lasted;
        most_labelled = labelled();
    }

    std::optional<time_point> two_since;
    std::shared_ptr<void> observed;
};

inline lead_process::lead_process(lead_stage& world, int number)
    : name(1, static_cast<char>('a' + number)),
      host("via-" + name),
      of(world),
      env(world.world.env()),
      gate(std::make_shared<process_executor::gate>(world.world.context())),
      ex(process_executor(gate)),
      direct([&] {
          // A way of its own to the server.
          world.world.network().listen(host, world.server_api.get_executor(), world.server_api.handler());
          auth::cluster_config config;
          config.server(http::endpoint("https", host, 443));
          return client::connect(env, ex, config, world.world.network().factory()).value();
      }()),
      options({"default", "l"}) {
    options.identity(name).address("10.0.0." + std::to_string(number + 1) + ":80");
    options.lease_duration(world.lease_time)
        .renew_deadline(world.lease_time * 2 / 3)
        .retry_period(world.lease_time / 6);
    options.label(service::lead_label().pod(name));
    make();
}

inline void lead_process::make() {
    service::lead_callbacks calls;
    calls.on_change([this](bool leading, std::uint64_t token) {
        told += leading ? " leads" : " lost";
        if (leading) tokens.push_back(token);
    });
    calls.work([this](std::uint64_t token, std::stop_token stop) { return write(this, token, std::move(stop)); });
    lead.reset();
    lead.emplace(env, ex, direct, options, calls, logger([this](const log_record& r) {
                     logged.emplace_back(r.message);
                     for (const auto& f : r.fields) {
                         if (f.name == "rule" || f.name == "pod" || f.name == "versions") {
                             logged.back() += " " + std::string(f.name) + "=" + f.value;
                         }
                     }
                 }));
}

inline void lead_process::link(testing::link_state state) { of.world.network().set_link(host, state); }

// The network to the store: a write arrives a while later, whatever becomes of its process.
inline awaitable<void> arrive(lead_stage& of, duration after, std::uint64_t token, std::string by) {
    co_await sleep_for(of.world.env(), after, {});
    of.arrived(token, by);
}

inline awaitable<void> lead_process::write(lead_process* self, std::uint64_t token, std::stop_token stop) {
    ++self->working;
    const auto begin_write = [self, token] {
        const duration after(self->of.world.env().random() % (5 * std::uint64_t{1'000'000'000}));
        asio::co_spawn(self->of.world.get_executor(), arrive(self->of, after, token, self->name), asio::detached);
    };
    while (!stop.stop_requested()) {
        begin_write();
        co_await sleep_for(self->env, self->pace, stop);
    }
    for (duration rest = self->linger; rest > duration::zero(); rest -= self->pace) {
        begin_write();
        co_await sleep_for(self->env, self->pace, {});
    }
    --self->working;
}

}  // namespace kcontrol::test

#include "simulation/swarm_host.hpp"

#include <kcontrol/documents/value.hpp>
#include <kcontrol/runtime/wait.hpp>

#include "simulation/encodings.hpp"
#include "simulation/numbered_job.hpp"

#include <boost/asio/co_spawn.hpp>
#include <boost/asio/detached.hpp>
#include <boost/asio/strand.hpp>

#include <algorithm>

namespace kcontrol::test {

using namespace std::chrono_literals;
using testing::fault;
using testing::link_state;

namespace {

constexpr std::uint64_t callbacks_throw = 18;  // of the faults

std::string version_of(const json::value& object) {
    return std::string(json::get_string(object, {"metadata", "resourceVersion"}));
}

}  // namespace

swarm_host::swarm_host(testing::sim_context& context, testing::sim_environment& env, testing::sim_network& network,
                       std::string name, std::uint64_t enabled, bool protobuf)
    : context_(&context),
      env_(&env),
      network_(&network),
      name_(std::move(name)),
      enabled_(enabled),
      protobuf_(protobuf),
      strand_(asio::make_strand(context.get_executor())) {
    testing::api_server_options options;
    options.bookmark_period(5s).serve_watch_lists(env.random() % 3 != 0);
    server_ = std::make_unique<testing::api_server>(env, strand_, options);
    server_->access().set_tokens({{token_, "swarm"}});
    server_->set_faults([this](const http::server_request& request) { return choose_fault(request); });
    network.listen(name_, strand_, server_->handler());
    for (std::uint64_t i = below(20); i > 0; --i) create("w" + std::to_string(i));
}

void swarm_host::start(duration restless) {
    (void)restless;
    asio::co_spawn(strand_, write(stop_.get_token()), asio::detached);
    if (!calm()) asio::co_spawn(strand_, fail(stop_.get_token()), asio::detached);
    // What hears of it throws from the first engagement on: later ones are rare.
    if (!calm() && (enabled_ >> callbacks_throw & 1) != 0) throw_for_a_while(stop_.get_token());
}

void swarm_host::stop() { stop_.request_stop(); }

void swarm_host::heal() {
    stop_.request_stop();
    network_->set_link(name_, link_state::up);
    network_->set_latency(name_, 100us, 5ms);
    server_->access().permit_all();
    server_->thaw("old");
    if (!std::exchange(installed_, true)) server_->register_resource(job_type());
    wanted_ = true;
    storm_percent_ = stream_fault_percent_ = stale_percent_ = throw_percent_ = 0;
    for (int i = 1; i <= 20; ++i) {
        if (spoiled_) update("w" + std::to_string(i));
    }
}

auth::cluster_config swarm_host::config() const {
    auth::cluster_config c;
    c.server(http::endpoint("https", name_, 443));
    c.token(secret_string(token_));
    return c;
}

std::map<std::string, std::string> swarm_host::present() const {
    std::map<std::string, std::string> out;
    for (const auto& object : server_->list(jobs)) {
        const auto* value = json::find(object, {"spec", value_name});
        out.emplace(json::get_string(object, {"metadata", "uid"}),
                    version_of(object) + "=" + (value == nullptr ? "0" : json::serialize(*value)));
    }
    return out;
}

void swarm_host::note_live(std::uint64_t lists) {
    if (!live_at_) live_at_ = server_->resource_version();
    if (first_list_requests_ == 0) first_list_requests_ = lists;
}

std::uint64_t swarm_host::streams() const {
    const auto& all = server_->request_log().requests();
    return static_cast<std::uint64_t>(std::count_if(all.begin(), all.end(), [](const auto& one) {
        return one.target.find("sendInitialEvents") != std::string::npos;
    }));
}

void swarm_host::create(const std::string& object) {
    const auto made = server_->create(job_json(object, static_cast<std::int64_t>(below(1000))));
    if (!made) return;
    ++writes_;
    truth_[std::string(json::get_string(*made, {"metadata", "uid"}))].push_back(version_of(*made));
}

void swarm_host::update(const std::string& object) {
    const json::value patch = {{"spec", {{value_name, below(1000)}}}};
    const auto made = server_->patch(jobs, {"default", object}, patch);
    if (!made) return;
    auto& versions = truth_[std::string(json::get_string(*made, {"metadata", "uid"}))];
    if (!versions.empty() && versions.back() == version_of(*made)) return;  // nothing changed
    ++writes_;
    versions.push_back(version_of(*made));
}

void swarm_host::remove(const std::string& object) {
    const auto present = server_->get(jobs, {"default", object});
    if (!present || !server_->remove(jobs, {"default", object})) return;
    ++writes_;
    truth_[std::string(json::get_string(*present, {"metadata", "uid"}))].push_back(
        "-" + std::to_string(server_->resource_version()));
}

// The object can't be decoded any more, until somebody writes it again.
// Not where the store is put back: to make it right again is a write. Nor where Protocol Buffers carry it, which have
// no text for a number.
void swarm_host::spoil(const std::string& object) {
    if (snapshot_ || protobuf_) return;
    const auto made = server_->patch(jobs, {"default", object}, {{"spec", {{value_name, "no number"}}}});
    spoiled_ = spoiled_ || made.has_value();
}

// As if etcd were put back to an older state. Versions that catch up before anybody looks again are no sign of it, so
// nobody writes for a while.
void swarm_host::roll_back(std::stop_token stop) {
    // A kind that was gone and comes back with its old objects is no promise's business.
    if (kind_removed_ || spoiled_) return;
    if (!snapshot_) {
        snapshot_ = server_->snapshot();
        return;
    }
    rolled_back_ = true;
    quiet_until_ = env_->now() + 80s;
    network_->break_connections(name_);
    network_->set_link(name_, link_state::refused);
    server_->restore(*snapshot_);
    lasting(
        500ms, 5s, [this] { network_->set_link(name_, link_state::up); }, stop);
}

void swarm_host::write_once() {
    const std::string object = "w" + std::to_string(1 + below(20));
    switch (below(6)) {
    case 0:
    case 1: create(object); break;
    case 2:
    case 3: update(object); break;
    case 4: remove(object); break;
    case 5:
        remove(object);
        create(object);
        break;
    default: break;
    }
}

awaitable<void> swarm_host::write(std::stop_token stop) {
    while (!stop.stop_requested()) {
        const std::uint64_t burst = below(10) == 0 ? 15 : 1;
        const bool quiet = quiet_until_ && env_->now() < *quiet_until_;
        for (std::uint64_t i = 0; i < burst && !quiet; ++i) write_once();
        co_await sleep_for(*env_, between(20ms, 800ms), stop);
    }
}

awaitable<void> swarm_host::fail(std::stop_token stop) {
    while (!stop.stop_requested()) {
        co_await sleep_for(*env_, between(300ms, 6s), stop);
        if (!stop.stop_requested()) fail_once(stop);
    }
}

awaitable<void> swarm_host::restore_after(duration d, std::function<void()> restore, std::stop_token stop) {
    const wake reason = co_await sleep_for(*env_, d, stop);
    if (reason == wake::timeout) restore();
}

void swarm_host::lasting(duration least, duration most, std::function<void()> restore, std::stop_token stop) {
    asio::co_spawn(strand_, restore_after(between(least, most), std::move(restore), stop), asio::detached);
}

void swarm_host::throw_for_a_while(std::stop_token stop) {
    throw_percent_ = 30;
    lasting(
        2s, 10s, [this] { throw_percent_ = 0; }, stop);
}

void swarm_host::fail_once(std::stop_token stop) {
    const std::uint64_t kind = below(19);
    if ((enabled_ >> kind & 1) == 0) return;
    ++faults_;
    context_->trace(name_ + "!" + std::to_string(kind));
    switch (kind) {
    case 0: network_->break_connections(name_); break;
    case 1: network_->freeze_connections(name_); break;
    case 2: network_->truncate_connections(name_); break;
    case 3:
        network_->set_link(name_, link_state::refused);
        if (below(2) == 0) network_->break_connections(name_);
        lasting(
            500ms, 15s, [this] { network_->set_link(name_, link_state::up); }, stop);
        break;
    case 4:
        network_->set_link(name_, link_state::black_hole);
        network_->freeze_connections(name_);
        lasting(
            500ms, 15s, [this] { network_->set_link(name_, link_state::up); }, stop);
        break;
    case 5: server_->compact(server_->resource_version()); break;
    case 6:  // the server crashes: its watch cache is empty afterwards, its objects are not
        network_->break_connections(name_);
        network_->set_link(name_, link_state::refused);
        server_->compact(server_->resource_version());
        lasting(
            1s, 5s, [this] { network_->set_link(name_, link_state::up); }, stop);
        break;
    case 7:
        storm_percent_ = 50;
        lasting(
            2s, 10s, [this] { storm_percent_ = 0; }, stop);
        break;
    case 8:
        stream_fault_percent_ = 50;
        network_->break_connections(name_);
        lasting(
            2s, 10s, [this] { stream_fault_percent_ = 0; }, stop);
        break;
    case 9: server_->end_watches(); break;
    case 10:
        server_->freeze("old", server_->resource_version());
        stale_percent_ = 50;
        network_->break_connections(name_);
        lasting(
            2s, 10s,
            [this] {
                stale_percent_ = 0;
                server_->thaw("old");
            },
            stop);
        break;
    case 11:
        token_ = "token-" + std::to_string(faults_);
        server_->access().set_tokens({{token_, "swarm"}});
        if (below(2) == 0) network_->break_connections(name_);
        lasting(
            1ms, 3s, [this] { on_desired_change(); }, stop);
        break;
    case 12:
        wanted_ = false;
        on_desired_change();
        lasting(
            1ms, 5s,
            [this] {
                wanted_ = true;
                on_desired_change();
            },
            stop);
        break;
    case 13: {
        const testing::access_rule rule("swarm", below(2) == 0 ? "list" : "watch", jobs.resource);
        server_->access().forbid(rule);
        network_->break_connections(name_);
        lasting(
            1s, 8s, [this, rule] { server_->access().permit(rule); }, stop);
        break;
    }
    case 14:
        if (snapshot_ || !std::exchange(installed_, false)) break;
        for (const auto& [uid, version] : present()) truth_[uid].push_back("-gone");
        kind_removed_ = true;
        server_->remove_resource(jobs);
        lasting(
            500ms, 10s,
            [this] {
                if (!std::exchange(installed_, true)) server_->register_resource(job_type());
            },
            stop);
        break;
    case 15:
        network_->set_latency(name_, 10ms, 3s);
        lasting(
            2s, 10s, [this] { network_->set_latency(name_, 100us, 5ms); }, stop);
        break;
    case 16: spoil("w" + std::to_string(1 + below(20))); break;
    case 17: roll_back(stop); break;
    case callbacks_throw: throw_for_a_while(stop); break;
    default: break;
    }
}

fault swarm_host::choose_fault(const http::server_request& request) {
    fault f;
    const bool watch = request.target.find("watch=") != std::string::npos;
    if (asks_for_protobuf(request)) ++protobuf_requests_;
    if (below(100) < stale_percent_) f.replica("old");
    if (below(100) < storm_percent_) {
        switch (below(8)) {
        case 0: return f.status(429, "TooManyRequests", "slow down", 1);
        case 1: return f.status(500, "InternalError", "etcdserver: no leader");
        case 2: return f.status(503, "ServiceUnavailable", "not ready");
        case 3: return f.status(504, "Timeout", "request did not complete");
        case 4: return f.status(410, "Expired", "too old resource version");
        case 5: return f.html(502);
        case 6: return f.drop();
        case 7: return f.hang();
        default: break;
        }
    }
    if (watch && below(100) < stream_fault_percent_) {
        const auto position = static_cast<std::size_t>(below(4));
        switch (below(6)) {
        case 0: return f.cut_after_events(position);
        case 1: return f.end_after_events(position);
        case 2: return f.truncate_event(position);
        case 3: return f.garbage_before_event(position);
        case 4: return f.error_at_event(position, testing::failure::expired("too old resource version: 1 (2)"));
        case 5: return f.error_at_event(position, testing::failure(500, "InternalError", "etcdserver: leader changed"));
        default: break;
        }
    }
    return f;
}

void swarm_host::check_history(const testing::event_checker& seen, bool never_relisted,
                               std::vector<std::string>& violations) const {
    for (const auto& [uid, versions] : seen.history()) {
        const auto written = truth_.find(uid);
        if (written == truth_.end()) {
            violations.push_back(name_ + ": an object that never was: " + uid);
            continue;
        }
        const auto& truth = written->second;
        for (const auto& version : versions) {
            const bool inferred = version.ends_with("?") || (kind_removed_ && version.starts_with("-"));
            if (!inferred && std::find(truth.begin(), truth.end(), version) == truth.end()) {
                violations.push_back(name_ + ": a state that never was: " + uid + " " + version);
            }
        }
        // One list, then watching without a gap: every state from the first one seen on, in order.
        if (!never_relisted || left_ || kind_removed_ || rolled_back_ || spoiled_) continue;
        const auto first = std::find(truth.begin(), truth.end(), versions.front());
        if (!std::equal(first, truth.end(), versions.begin(), versions.end())) {
            violations.push_back(name_ + ": events lost for " + uid);
        }
    }
    if (!never_relisted || left_ || kind_removed_ || rolled_back_ || spoiled_ || !live_at_) return;
    for (const auto& [uid, versions] : truth_) {
        if (std::stoull(versions.front()) > *live_at_ && !seen.history().contains(uid)) {
            violations.push_back(name_ + ": an object was never seen: " + uid);
        }
    }
}

}  // namespace kcontrol::test

#include "service/source.hpp"

#include <kcontrol/service/endpoints.hpp>
#include <kcontrol/service/leader_follower.hpp>

#include "values/host_port.hpp"

#include <chrono>

namespace follow {
namespace {

namespace service = kcontrol::service;
using std::chrono::milliseconds;

service::endpoints_target target_of(const options& o) {
    return o.what == followed::pods
               ? service::endpoints_target::pods(o.in_namespace, o.selector)
               : service::endpoints_target::service(kcontrol::namespaced_name(o.in_namespace, o.name));
}

// The notification that start() was given: the parts want theirs when they are made.
using notification = std::shared_ptr<std::function<void()>>;

class endpoints_source final : public source {
public:
    endpoints_source(kcontrol::environment& env, kcontrol::executor ex, kcontrol::client api, const options& o,
                     kcontrol::logger log)
        : part_(
              env, std::move(ex), std::move(api), target_of(o),
              service::endpoints_options().port(o.port).stale_after(o.stale_after).cache_file(o.cache),
              [to = changed_](const service::endpoints_change&) { (*to)(); }, std::move(log)) {}

    kcontrol::result<void> start(std::function<void()> on_change) override {
        *changed_ = std::move(on_change);
        return part_.start();
    }
    kcontrol::awaitable<void> stop() override { return part_.stop(); }

    view current() const override {
        const auto now = part_.snapshot();
        view out;
        out.version = now->version;
        out.state = part_.state();
        out.age = std::chrono::duration_cast<milliseconds>(part_.age());
        out.endpoints.assign(now->endpoints.begin(), now->endpoints.end());
        return out;
    }
    kcontrol::duration age() const override { return part_.age(); }
    std::optional<kcontrol::error> problem() const override { return part_.problem(); }

private:
    notification changed_ = std::make_shared<std::function<void()>>([] {});
    service::endpoints part_;
};

class leader_source final : public source {
public:
    leader_source(kcontrol::environment& env, kcontrol::executor ex, kcontrol::client api, const options& o,
                  kcontrol::logger log)
        : part_(
              env, std::move(ex), std::move(api), kcontrol::namespaced_name(o.in_namespace, o.name),
              service::leader_follower_options().stale_after(o.stale_after).cache_file(o.cache),
              [to = changed_](const service::leader_change&) { (*to)(); }, std::move(log)) {}

    kcontrol::result<void> start(std::function<void()> on_change) override {
        *changed_ = std::move(on_change);
        return part_.start();
    }
    kcontrol::awaitable<void> stop() override { return part_.stop(); }

    view current() const override {
        const auto now = part_.leader();
        view out;
        out.is_leader = true;
        out.version = now->version;
        out.state = part_.state();
        out.age = std::chrono::duration_cast<milliseconds>(part_.age());
        out.holder = now->holder;
        out.address = now->address;
        if (auto where = parse_host_port(now->address)) out.endpoints.push_back(std::move(*where));
        return out;
    }
    kcontrol::duration age() const override { return part_.age(); }
    std::optional<kcontrol::error> problem() const override { return part_.problem(); }

private:
    notification changed_ = std::make_shared<std::function<void()>>([] {});
    service::leader_follower part_;
};

}  // namespace

std::unique_ptr<source> make_source(kcontrol::environment& env, kcontrol::executor ex, kcontrol::client api,
                                    const options& o, kcontrol::logger log) {
    if (o.what == followed::leader) {
        return std::make_unique<leader_source>(env, std::move(ex), std::move(api), o, std::move(log));
    }
    return std::make_unique<endpoints_source>(env, std::move(ex), std::move(api), o, std::move(log));
}

}  // namespace follow

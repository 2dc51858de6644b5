// What starts and stops in a simulated world, each behind the face that the suite asks for:
//
//   start(parent)   begins; `parent` counts where has_parent
//   stop()          a coroutine that ends when it has stopped
//   works()         something new happens and it notices; false if it does not in time
//   inside          is called in its callback, where calls says that it has one, and `awaited` is awaited there, where
//                   awaits says that it is a coroutine
#pragma once

#include <kcontrol/cluster/crd_watch.hpp>
#include <kcontrol/cluster/home_cluster.hpp>
#include <kcontrol/controller/builder.hpp>
#include <kcontrol/leader/leader_elector.hpp>
#include <kcontrol/manager/manager.hpp>
#include <kcontrol/multicluster/directory_source.hpp>
#include <kcontrol/multicluster/multicluster_manager.hpp>
#include <kcontrol/multicluster/secret_source.hpp>
#include <kcontrol/runtime/scope.hpp>
#include <kcontrol/runtime/task_group.hpp>
#include <kcontrol/testing/fake_source.hpp>
#include <kcontrol/tracing/otlp_exporter.hpp>

#include "lifecycle/stage.hpp"
#include "support/thing.hpp"

#include <boost/asio/post.hpp>

#include <memory>
#include <optional>
#include <set>
#include <string>
#include <utility>
#include <vector>

namespace kcontrol::test {

class simulated : public simulated_stage {
public:
    static constexpr bool has_parent = true;
    static constexpr bool calls = true;
    static constexpr bool awaits = false;
    /// How often the suite stops and starts it, in comparison.
    static constexpr int share = 1;

    simulated() { server.create("x"); }

    /// Forgets what a real program would not keep, so that memory is that of what is tested.
    void tidy() { server.api.request_log().clear(); }

    std::function<void()> inside;
    std::function<awaitable<void>()> awaited;
    widget_server& server = world.add("a");

protected:
    void call() {
        if (!inside) return;
        const auto once = std::exchange(inside, nullptr);
        once();
    }
    awaitable<void> call_awaited() {
        call();
        if (!awaited) co_return;
        const auto once = std::exchange(awaited, nullptr);
        co_await once();
    }
    /// A change of the widget, of which `seen_` tells when it has been noticed.
    bool change_is_seen(duration limit = 10s) {
        server.set_value("x", ++value_);
        return until([this] { return seen_ == value_; }, limit);
    }
    void see(std::int64_t value) {
        seen_ = value;
        call();
    }

    std::int64_t value_ = 0, seen_ = 0;
};

class controller_life : public simulated {
public:
    static constexpr bool awaits = true;

    void start(std::stop_token parent = {}) { c_.start(std::move(parent)); }
    awaitable<void> stop() { return drop(c_.stop()); }
    bool works() {
        const std::string name = "t" + std::to_string(++number_);
        source_->put(make_thing(name));
        const bool seen = until([&] { return seen_names_.contains(name); }, 10s);
        source_->remove(namespaced_name{"ns", name});
        seen_names_.clear();
        return seen;
    }

private:
    reconciliation reconcile(request req) {
        seen_names_.insert(req.name);
        co_await call_awaited();
        co_return reconcile_result::done();
    }

    std::shared_ptr<testing::fake_source> source_ = std::make_shared<testing::fake_source>(env());
    std::set<std::string> seen_names_;
    int number_ = 0;
    controller c_{env(), ex(), "things", [this](reconcile_context, request req) { return reconcile(std::move(req)); }};
    std::uint64_t watched_ = c_.watch(source_, enqueue_for_object);
};

class exporter_life : public simulated {
public:
    static constexpr bool has_parent = false;

    exporter_life() {
        world.network.listen("collector", ex(), [this](http::server_request, http::responder& out) -> awaitable<void> {
            call();
            http::response answer(200, "application/json", "{}");
            const auto sent = co_await out.send(std::move(answer));
            static_cast<void>(sent);
        });
        auto options = otlp_options::to("http://collector:4318/v1/traces").value();
        options.schedule_delay(100ms);
        exporter_ = otlp_exporter::create(env(), ex(), std::move(options), world.network.factory()).value();
    }

    void start(std::stop_token = {}) { exporter_->start(); }
    awaitable<void> stop() { return drop(exporter_->stop()); }
    bool works() {
        trace_span span("reconcile", env().wall_now(), 1ms);
        span.context = trace_context().child(env());
        const auto before = exporter_->stats().exported;
        exporter_->sink()(span);
        return until([&] { return exporter_->stats().exported > before; }, 10s);
    }

private:
    std::unique_ptr<otlp_exporter> exporter_;
};

class manager_life : public simulated {
public:
    static constexpr bool awaits = true;

    manager_life() {
        const auto reconcile = [this](reconcile_context, std::shared_ptr<const widget> w) -> reconciliation {
            seen_ = w->spec.value;
            co_await call_awaited();
            co_return reconcile_result::done();
        };
        if (!controller_builder(m_, "widgets").for_<widget>().complete(reconcile)) throw std::runtime_error("builder");
    }

    void start(std::stop_token parent = {}) { m_.start(std::move(parent)); }
    awaitable<void> stop() { return m_.stop(); }
    bool works() { return change_is_seen(); }

private:
    manager m_{env(), ex(), world.connect(server.config())};
};

/// Contends for a Lease, alone, and works while it leads.
class leader_life : public simulated {
public:
    static constexpr bool awaits = true;

    leader_life() { server.api.set_history_window(16); }

    void start(std::stop_token parent = {}) { (void)e_.start(std::move(parent)).value(); }
    awaitable<void> stop() { return drop(e_.stop()); }
    bool works() {
        if (!until([this] { return e_.leading() && working_; }, 10s)) return false;
        ++value_;
        changed_.notify_all();
        return until([this] { return seen_ == value_; }, 10s);
    }

private:
    awaitable<void> work(std::stop_token stop) {
        working_ = true;
        while (!stop.stop_requested()) {
            co_await changed_.wait(env(), stop);
            if (seen_ == value_) continue;
            seen_ = value_;
            co_await call_awaited();
        }
        working_ = false;
    }

    bool working_ = false;
    async_event changed_;
    leader_elector e_{env(), ex(), world.connect(server.config()), leader_options({"default", "l"}).identity("me"),
                      leader_callbacks().on_started_leading([this](std::stop_token s) { return work(std::move(s)); })};
};

/// A manager that runs its controller while it leads, which it does alone.
class led_manager_life : public simulated {
public:
    static constexpr bool awaits = true;

    led_manager_life() {
        server.api.set_history_window(16);
        const auto reconcile = [this](reconcile_context, std::shared_ptr<const widget> w) -> reconciliation {
            seen_ = w->spec.value;
            co_await call_awaited();
            co_return reconcile_result::done();
        };
        if (!controller_builder(m_, "widgets").for_<widget>().complete(reconcile)) throw std::runtime_error("builder");
    }

    void start(std::stop_token parent = {}) { m_.start(std::move(parent)); }
    awaitable<void> stop() { return m_.stop(); }
    bool works() { return change_is_seen(); }

private:
    manager m_{env(), ex(), world.connect(server.config()),
               manager_options().leader_election(leader_options({"default", "l"}).identity("me"))};
};

/// The same by run(), which a program awaits.
class run_life : public simulated {
public:
    static constexpr bool awaits = true;

    run_life() {
        const auto work = [this](std::stop_token stop) -> awaitable<result<void>> {
            running_ = true;
            while (!stop.stop_requested()) {
                co_await changed_.wait(env(), stop);
                if (seen_ == value_) continue;
                seen_ = value_;
                co_await call_awaited();
            }
            running_ = false;
            co_return result<void>();
        };
        if (!m_.add(runnable("work", work))) throw std::runtime_error("add");
    }

    void start(std::stop_token parent = {}) { asio::co_spawn(ex(), run(std::move(parent)), asio::detached); }
    awaitable<void> stop() { return m_.stop(); }
    bool works() {
        if (!until([this] { return running_; }, 10s)) return false;
        ++value_;
        changed_.notify_all();
        return until([this] { return seen_ == value_; }, 10s);
    }

private:
    awaitable<void> run(std::stop_token parent) {
        const auto outcome = co_await m_.run(std::move(parent));
        static_cast<void>(outcome);  // refused while it runs
    }

    bool running_ = false;
    async_event changed_;
    manager m_{env(), ex(), world.connect(server.config())};
};

class informer_set_life : public simulated {
public:
    void start(std::stop_token parent = {}) { home_.informers().start(std::move(parent)); }
    awaitable<void> stop() { return drop(home_.informers().stop()); }
    bool works() { return change_is_seen(); }

private:
    home_cluster home_{env(), ex(), world.connect(server.config()), informer_options()};
    subscription held_ = home_.get_informer<widget>()->subscribe(
        [this](const any_event& e) { see(e.object().as<widget>()->spec.value); });
};

/// While it runs, the definition of a missing kind changes.
class crd_watch_life : public simulated {
public:
    static constexpr bool has_parent = false;

    crd_watch_life() { (void)server.api.create(definition()).value(); }

    void start(std::stop_token = {}) { watch_.set_missing({name_}); }
    awaitable<void> stop() { return watch_.stop(); }
    bool works() {
        settle();  // what is asked for because it was there before
        const int before = probes_;
        const json::value change{{"metadata", {{"labels", {{"n", std::to_string(++number_)}}}}}};
        (void)server.api.patch({"apiextensions.k8s.io", "customresourcedefinitions"}, {"", name_}, change).value();
        return until([&] { return probes_ > before; }, 10s);
    }

private:
    json::value definition() const {
        return {{"apiVersion", "apiextensions.k8s.io/v1"},
                {"kind", "CustomResourceDefinition"},
                {"metadata", {{"name", name_}}},
                {"spec",
                 {{"group", "example.org"},
                  {"scope", "Namespaced"},
                  {"names", {{"plural", "things"}, {"kind", "Thing"}}},
                  {"versions", json::array{json::value{{"name", "v1"}, {"served", true}, {"storage", true}}}}}}};
    }

    const std::string name_ = "things.example.org";
    int probes_ = 0, number_ = 0;
    crd_watch watch_{env(), ex(), world.connect(server.config()), [this](const std::string&) {
                         ++probes_;
                         call();
                     }};
};

class informer_life : public simulated {
public:
    void start(std::stop_token parent = {}) { one_.start(std::move(parent)); }
    awaitable<void> stop() { return drop(one_.stop()); }
    bool works() { return change_is_seen(); }

private:
    informer<widget> one_{env(), ex(), world.connect(server.config())};
    subscription held_ = one_.subscribe([this](const any_event& e) { see(e.object().as<widget>()->spec.value); });
};

/// What clusters of many have in common.
class of_clusters : public simulated {
public:
    static constexpr bool has_parent = false;
    static constexpr bool awaits = true;

protected:
    multicluster_options options() {
        multicluster_options o;
        o.transport(world.network.factory()).kinds({kind_choice(resource_of<widget>())});
        o.on_event([this](const std::string&, const resource_info&, const any_event&) { call(); });
        o.on_engage([this](engaged_cluster& c) {
            call();
            const auto reconcile = [this](reconcile_context, std::shared_ptr<const widget> w) -> reconciliation {
                seen_ = w->spec.value;
                co_await call_awaited();
                co_return reconcile_result::done();
            };
            if (!controller_builder(c, "widgets").for_<widget>().complete(reconcile)) seen_ = -1;
        });
        return o;
    }
};

class engaged_cluster_life : public of_clusters {
public:
    void start(std::stop_token = {}) { c_.engage(server.config(), {}); }
    awaitable<void> stop() { return c_.disengage(); }
    bool works() { return change_is_seen(); }

private:
    engaged_cluster c_{env(), ex(), "a", std::make_shared<const multicluster_options>(options())};
};

class multicluster_manager_life : public of_clusters {
public:
    void start(std::stop_token = {}) { m_.set_desired({desired_cluster("a", server.config())}); }
    awaitable<void> stop() { return m_.stop(); }
    bool works() { return change_is_seen(); }

private:
    multicluster_manager m_{env(), ex(), options()};
};

/// The same with controllers that run while this process leads, which it does alone.
class led_multicluster_life : public of_clusters {
public:
    led_multicluster_life() { server.api.set_history_window(16); }
    void start(std::stop_token = {}) { m_.set_desired({desired_cluster("a", server.config())}); }
    awaitable<void> stop() { return m_.stop(); }
    bool works() { return change_is_seen(); }

private:
    multicluster_options led() {
        return options().leader_election(leader_options({"default", "l"}).identity("me"), server.config());
    }
    multicluster_manager m_{env(), ex(), led()};
};

template <class Source>
class source_life : public simulated {
public:
    static constexpr bool has_parent = false;

    void start(std::stop_token = {}) {
        const auto started = source().start([this](std::vector<desired_cluster> all) {
            names_.clear();
            for (const auto& one : all) names_.insert(one.name);
            call();
        });
        static_cast<void>(started);  // refused while it runs
    }
    awaitable<void> stop() {
        source().stop();
        co_return;
    }

protected:
    virtual Source& source() = 0;
    std::set<std::string> names_;
    int number_ = 0;
};

class directory_source_life : public source_life<directory_source> {
public:
    bool works() {
        const std::string name = "c" + std::to_string(++number_);
        world.env.write_file("/clusters/" + name, "nonsense");
        const bool seen = until([&] { return names_.contains(name); }, 10s);
        world.env.remove_file("/clusters/" + name);
        return seen;
    }

private:
    directory_source& source() override { return source_; }
    directory_source source_{env(), ex(), "/clusters", auth::trust::trusted};
};

class secret_source_life : public source_life<secret_source> {
public:
    bool works() {
        const std::string name = "c" + std::to_string(++number_);
        const json::value labels{{"sigs.k8s.io/multicluster-runtime-kubeconfig", "true"}};
        (void)server.api
            .create({{"apiVersion", "v1"},
                     {"kind", "Secret"},
                     {"metadata", {{"name", name}, {"namespace", "default"}, {"labels", labels}}},
                     {"data", {{"kubeconfig", "bm9uc2Vuc2U="}}}})
            .value();
        const bool seen = until([&] { return names_.contains("default/" + name); }, 10s);
        (void)server.api.remove({"", "secrets"}, {"default", name});
        return seen;
    }

private:
    secret_source& source() override { return source_; }
    secret_source source_{env(), ex(), server.config(), world.network.factory(), secret_source_options()};
};

/// A scope and a group, as everything above uses them.
class task_group_life : public simulated {
public:
    static constexpr bool awaits = true;

    void start(std::stop_token parent = {}) {
        if (term_ && !term_->stopped()) return;
        term_.emplace(std::move(parent));
        tasks_.spawn_user_task(work(term_->token()));
    }
    awaitable<void> stop() {
        const executor mine = co_await asio::this_coro::executor;
        tasks_.exclude(user_task::of(mine));
        if (term_) term_->stop();
        co_await tasks_.join_present();
    }
    bool works() {
        ++value_;
        return until(
            [this] {
                changed_.notify_all();
                return seen_ == value_;
            },
            10s);
    }

private:
    awaitable<void> work(std::stop_token stop) {
        while (!stop.stop_requested()) {
            const wake why = co_await changed_.wait(env(), stop, env().now() + 1s);
            if (why == wake::stopped || seen_ == value_) continue;
            seen_ = value_;
            co_await call_awaited();
        }
    }

    async_event changed_;
    std::optional<scope> term_;
    task_group tasks_{env(), ex()};
};

}  // namespace kcontrol::test

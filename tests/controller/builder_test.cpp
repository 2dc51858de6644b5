// The builder: what a sentence of it amounts to.
#include <kcontrol/cluster/channel_source.hpp>
#include <kcontrol/codec/dynamic_object.hpp>
#include <kcontrol/controller/builder.hpp>
#include <kcontrol/testing/fake_source.hpp>
#include <kcontrol/testing/manual_environment.hpp>
#include <kcontrol/testing/run.hpp>

#include <boost/asio/io_context.hpp>
#include <doctest/doctest.h>

#include <cstdlib>
#include <map>
#include <string>
#include <vector>

using namespace kcontrol;
using kcontrol::testing::fake_source;
using kcontrol::testing::manual_environment;

namespace {

struct set {
    static constexpr resource_name kcontrol_resource{"apps.test", "v1", "Set", "sets"};
    object_meta metadata;
    std::string color;
    static constexpr auto kcontrol_fields() { return fields(field("color", &set::color)); }
};

struct pod {
    static constexpr resource_name kcontrol_resource{"", "v1", "Pod", "pods"};
    object_meta metadata;
    std::string phase;
    static constexpr auto kcontrol_fields() { return fields(field("phase", &pod::phase)); }
};

template <class T>
any_object make(std::string name, const std::function<void(T&)>& edit = {}) {
    T out;
    out.metadata.namespace_ = "ns";
    out.metadata.name = std::move(name);
    if (edit) edit(out);
    return any_object(std::make_shared<const T>(std::move(out)));
}

class fake_host final : public controller_host, public cluster {
public:
    cluster& get_cluster() noexcept override { return *this; }
    const std::string& name() const noexcept override { return name_; }
    client& get_client() noexcept override { std::abort(); }  // no controller here sends anything
    std::vector<std::shared_ptr<any_informer>> informers_of(const resource_info&) override { return {}; }
    environment& env() const noexcept override { return env_; }
    executor get_executor() const override { return context.get_executor(); }
    const logger& log() const noexcept override { return log_; }
    std::shared_ptr<event_recorder> recorder_of(const event_recorder_options&) override { return nullptr; }
    std::shared_ptr<cached_source> source_of(const resource_info& kind) override {
        if (kind.metadata_only) metadata_kinds += kind.gvk.kind + " ";
        auto& slot = sources[kind.gvk.kind];
        if (!slot) slot = std::make_shared<fake_source>(env_);
        return slot;
    }
    result<void> add(std::shared_ptr<any_controller> added) override {
        if (full) return error(errc::unavailable, "the manager is stopping");
        added->start();
        controllers.push_back(std::move(added));
        return {};
    }
    ~fake_host() override {
        for (const auto& one : controllers) {
            testing::run(context, [](any_controller& c) -> awaitable<void> { co_await c.stop(); }(*one));
        }
    }
    void ready() { manual_environment::run_ready(context); }

    mutable boost::asio::io_context context;
    mutable manual_environment env_;
    std::string name_;
    logger log_;
    std::map<std::string, std::shared_ptr<fake_source>> sources;
    std::vector<std::shared_ptr<any_controller>> controllers;
    std::string metadata_kinds;  // those asked for with no more than their metadata
    bool full = false;
};

owner_reference owned_by_set(std::string name) {
    owner_reference owner;
    owner.api_version = "apps.test/v2";
    owner.kind = "Set";
    owner.name = std::move(name);
    owner.controller = true;
    return owner;
}

}  // namespace

TEST_CASE("for, owns and watches each lead to the right request; predicates stand beside their kind") {
    fake_host host;
    std::string seen;
    const auto note = [&seen](reconcile_context, const request& req) {
        seen += to_string(req) + " ";
        return reconcile_result::done();
    };
    const auto made = controller_builder(host, "sets")
                          .for_<set>([](const set& s) { return s.color != "ignored"; })
                          .owns<pod>([](const event<pod>& e) { return e.type != event_type::added; })
                          .watches<pod>([](const pod& p) { return request("mapped", p.metadata.name); })
                          .with_options(controller_options().max_concurrent_reconciles(2))
                          .complete(note);
    REQUIRE(made.has_value());
    CHECK((*made)->name() == "sets");
    CHECK((*made)->options().max_concurrent_reconciles() == 2);
    CHECK(host.sources.size() == 2);

    auto& sets = *host.sources["Set"];
    auto& pods = *host.sources["Pod"];
    host.ready();
    sets.put(make<set>("a"));
    sets.put(make<set>("b", [](set& s) { s.color = "ignored"; }));
    host.ready();
    CHECK(seen == "ns/a ");

    const auto owned = [](pod& p) { p.metadata.owner_references.push_back(owned_by_set("a")); };
    seen.clear();
    pods.put(make<pod>("p", owned));
    host.ready();
    CHECK(seen == "mapped/p ");
    seen.clear();
    pods.remove({"ns", "p"});
    host.ready();
    CHECK(seen == "ns/a mapped/p ");
}

TEST_CASE("a reconciler of objects gets the cached one, and is not called for what is gone") {
    fake_host host;
    std::string seen;
    const auto made = controller_builder(host, "pods")
                          .for_<pod>()
                          .complete([&seen](reconcile_context, std::shared_ptr<const pod> p) -> reconciliation {
                              seen += p->phase + " ";
                              co_return reconcile_result::done();
                          });
    REQUIRE(made.has_value());
    host.ready();
    auto& pods = *host.sources["Pod"];
    pods.put(make<pod>("p", [](pod& p) { p.phase = "Pending"; }));
    host.ready();
    pods.put(make<pod>("p", [](pod& p) { p.phase = "Running"; }));
    host.ready();
    pods.remove({"ns", "p"});
    host.ready();
    CHECK(seen == "Pending Running ");
    CHECK((*made)->stats().succeeded == 3);
}

TEST_CASE("an event filter stands before every kind, and a generic coroutine takes the request") {
    fake_host host;
    std::string seen;
    const auto made = controller_builder(host, "all")
                          .for_<set>()
                          .watches<pod>([](const pod& p) { return request("pod", p.metadata.name); })
                          .with_event_filter([](const any_event& e) { return e.object().meta().name != "hidden"; })
                          .complete([&seen](auto, auto req) -> reconciliation {
                              seen += to_string(req) + " ";
                              co_return reconcile_result::done();
                          });
    REQUIRE(made.has_value());
    host.ready();
    for (const char* name : {"hidden", "shown"}) {
        host.sources["Set"]->put(make<set>(name));
        host.sources["Pod"]->put(make<pod>(name));
    }
    host.ready();
    CHECK(seen == "ns/shown pod/shown ");
}

TEST_CASE("what the manager refuses is the builder's error") {
    fake_host host;
    host.full = true;
    const auto made = controller_builder(host, "pods").for_<pod>().complete([](reconcile_context, const request&) {
        return reconcile_result::done();
    });
    REQUIRE(!made);
    CHECK(made.error() == errc::unavailable);
}

TEST_CASE("an event handler of the program sees the old object and the new one, and says when and how urgently") {
    fake_host host;
    std::string seen;
    const auto made = controller_builder(host, "sets")
                          .for_<set>()
                          .watches<pod>([](const event<pod>& e, request_sink<request>& sink) {
                              if (e.type == event_type::updated && e.old_object->phase == "Pending") {
                                  sink.add(request("", "started"), add_options().priority(7));
                              }
                              if (e.type == event_type::deleted)
                                  sink.add_after(request("", "gone"), std::chrono::seconds(5));
                          })
                          .watches<pod>([](const any_event& e, request_sink<request>& sink) {
                              if (e.type == event_type::deleted) sink.add_rate_limited(request("", "raw"));
                          })
                          .complete([&seen](reconcile_context ctx, const request& req) {
                              seen += to_string(req) + "@" + std::to_string(ctx.priority()) + " ";
                              return reconcile_result::done();
                          });
    REQUIRE(made.has_value());
    host.ready();
    auto& pods = *host.sources["Pod"];
    pods.put(make<pod>("p", [](pod& p) { p.phase = "Pending"; }));
    host.ready();
    CHECK(seen.empty());
    pods.put(make<pod>("p", [](pod& p) { p.phase = "Running"; }));
    host.ready();
    CHECK(seen == "started@7 ");
    pods.remove({"ns", "p"});
    host.ready();
    CHECK(seen == "started@7 ");
    host.env_.advance(std::chrono::milliseconds(5), host.context);
    CHECK(seen == "started@7 raw@0 ");
    host.env_.advance(std::chrono::seconds(5), host.context);
    CHECK(seen == "started@7 raw@0 gone@0 ");
}

TEST_CASE("enqueue_with says of another handler's requests what it does not say itself") {
    struct recording_sink final : request_sink<request> {
        std::vector<std::pair<request, add_options>> added;

    protected:
        void enqueue(request req, const add_options& how) override { added.emplace_back(std::move(req), how); }
    };
    const auto says_some = [](const any_event& e, request_sink<request>& sink) {
        sink.add(request(e.object().key()));
        sink.add(request("", "urgent"), add_options().priority(9));
        sink.add_after(request("", "later"), std::chrono::seconds(1));
    };
    recording_sink sink;
    const auto handler = enqueue_with(add_options().priority(3).after(std::chrono::minutes(1)), says_some);
    handler(any_event(event_type::added, any_object(), make<pod>("p")), sink);
    REQUIRE(sink.added.size() == 3);
    CHECK(sink.added[0].first == request("ns", "p"));
    CHECK(sink.added[0].second.priority() == 3);
    CHECK(sink.added[0].second.after() == std::chrono::minutes(1));
    CHECK(sink.added[1].second.priority() == 9);
    CHECK(sink.added[1].second.after() == std::chrono::minutes(1));
    CHECK(sink.added[2].second.priority() == 3);
    CHECK(sink.added[2].second.after() == std::chrono::seconds(1));
}

TEST_CASE("metadata_only asks for the metadata of a kind, and that is what its functions get") {
    fake_host host;
    std::string seen;
    const auto made =
        controller_builder(host, "sets")
            .for_<set>(metadata_only, [](const metadata_object& o) { return o.metadata.name != "no"; })
            .owns<pod>(metadata_only, [](const event<metadata_object>&) { return true; })
            .watches<pod>(metadata_only, [](const metadata_object& o) { return request("mapped", o.metadata.name); })
            .complete([&seen](reconcile_context, std::shared_ptr<const metadata_object> o) {
                seen += o->metadata.name + " ";
                return reconcile_result::done();
            });
    REQUIRE(made.has_value());
    CHECK(host.metadata_kinds == "Set Pod Pod ");
    host.ready();
    host.sources["Set"]->put(make<metadata_object>("a"));
    host.sources["Set"]->put(make<metadata_object>("no"));
    host.ready();
    CHECK(seen == "a ");
    host.sources["Pod"]->put(make<metadata_object>(
        "p", [](metadata_object& o) { o.metadata.owner_references.push_back(owned_by_set("a")); }));
    host.ready();
    CHECK(seen == "a a ");
    CHECK((*made)->stats().succeeded == 3);  // mapped/p is not there
}

TEST_CASE("kinds known at run time say of what type their objects are") {
    fake_host host;
    const resource_info sets = dynamic_resource(resource_of<set>().gvk, "sets");
    const resource_info pods = dynamic_resource(resource_of<pod>().gvk, "pods");
    const resource_info bare = metadata_resource(resource_of<pod>().gvk, "pods");
    const auto object = [](std::string name, json::object content) {
        return make<dynamic_object>(std::move(name), [&content](dynamic_object& o) {
            o.content = dynamic_content(std::move(content));
            o.metadata.owner_references.push_back(owned_by_set("a"));
        });
    };
    std::string seen;
    const auto made =
        controller_builder(host, "sets")
            .for_<dynamic_object>(sets)
            .owns<dynamic_object>(pods,
                                  [](const dynamic_object& o) { return o.content.get_string({"phase"}) == "Failed"; })
            .owns<metadata_object>(bare, owner_match::any, [](const any_event&) { return false; })
            .watches<dynamic_object>(
                pods, [](const dynamic_object& o) { return request("ns", o.content.get_string({"for"})); })
            .complete([&seen](reconcile_context, std::shared_ptr<const dynamic_object> o) {
                seen += o->content.get_string({"color"}) + " ";
                return reconcile_result::done();
            });
    REQUIRE(made.has_value());
    host.ready();
    host.sources["Set"]->put(object("a", {{"color", "red"}}));
    host.sources["Set"]->put(object("b", {{"color", "blue"}}));
    host.ready();
    CHECK(seen == "red blue ");
    host.sources["Pod"]->put(object("p", {{"phase", "Failed"}, {"for", "b"}}));
    host.ready();
    CHECK(seen == "red blue red blue ");
    host.sources["Pod"]->put(object("q", {{"phase", "Running"}, {"for", "b"}}));
    host.ready();
    CHECK(seen == "red blue red blue blue ");
}

TEST_CASE("what a channel is sent is reconciled, with the cause, and behind the event filter") {
    fake_host host;
    const auto channel =
        std::make_shared<channel_source>(host.env(), host.get_executor(), channel_options().name("webhook"));
    std::string seen;
    const auto made = controller_builder(host, "sets")
                          .for_<set>()
                          .watches_source(channel, enqueue_for_object)
                          .with_event_filter([](const any_event& e) { return e.object().meta().name != "hidden"; })
                          .complete([&seen](reconcile_context ctx, const request& req) {
                              seen += to_string(req) + ": " + to_string(ctx.causes()) + "; ";
                              return reconcile_result::done();
                          });
    REQUIRE(made.has_value());
    CHECK(channel->send(namespaced_name("ns", "a")));
    CHECK(channel->send(namespaced_name("ns", "hidden")));
    host.ready();
    CHECK(seen == "ns/a: webhook signalled; ");
}

TEST_CASE("options of a kind that the host's cluster can't watch so are an error of complete()") {
    fake_host host;
    const auto made = controller_builder(host, "sets")
                          .for_<set>()
                          .owns<pod>(kind_options().label_selector("app=web"))
                          .complete([](reconcile_context, const request&) { return reconcile_result::done(); });
    REQUIRE(made.has_error());
    CHECK(made.error() == errc::unavailable);
    CHECK(made.error().what().find("controller sets: this cluster can't watch Pod with options of its own") !=
          std::string::npos);
    CHECK(host.controllers.empty());
}

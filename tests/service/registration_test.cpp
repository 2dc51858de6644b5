// Registering an object in a simulated world: by whatever others do to it, it is there until the end.
#include <kcontrol/api/core/v1.hpp>
#include <kcontrol/runtime/wait.hpp>
#include <kcontrol/service/registration.hpp>
#include <kcontrol/testing/sim_world.hpp>

#include "support/print.hpp"

#include <doctest/doctest.h>

#include <algorithm>
#include <optional>
#include <string>
#include <vector>

namespace {

using namespace kcontrol;
using namespace std::chrono_literals;

const testing::group_resource maps("", "configmaps"), pods("", "pods"), nodes("", "nodes");

const char* const object =
    R"({"apiVersion":"v1","kind":"ConfigMap","metadata":{"name":"o","labels":{"a":"b"}},"data":{"at":"here"}})";

class scene {
public:
    ~scene() {
        it.reset();
        world.run_for(1min);
    }

    template <class Object>
    service::registration& make(const Object& what, service::registration_options options = {}) {
        it.reset();
        it.emplace(world.env(), world.get_executor(), cl, what, std::move(options), log);
        return *it;
    }
    void begin(const std::string& what = object, service::registration_options options = {}) {
        REQUIRE(make(what, std::move(options)).start());
        REQUIRE(world.run(it->wait_applied()));
    }
    void add_pod(const std::string& name, const std::string& ns = "default") {
        (void)api.create({{"apiVersion", "v1"}, {"kind", "Pod"}, {"metadata", {{"name", name}, {"namespace", ns}}}})
            .value();
    }
    std::optional<json::value> stored(const std::string& ns = "default") {
        auto found = api.get(maps, {ns, "o"});
        if (!found) return std::nullopt;
        return *found;
    }
    std::string at() {
        const auto now = stored();
        return now ? std::string(json::get_string(*now, {"data", "at"})) : "nothing";
    }
    bool until(const std::function<bool()>& done, duration limit = 5s) { return world.run_until(done, limit); }
    std::size_t count(const std::string& beginning) const {
        return static_cast<std::size_t>(
            std::count_if(logged.begin(), logged.end(), [&](const auto& one) { return one.starts_with(beginning); }));
    }

    testing::sim_world world;
    testing::sim_server& server = world.add_server("server");
    testing::api_server& api = server.api();
    client cl = world.connect(server);
    std::vector<std::string> logged;
    logger log{[this](const log_record& r) {
        logged.emplace_back(r.message);
        for (const auto& f : r.fields) {
            if (f.name == "rule") logged.back() += " " + f.value;
        }
    }};
    std::optional<service::registration> it;
};

}  // namespace

TEST_CASE_FIXTURE(scene, "registration: the object is there from start to stop, and nothing more is asked meanwhile") {
    begin();
    CHECK(at() == "here");
    CHECK(json::get_string(*stored(), {"metadata", "labels", "a"}) == "b");
    CHECK(it->status().applied);
    CHECK(it->status().uid == json::get_string(*stored(), {"metadata", "uid"}));
    CHECK(it->status().owner.empty());
    const auto version = api.resource_version();
    world.run_for(4min);
    CHECK(api.resource_version() == version);
    CHECK(api.request_log().count("patch", "configmaps") == 1);
    CHECK(api.request_log().open_watches() == 1);
    CHECK(world.run(it->stop()));
    CHECK_FALSE(stored());
    CHECK(api.request_log().open_watches() == 0);
    CHECK(logged.empty());
    // Idempotent, and it may begin again.
    CHECK(world.run(it->stop()));
    REQUIRE(it->start());
    REQUIRE(world.run(it->wait_applied()));
    CHECK(at() == "here");
}

TEST_CASE_FIXTURE(scene, "registration: what others change is put back, what they add stays") {
    begin();
    world.run_for(1min);
    (void)api.patch(maps, {"default", "o"}, {{"data", {{"at", "elsewhere"}, {"more", "x"}}}}).value();
    REQUIRE(until([&] { return at() == "here"; }));
    CHECK(json::get_string(*stored(), {"data", "more"}) == "x");
    world.run_for(1min);
    (void)api.remove(maps, {"default", "o"}).value();
    REQUIRE(until([&] { return at() == "here"; }));
    // It knows of that when the answer comes.
    CHECK(until([&] { return it->status().uid == json::get_string(*stored(), {"metadata", "uid"}); }));
    // While no watch told it, too.
    api.break_watches();
    (void)api.remove(maps, {"default", "o"}).value();
    CHECK(until([&] { return at() == "here"; }, 2min));
    CHECK(logged.empty());
}

TEST_CASE_FIXTURE(scene,
                  "registration: one that changes it back at once meets ever longer pauses, and is logged once") {
    begin();
    world.run_for(1min);
    bool busy = false;
    const auto other = api.on_change([&](const testing::resource_type&, testing::change, const json::value& now) {
        if (busy || json::get_string(now, {"data", "at"}) != "here") return;
        busy = true;
        asio::post(world.get_executor(), [&] {
            (void)api.patch(maps, {"default", "o"}, {{"data", {{"at", "elsewhere"}}}});
            busy = false;
        });
    });
    (void)api.patch(maps, {"default", "o"}, {{"data", {{"at", "elsewhere"}}}}).value();
    world.run_for(1h);
    const auto applies = it->status().applies;
    CHECK(applies > 60);
    CHECK(applies < 180);
    CHECK(count("another writer changes the object again and again") >= 1);
}

TEST_CASE_FIXTURE(scene, "registration: the own pod owns it, if there is one in the object's namespace") {
    world.env().set_variable("HOSTNAME", "pod-0");
    const auto owner = [&](const char* member) -> std::string {
        const auto now = stored();
        const json::value* const owners = json::find(*now, {"metadata", "ownerReferences"});
        return owners == nullptr ? "" : std::string(json::get_string(owners->at(0), {member}));
    };
    SUBCASE("by its host name") {
        add_pod("pod-0");
        begin();
        CHECK(owner("name") == "pod-0");
        CHECK(owner("kind") == "Pod");
        CHECK(owner("uid") == json::get_string(api.get(pods, {"default", "pod-0"}).value(), {"metadata", "uid"}));
        CHECK(it->status().owner == "pod-0");
    }
    SUBCASE("by its given name, beside an owner that the object names") {
        add_pod("pod-1");
        const std::string with = R"({"apiVersion":"v1","kind":"ConfigMap","metadata":{"name":"o","ownerReferences":
            [{"apiVersion":"v1","kind":"Node","name":"n","uid":"u"}]}})";
        begin(with, service::registration_options().pod("pod-1"));
        CHECK(json::find(*stored(), {"metadata", "ownerReferences"})->as_array().size() == 2);
    }
    SUBCASE("there is none") {
        begin();
        CHECK(owner("name").empty());
    }
    SUBCASE("not by option") {
        add_pod("pod-0");
        begin(object, service::registration_options().owned(false));
        CHECK(owner("name").empty());
        CHECK(api.request_log().count("get", "pods") == 0);
    }
    SUBCASE("in another namespace") {
        add_pod("pod-0");
        world.env().write_file("/var/run/secrets/kubernetes.io/serviceaccount/namespace", "other");
        begin();
        CHECK(owner("name").empty());
    }
    SUBCASE("a right is missing") {
        add_pod("pod-0");
        api.access().forbid({"*", "get", "pods"});
        begin();
        CHECK(owner("name").empty());
        CHECK(count("no pod owns the object: a right is missing "
                    "{apiGroups: [\"\"], resources: [\"pods\"], verbs: [\"get\"]}") == 1);
    }
    CHECK(world.run(it->stop()));
}

TEST_CASE_FIXTURE(scene, "registration: objects of other scopes and namespaces, and of C++ types") {
    SUBCASE("another namespace") {
        (void)api.create({{"apiVersion", "v1"}, {"kind", "Namespace"}, {"metadata", {{"name", "x"}}}}).value();
        begin(R"({"apiVersion":"v1","kind":"ConfigMap","metadata":{"name":"o","namespace":"x"}})");
        CHECK(stored("x"));
    }
    SUBCASE("no namespace at all") {
        begin(R"({"apiVersion":"v1","kind":"Node","metadata":{"name":"n"}})");
        CHECK(api.get(nodes, {"", "n"}));
    }
    SUBCASE("a type") {
        api::core::v1::config_map map;
        map.metadata.name = "o";
        map.metadata.namespace_ = "default";
        map.metadata.resource_version = "17";  // of where it was read; it is not sent
        map.data["at"] = "here";
        REQUIRE(make(map).start());
        REQUIRE(world.run(it->wait_applied()));
        CHECK(at() == "here");
        CHECK(api.request_log().count("get", "") == 0);
    }
    CHECK(world.run(it->stop()));
}

TEST_CASE_FIXTURE(scene, "registration: missing rights are logged once with the rule, and asked for again") {
    const std::string rule =
        " {apiGroups: [\"\"], resources: [\"configmaps\"], verbs: [\"create\", \"patch\", \"delete\", "
        "\"watch\"]}";
    SUBCASE("to write") {
        api.access().forbid({"*", "patch", "configmaps"});
        REQUIRE(make(std::string(object)).start());
        const auto failed = world.run(it->wait_applied());
        REQUIRE_FALSE(failed);
        CHECK(failed.error() == api_errc::forbidden);
        CHECK(it->status().failure == api_errc::forbidden);
        world.run_for(10min);
        CHECK(count("the object can't be registered: a right is missing" + rule) == 1);
        api.access().permit_all();
        REQUIRE(until([&] { return at() == "here"; }, 2min));
        CHECK(until([&] { return count("the object is registered again") == 1; }));
    }
    SUBCASE("to watch") {
        api.access().forbid({"*", "watch", "configmaps"});
        begin();
        world.run_for(10min);
        CHECK(count("the registered object can't be watched: it is applied every 30 s") == 1);
        (void)api.remove(maps, {"default", "o"}).value();
        CHECK(until([&] { return at() == "here"; }, 31s));
    }
    SUBCASE("to delete") {
        api.access().forbid({"*", "delete", "configmaps"});
        begin();
        const auto stopped = world.run(it->stop());
        REQUIRE_FALSE(stopped);
        CHECK(stopped.error() == api_errc::forbidden);
        CHECK(count("the object can't be deleted: a right is missing" + rule) == 1);
    }
    CHECK(logged.size() <= 2);
}

TEST_CASE_FIXTURE(scene, "registration: what the server refuses is returned, and what it does not know") {
    REQUIRE(make(std::string(R"({"apiVersion":"example.com/v1","kind":"Cache","metadata":{"name":"o"}})")).start());
    const auto unknown = world.run(it->wait_applied());
    REQUIRE_FALSE(unknown);
    CHECK(unknown.error() == condition::not_found);
    REQUIRE(make(std::string(R"({"apiVersion":"v1","kind":"Cache","metadata":{"name":"o"}})")).start());
    const auto kind = world.run(it->wait_applied());
    REQUIRE_FALSE(kind);
    CHECK(kind.error() == errc::no_such_kind);
    REQUIRE(make(std::string(object), service::registration_options().field_manager("")).start());
    const auto manager = world.run(it->wait_applied());
    REQUIRE_FALSE(manager);
    CHECK(manager.error() == errc::invalid_argument);
}

TEST_CASE_FIXTURE(scene, "registration: texts that can't be meant are refused before anything is asked") {
    for (const auto& each : {
             std::pair("", "the object to register"),
             std::pair("[]", "it is not a JSON object"),
             std::pair("{", "the object to register"),
             std::pair(R"({"kind":"ConfigMap","metadata":{"name":"o"}})", "apiVersion is missing"),
             std::pair(R"({"apiVersion":"v1","metadata":{"name":"o"}})", "kind is missing"),
             std::pair(R"({"apiVersion":"v1","kind":"ConfigMap"})", "metadata.name is missing"),
             std::pair(R"({"apiVersion":"v1","kind":"ConfigMap","metadata":{"name":7}})", "metadata.name is missing"),
             std::pair(R"({"apiVersion":"v1","kind":"ConfigMap","metadata":{"name":"o","uid":"u"}})", "metadata.uid"),
             std::pair(R"({"apiVersion":"v1","kind":"ConfigMap","metadata":{"name":"o","managedFields":[]}})",
                       "metadata.managedFields"),
         }) {
        const auto& [text, message] = each;
        CAPTURE(each.first);
        const auto started = make(std::string(text)).start();
        REQUIRE_FALSE(started);
        CHECK(started.error().what().find(message) != std::string::npos);
        CHECK(world.run(it->stop()));
    }
    CHECK(api.request_log().requests().empty());
}

TEST_CASE_FIXTURE(scene, "registration: an end while the server is away, and one that leaves another's object there") {
    SUBCASE("the server is away") {
        begin();
        api.set_faults([](const http::server_request&) { return testing::fault().drop(); });
        const auto before = world.context().now();
        const auto stopped = world.run(it->stop(5s));
        CHECK_FALSE(stopped);
        CHECK(world.context().now() - before < 7s);
        api.set_faults(nullptr);
        CHECK(at() == "here");
    }
    SUBCASE("another object has the name by now") {
        begin();
        api.access().forbid({"*", "patch", "configmaps"});
        (void)api.remove(maps, {"default", "o"}).value();
        (void)api.create({{"apiVersion", "v1"}, {"kind", "ConfigMap"}, {"metadata", {{"name", "o"}}}}).value();
        world.run_for(5s);
        CHECK(world.run(it->stop()));
        CHECK(stored());
    }
    SUBCASE("it stays by option") {
        begin(object, service::registration_options().delete_at_end(false));
        CHECK(world.run(it->stop()));
        CHECK(at() == "here");
    }
    SUBCASE("before the first answer") {
        api.set_faults([](const http::server_request&) { return testing::fault().hang(); });
        REQUIRE(make(std::string(object)).start());
        world.run_for(1s);
        CHECK(world.ends_within(1min, it->stop()));
    }
}

TEST_CASE_FIXTURE(scene, "registration: a restored etcd does not have it") {
    const auto before = api.snapshot();
    begin();
    world.run_for(1min);
    for (int i = 0; i < 50; ++i) {
        (void)api.patch(maps, {"default", "o"}, {{"data", {{"more", std::to_string(i)}}}}).value();
        world.run_for(100ms);
    }
    world.run_for(1min);
    api.restore(before);
    CHECK(until([&] { return at() == "here"; }, 6min));
    // And changes are seen again.
    world.run_for(1min);
    (void)api.remove(maps, {"default", "o"}).value();
    CHECK(until([&] { return at() == "here"; }, 5s));
}

TEST_CASE_FIXTURE(scene, "registration: seeds of trouble, after which the object is there as wanted") {
    testing::sim_random random(7);
    begin();
    unsigned trouble = 0;
    api.set_faults([&](const http::server_request&) {
        testing::fault f;
        if (!random.chance(trouble)) return f;
        switch (random.below(5)) {
        case 0: return f.drop();
        case 1: return f.drop_response();
        case 2: return f.status(500, "InternalError", "x");
        case 3: return f.cut_after_events(random.below(3));
        default: return f.delay(random.between(0ms, 3s));
        }
    });
    for (int i = 0; i < 300; ++i) {
        trouble = static_cast<unsigned>(random.below(50));
        switch (random.below(5)) {
        case 0: (void)api.remove(maps, {"default", "o"}); break;
        case 1: (void)api.patch(maps, {"default", "o"}, {{"data", {{"at", std::to_string(i)}}}}); break;
        case 2: api.break_watches(); break;
        case 3: api.compact(api.resource_version()); break;
        default: break;
        }
        world.run_for(random.between(0ms, 20s));
        if (i % 10 != 0) continue;
        trouble = 0;
        REQUIRE(until([&] { return at() == "here"; }, 6min));
        world.run_for(1min);
        REQUIRE(at() == "here");
    }
    trouble = 0;
    CHECK(world.run(it->stop()));
    CHECK_FALSE(stored());
}

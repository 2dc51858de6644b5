#include <kcontrol/testing/api_server.hpp>

#include "support/print.hpp"
#include "testing/memory_responder.hpp"

#include <doctest/doctest.h>

using namespace kcontrol;
using namespace kcontrol::testing;
using namespace std::chrono_literals;

namespace {

using events = std::vector<std::string>;

struct fixture {
    boost::asio::io_context context;
    testing::manual_environment env;
    api_server server;
    test::memory_client client;

    explicit fixture(api_server_options options = {})
        : server(env, context.get_executor(), std::move(options)), client(context, server.handler()) {}
    ~fixture() {
        server.break_watches();
        settle();
    }
    void settle() { testing::manual_environment::run_ready(context); }
    void make(const std::string& name, const std::string& app = "x") {
        const auto made = server.create(json::parse(R"({"apiVersion":"v1","kind":"ConfigMap","metadata":{"name":")" +
                                                    name + R"(","labels":{"app":")" + app + "\"}}}")
                                            .value());
        REQUIRE(made);
    }
    void change(const std::string& name, const std::string& app) {
        const auto patch = json::parse(R"({"metadata":{"labels":{"app":")" + app + "\"}}}").value();
        REQUIRE(server.patch({"", "configmaps"}, {"default", name}, patch));
    }
    void remove(const std::string& name) { REQUIRE(server.remove({"", "configmaps"}, {"default", name})); }
    std::shared_ptr<test::memory_responder> watch(const std::string& query) {
        return client.start(maps + "?watch=1" + query);
    }
    std::string now() const { return "&resourceVersion=" + std::to_string(server.resource_version()); }
    const std::string maps = "/api/v1/namespaces/default/configmaps";
};

}  // namespace

TEST_CASE("a watch replays what came after its version, then follows") {
    fixture f;
    f.make("a");
    const std::string from = f.now();
    f.make("b");
    f.change("a", "y");
    const auto watch = f.watch(from);
    CHECK(watch->head.status == 200);
    CHECK(watch->events() == events{"ADDED b", "MODIFIED a"});
    f.remove("b");
    f.settle();
    CHECK(watch->events().back() == "DELETED b");
    CHECK(f.server.request_log().open_watches() == 1);
    watch->go_away();
    f.settle();
    CHECK(watch->done);
    CHECK(f.server.request_log().open_watches() == 0);
}

TEST_CASE("a watch without a version begins with what there is") {
    fixture f;
    f.make("a");
    CHECK(f.watch("")->events() == events{"ADDED a"});
    CHECK(f.watch("&resourceVersion=0&allowWatchBookmarks=true")->events() == events{"ADDED a", "BOOKMARK"});
    const auto listed = f.watch("&sendInitialEvents=true&resourceVersionMatch=NotOlderThan&allowWatchBookmarks=true");
    CHECK(listed->events() == events{"ADDED a", "BOOKMARK"});
    CHECK(listed->body.find(R"("k8s.io/initial-events-end":"true")") != std::string::npos);
    const auto ahead = f.watch("&sendInitialEvents=true&resourceVersionMatch=NotOlderThan&resourceVersion=99999");
    CHECK(ahead->events() == events{"ERROR 504"});
    CHECK(ahead->done);
    CHECK(f.watch("&sendInitialEvents=false&resourceVersionMatch=NotOlderThan")->events().empty());
}

TEST_CASE("a replica that lags says what there is of an old version only to who asks for that") {
    fixture f;
    f.make("a");
    f.server.freeze("old", f.server.resource_version());
    f.make("b");
    f.server.set_faults([](const http::server_request&) { return fault().replica("old"); });
    const std::string listed = "&sendInitialEvents=true&resourceVersionMatch=NotOlderThan&allowWatchBookmarks=true";
    CHECK(f.watch(listed)->events() == events{"ERROR 504"});
    CHECK(f.watch(listed + "&resourceVersion=0")->events() == events{"ADDED a", "BOOKMARK"});
}

TEST_CASE("an older server has no watch lists, and says so in Kubernetes' words") {
    fixture f(api_server_options().serve_watch_lists(false));
    f.make("a");
    const auto refused = f.watch("&sendInitialEvents=true&resourceVersionMatch=NotOlderThan&allowWatchBookmarks=true");
    CHECK(refused->head.status == 422);
    const json::value status = refused->json();
    CHECK(json::get_string(status, {"message"}) ==
          "ListOptions.meta.k8s.io \"\" is invalid: sendInitialEvents: Forbidden: sendInitialEvents is forbidden for "
          "watch "
          "unless the WatchList feature gate is enabled");
    CHECK(f.watch("&sendInitialEvents=true")->head.status == 422);
    // What it begins with by itself nothing ends.
    CHECK(f.watch("&allowWatchBookmarks=true")->events() == events{"ADDED a"});
}

TEST_CASE("selectors turn changes into comings and goings") {
    fixture f;
    const auto watch = f.watch(f.now() + "&labelSelector=app%3Dx");
    f.make("a");
    f.change("a", "y");
    f.change("a", "x");
    f.change("a", "z");
    f.remove("a");
    f.settle();
    CHECK(watch->events() == events{"ADDED a", "DELETED a", "ADDED a", "DELETED a"});
}

TEST_CASE("a write wakes only the watches that may see it") {
    fixture f;
    const auto by_app = f.watch(f.now() + "&labelSelector=app%3Dx");
    const auto by_name = f.watch(f.now() + "&fieldSelector=metadata.name%3Db");
    const auto elsewhere = f.client.start("/api/v1/namespaces/kube-system/configmaps?watch=1" + f.now());
    const auto everywhere = f.client.start("/api/v1/configmaps?watch=1" + f.now());
    f.make("a", "y");
    f.settle();
    CHECK(everywhere->events() == events{"ADDED a"});
    everywhere->go_away();
    f.settle();
    f.change("a", "z");
    f.make("c", "z");
    f.remove("c");
    CHECK(f.context.poll() == 0);  // nobody has anything to do
    f.make("b", "z");
    f.change("a", "x");
    f.change("b", "x");
    f.change("a", "y");
    f.settle();
    CHECK(by_name->events() == events{"ADDED b", "MODIFIED b"});
    CHECK(by_app->events() == events{"ADDED a", "ADDED b", "DELETED a"});
    CHECK(elsewhere->events().empty());
}

TEST_CASE("what concerns nobody is neither lost nor left out of bookmarks") {
    fixture f(api_server_options().bookmark_period(60s));
    f.server.set_history_window(1);
    const auto watch = f.watch(f.now() + "&labelSelector=app%3Dx&allowWatchBookmarks=true&timeoutSeconds=1000");
    for (const char* name : {"a", "b", "c"}) f.make(name, "y");
    f.settle();
    CHECK_FALSE(watch->done);
    f.env.advance(60s, f.context);
    CHECK(watch->events() == events{"BOOKMARK"});
    CHECK(watch->body.find("\"resourceVersion\":\"" + std::to_string(f.server.resource_version()) + "\"") !=
          std::string::npos);
    f.make("d", "x");
    f.settle();
    CHECK(watch->events() == events{"BOOKMARK", "ADDED d"});
}

TEST_CASE("watches hear of a write in the order in which they began") {
    fixture f;
    std::vector<std::shared_ptr<test::memory_responder>> watches;
    const std::string queries[] = {"&labelSelector=app%3Dx", "", "&fieldSelector=metadata.name%3Da",
                                   "&labelSelector=app%21%3Dy"};
    for (const auto& query : queries) watches.push_back(f.watch(f.now() + query));
    f.make("a");
    std::size_t heard = 0;
    while (f.context.poll_one() != 0) {
        for (std::size_t i = 0; i < watches.size(); ++i) {
            if (i < heard) CHECK_FALSE(watches[i]->events().empty());
            if (i > heard) CHECK(watches[i]->events().empty());
        }
        if (heard < watches.size() && !watches[heard]->events().empty()) ++heard;
    }
    CHECK(heard == watches.size());
}

TEST_CASE("a version that is too old gets 410 inside of a 200") {
    fixture f;
    const std::string from = f.now();
    f.make("a");
    f.make("b");
    f.server.compact(f.server.resource_version());
    const auto watch = f.watch(from);
    CHECK(watch->head.status == 200);
    CHECK(watch->events() == events{"ERROR 410"});
    CHECK(watch->done);
}

TEST_CASE("a compaction does not disturb a watch that is up to date") {
    fixture f;
    const auto watch = f.watch(f.now());
    f.make("a");
    f.settle();
    f.server.compact(f.server.resource_version());
    f.make("b");
    f.settle();
    CHECK(watch->events() == events{"ADDED a", "ADDED b"});
}

TEST_CASE("a watch that has fallen behind the history ends") {
    fixture f;
    f.server.set_history_window(1);
    const auto watch = f.watch(f.now());
    f.make("a");
    f.make("b");
    f.settle();
    CHECK(watch->done);
    CHECK(watch->events().empty());
}

TEST_CASE("bookmarks come each period and before the end; the end is on time") {
    fixture f(api_server_options().bookmark_period(60s));
    const auto watch = f.watch(f.now() + "&allowWatchBookmarks=true&timeoutSeconds=100");
    f.env.advance(59s, f.context);
    CHECK(watch->events().empty());
    f.env.advance(1s, f.context);
    CHECK(watch->events() == events{"BOOKMARK"});
    f.env.advance(38s, f.context);
    CHECK(watch->events() == events{"BOOKMARK", "BOOKMARK"});
    CHECK_FALSE(watch->done);
    f.env.advance(2s, f.context);
    CHECK(watch->done);
    CHECK_FALSE(watch->aborted);
    CHECK(watch->events().size() == 2);
}

TEST_CASE("bookmarks are for those who ask") {
    fixture f;
    const auto watch = f.watch(f.now() + "&timeoutSeconds=100");
    f.env.advance(100s, f.context);
    CHECK(watch->done);
    CHECK(watch->events().empty());
}

TEST_CASE("a watch without timeoutSeconds, or with 0, ends between one and two times the least") {
    fixture f(api_server_options().min_watch_timeout(10s));
    const auto watch = f.watch(f.now());
    const auto zero = f.watch(f.now() + "&timeoutSeconds=0");
    f.env.advance(9s, f.context);
    CHECK_FALSE(watch->done);
    CHECK_FALSE(zero->done);
    f.env.advance(11s, f.context);
    CHECK(watch->done);
    CHECK(zero->done);
}

TEST_CASE("watches that are refused") {
    fixture f;
    CHECK(f.watch("&resourceVersion=abc")->head.status == 500);
    CHECK(f.watch("&resourceVersionMatch=NotOlderThan")->head.status == 422);
    CHECK(f.watch("&sendInitialEvents=true")->head.status == 422);
    CHECK(f.watch("&timeoutSeconds=x")->head.status == 400);
    CHECK(f.client.start("/api/v1/nopes?watch=1")->head.status == 404);
}

TEST_CASE("the server ends or breaks watches") {
    fixture f;
    const auto ended = f.watch(f.now());
    f.server.end_watches();
    f.settle();
    CHECK(ended->done);
    CHECK_FALSE(ended->aborted);
    const auto broken = f.watch(f.now());
    f.server.break_watches();
    f.settle();
    CHECK(broken->done);
    CHECK(broken->aborted);
}

TEST_CASE("faults inside of a stream") {
    fixture f;
    f.make("a");
    f.make("b");
    f.make("c");
    fault next;
    f.server.set_faults([&next](const http::server_request&) { return next; });

    SUBCASE("cut after two events") {
        next.cut_after_events(2);
        const auto watch = f.watch("");
        CHECK(watch->events() == events{"ADDED a", "ADDED b"});
        CHECK(watch->aborted);
    }
    SUBCASE("cut before the first, and ended after one") {
        next.cut_after_events(0);
        CHECK(f.watch("")->aborted);
        next = fault().end_after_events(1);
        const auto ended = f.watch("");
        CHECK(ended->events() == events{"ADDED a"});
        CHECK(ended->done);
        CHECK_FALSE(ended->aborted);
    }
    SUBCASE("half an event") {
        next.truncate_event(1);
        const auto watch = f.watch("");
        CHECK(watch->events() == events{"ADDED a"});
        CHECK(watch->body.back() != '\n');
        CHECK(watch->done);
        CHECK_FALSE(watch->aborted);
    }
    SUBCASE("an event that is never sent") {
        next.lose_event(1);
        CHECK(f.watch("")->events() == events{"ADDED a", "ADDED c"});
    }
    SUBCASE("a stream that drips") {
        next.bytes_per_second(100);
        const auto watch = f.watch("");
        CHECK(watch->body.size() == 10);
        f.env.advance(std::chrono::seconds(1), f.context);
        CHECK(watch->body.size() == 110);
        f.env.advance(std::chrono::minutes(1), f.context);
        CHECK(watch->events() == events{"ADDED a", "ADDED b", "ADDED c"});
        const auto list = f.client.start("/api/v1/namespaces");
        CHECK(list->body.size() == 10);
        CHECK_FALSE(list->done);
        f.env.advance(std::chrono::minutes(1), f.context);
        CHECK(list->done);
        CHECK(list->json().is_object());
    }
    SUBCASE("garbage in between") {
        next.garbage_before_event(1);
        CHECK(f.watch("")->events() == events{"ADDED a", "garbage", "ADDED b", "ADDED c"});
    }
    SUBCASE("a huge event") {
        next.huge_before_event(0, 1'000'000);
        const auto watch = f.watch("");
        CHECK(watch->events() == events{"MODIFIED huge", "ADDED a", "ADDED b", "ADDED c"});
        CHECK(watch->body.size() > 1'000'000);
    }
    SUBCASE("an error instead of an event") {
        next.error_at_event(1, failure(500, "InternalError", "boom"));
        const auto watch = f.watch("");
        CHECK(watch->events() == events{"ADDED a", "ERROR 500"});
        CHECK(watch->done);
    }
    SUBCASE("cut after some bytes") {
        next.cut_after_bytes(40);
        const auto watch = f.watch("");
        CHECK(watch->body.size() == 40);
        CHECK(watch->aborted);
    }
}

TEST_CASE("each watch of a change gets it in its own form, and as what it is to it") {
    fixture f;
    f.make("a");
    const std::string from = f.now();
    const auto whole = f.watch(from);
    const auto coming = f.watch(from + "&labelSelector=app%3Dy");
    f.client.headers.set("Accept", "application/json;as=PartialObjectMetadata;v=v1;g=meta.k8s.io");
    const auto metadata = f.watch(from);
    f.client.headers.set("Accept", "application/json;as=Table;v=v1;g=meta.k8s.io");
    const auto table = f.watch(from);
    f.client.headers.set("Accept", "application/json");
    const auto again = f.watch(from);
    f.change("a", "y");
    f.settle();
    CHECK(whole->events() == events{"MODIFIED a"});
    CHECK(coming->events() == events{"ADDED a"});
    CHECK(whole->body.find(R"("kind":"ConfigMap")") != std::string::npos);
    CHECK(metadata->body.find(R"("kind":"PartialObjectMetadata")") != std::string::npos);
    CHECK(table->body.find(R"("kind":"Table")") != std::string::npos);
    CHECK(again->body == whole->body);
    f.change("a", "z");
    f.settle();
    CHECK(coming->events() == events{"ADDED a", "DELETED a"});
    CHECK(whole->events() == events{"MODIFIED a", "MODIFIED a"});
    CHECK(again->body == whole->body);
}

TEST_CASE("tables in a watch carry their columns once") {
    fixture f;
    f.make("a");
    f.make("b");
    f.client.headers.set("Accept", "application/json;as=Table;v=v1;g=meta.k8s.io,application/json");
    const auto watch = f.watch("");
    const std::size_t first_end = watch->body.find('\n');
    const auto one = json::parse(std::string_view(watch->body).substr(0, first_end)).value();
    const auto two = json::parse(std::string_view(watch->body).substr(first_end + 1)).value();
    CHECK(one.at("object").at("columnDefinitions").is_array());
    CHECK(two.at("object").at("columnDefinitions").is_null());
}

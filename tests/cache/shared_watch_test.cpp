// Several informers of one kind on one watch.
#include <kcontrol/cache/informer.hpp>
#include <kcontrol/codec/dynamic_object.hpp>
#include <kcontrol/codec/metadata_object.hpp>

#include "support/widget_world.hpp"

#include <doctest/doctest.h>

#include <algorithm>
#include <functional>
#include <memory>
#include <string>
#include <utility>
#include <vector>

namespace {

using namespace kcontrol;
using namespace kcontrol::test;
using namespace std::chrono_literals;

// A widget whose value is text: most widgets are no such thing.
struct worded_spec {
    text value;
    static constexpr auto kcontrol_fields() { return fields(field("value", &worded_spec::value)); }
};
struct worded_widget {
    static constexpr resource_name kcontrol_resource = widget::kcontrol_resource;
    using kcontrol_projection = void;
    object_meta metadata;
    worded_spec spec;
    static constexpr auto kcontrol_fields() { return fields(field("spec", &worded_widget::spec)); }
};

const resource_info& widget_metadata() {
    static const resource_info info = metadata_resource(resource_of<widget>().gvk, resource_of<widget>().plural);
    return info;
}
const resource_info& loose_widget() {
    static const resource_info info = dynamic_resource(resource_of<widget>().gvk, resource_of<widget>().plural);
    return info;
}

// An informer and what its handler heard.
struct listener {
    explicit listener(std::unique_ptr<any_informer> i) : watched(std::move(i)) {
        held = watched->subscribe([this](const any_event& e) {
            heard += e.type == event_type::added ? "+" : (e.type == event_type::updated ? "~" : "-");
            heard += std::string(e.object().meta().name) + " ";
            if (then) std::exchange(then, nullptr)();
        });
        held_invalid =
            watched->on_invalid([this](const invalid_object& o) { heard += "!" + std::string(o.metadata.name) + " "; });
    }
    std::string take() { return std::exchange(heard, {}); }
    any_informer* operator->() const { return watched.get(); }

    std::unique_ptr<any_informer> watched;
    subscription held, held_invalid;
    std::string heard;
    std::function<void()> then;
};

struct fixture : widget_world {
    fixture() : server(add("a")) {
        server.api.set_faults([this](const http::server_request& request) {
            if (request.target.find("widgets") == std::string::npos) return testing::fault();
            const std::string_view accept = request.headers.get("Accept");
            const bool metadata = accept.find("PartialObjectMetadata") != std::string_view::npos;
            const bool watch = request.target.find("watch=") != std::string::npos;
            asked += std::string(watch ? "watch" : "list") + (metadata ? ":metadata " : " ");
            return testing::fault();
        });
    }
    // A context that dies with coroutines suspended on their own events would leak them.
    ~fixture() {
        for (const auto& one : made) ends_within(1s, (*one)->stop());
        settle();
    }

    listener& first(const resource_info& as) {
        const logger log([this](const log_record& r) { records.push_back(std::string(r.message)); });
        auto options = informer_options().probe_period(5s).log(log);
        auto one = std::make_unique<any_informer>(env, home, connect(server.config()), as, std::move(options));
        return *made.emplace_back(std::make_unique<listener>(std::move(one)));
    }
    listener& beside(const listener& other, const resource_info& as) {
        auto one = std::make_unique<any_informer>(*other.watched, as);
        return *made.emplace_back(std::make_unique<listener>(std::move(one)));
    }
    std::string take_asked() { return std::exchange(asked, {}); }
    void settle(duration d = 1s) { context.run_for(d); }
    std::size_t told(const std::string& message) const {
        return static_cast<std::size_t>(std::count(records.begin(), records.end(), message));
    }

    widget_server& server;
    std::string asked;
    std::vector<std::string> records;
    std::vector<std::unique_ptr<listener>> made;
};

TEST_CASE_FIXTURE(fixture, "shared watch: every view is filled from the same bytes, as its own type") {
    server.create("x", 1);
    auto& full = first(resource_of<widget>());
    auto& loose = beside(full, loose_widget());
    auto& meta = beside(full, widget_metadata());
    CHECK(meta->shares_watch_with(*full.watched));
    for (const auto& one : made) (*one)->start();
    settle();
    CHECK(take_asked() == "list watch ");
    server.set_value("x", 2);
    server.create("y", 3);
    server.remove("y");
    settle();
    for (const auto& one : made) CHECK(one->take() == "+x ~x +y -y ");
    const namespaced_name x("default", "x");
    CHECK(full->objects().get(x).as<widget>()->spec.value == 2);
    CHECK(loose->objects().get(x).as<dynamic_object>()->content.get({"spec", "value"}) == 2);
    CHECK(meta->objects().get(x).as<metadata_object>()->metadata.name == "x");
    CHECK(full->objects().get(x).as<metadata_object>() == nullptr);
    CHECK_THROWS_WITH_AS(full->objects().get(x).get<dynamic_object>(), doctest::Contains("default/x"), exception);
    CHECK(take_asked().empty());
    CHECK(full->status().watches == 1);
    CHECK(told("the informer is live") == 1);
}

TEST_CASE_FIXTURE(fixture, "shared watch: it asks for metadata only as long as nobody wants more") {
    server.create("x", 1);
    auto& meta = first(widget_metadata());
    meta->start();
    settle();
    CHECK(take_asked() == "list:metadata watch:metadata ");
    CHECK(meta.take() == "+x ");

    auto& full = beside(meta, resource_of<widget>());
    server.create("y", 2);
    full->start();
    settle();
    CHECK(take_asked() == "list watch ");
    CHECK(network.open_exchanges("a") == 1);
    CHECK(meta.take() == "+y ");
    CHECK(full.take() == "+x +y ");
    CHECK(full->has_synced());
    CHECK(meta->status().state == informer_state::live);
    CHECK(meta->status().generation == 1);

    // Less is wanted again: what is known is enough to go on.
    CHECK(ends_within(1s, full->stop()));
    server.set_value("x", 5);
    settle();
    CHECK(take_asked() == "watch:metadata ");
    CHECK(meta.take() == "~x ");
    CHECK(full.take().empty());
    CHECK(full->status().state == informer_state::paused);
}

TEST_CASE_FIXTURE(fixture, "shared watch: a view that was stopped catches up, and the other hears nothing twice") {
    server.create("x", 1);
    server.create("y", 1);
    auto& full = first(resource_of<widget>());
    auto& loose = beside(full, loose_widget());
    full->start();
    loose->start();
    settle();
    CHECK(ends_within(1s, loose->stop()));
    take_asked();
    full.take();
    loose.take();
    server.set_value("x", 2);
    server.remove("y");
    settle();
    CHECK(full.take() == "~x -y ");
    CHECK(loose.take().empty());
    loose->start();
    settle();
    CHECK(loose.take() == "-y ~x ");
    CHECK(full.take().empty());
    CHECK(take_asked() == "list watch ");

    // Both stop, both start: nothing was missed that a resumed watch does not bring.
    CHECK(ends_within(1s, full->stop()));
    CHECK(network.open_exchanges("a") == 1);
    CHECK(ends_within(1s, loose->stop()));
    settle();
    CHECK(network.open_exchanges("a") == 0);
    server.set_value("x", 3);
    loose->start();
    settle();
    CHECK(loose.take() == "~x ");
    CHECK(take_asked() == "watch ");
    full->start();
    settle();
    CHECK(full.take() == "~x ");
    CHECK(loose.take().empty());
}

TEST_CASE_FIXTURE(fixture, "shared watch: what one view can't decode is invalid for that view alone") {
    server.create("x", 1);
    auto& full = first(resource_of<widget>());
    auto& worded = beside(full, resource_of<worded_widget>());
    full->start();
    worded->start();
    settle();
    CHECK(full.take() == "+x ");
    CHECK(worded.take() == "!x ");
    CHECK(full->status().invalid == 0);
    CHECK(worded->status().invalid == 1);
    server.set_value("x", 2);
    settle();
    CHECK(full.take() == "~x ");
    CHECK(worded.take() == "!x ");
    (void)server.api.patch(widgets, {"default", "x"}, {{"spec", {{"value", "two"}}}}).value();
    settle();
    CHECK(full.take() == "!x ");
    CHECK(full->objects().get({"default", "x"}).as<widget>()->spec.value == 2);
    CHECK(worded.take() == "+x ");
    CHECK(worded->objects().get({"default", "x"}).as<worded_widget>()->spec.value == "two");
    server.remove("x");
    settle();
    CHECK(full.take() == "-x ");
    CHECK(worded.take() == "-x ");
    CHECK(full->status().invalid == 0);
    CHECK(told("an object can't be decoded; what was known of it stays") == 3);
}

TEST_CASE_FIXTURE(fixture, "shared watch: what no view can decode is told in the log once") {
    (void)server.api
        .create({{"apiVersion", "test.kcontrol.dev/v1"},
                 {"kind", "Widget"},
                 {"metadata", {{"name", "x"}, {"namespace", "default"}}},
                 {"spec", 7}})
        .value();
    auto& full = first(resource_of<widget>());
    auto& worded = beside(full, resource_of<worded_widget>());
    full->start();
    worded->start();
    settle();
    CHECK(full.take() == "!x ");
    CHECK(worded.take() == "!x ");
    CHECK(told("an object can't be decoded; what was known of it stays") == 1);
}

TEST_CASE_FIXTURE(fixture, "shared watch: a handler may bring a view in, stop one and destroy one") {
    server.create("x", 1);
    auto& full = first(resource_of<widget>());
    auto& loose = beside(full, loose_widget());
    listener* meta = nullptr;
    full.then = [&] {
        meta = &beside(full, widget_metadata());
        (*meta)->start();
        loose.watched.reset();
    };
    full->start();
    loose->start();
    settle();
    REQUIRE(meta != nullptr);
    CHECK(full.take() == "+x ");
    CHECK(meta->take() == "+x ");
    CHECK(loose.take().empty());
    server.set_value("x", 2);
    settle();
    CHECK(full.take() == "~x ");
    CHECK(meta->take() == "~x ");
    CHECK(network.open_exchanges("a") == 1);
    made.erase(made.begin() + 1);
}

TEST_CASE_FIXTURE(fixture, "shared watch: a parent's stop ends one view, and the watch with the last") {
    std::stop_source one, two;
    auto& full = first(resource_of<widget>());
    auto& loose = beside(full, loose_widget());
    full->start(one.get_token());
    loose->start(two.get_token());
    settle();
    one.request_stop();
    settle();
    CHECK(full->status().state == informer_state::paused);
    CHECK(loose->status().state == informer_state::live);
    CHECK(network.open_exchanges("a") == 1);
    two.request_stop();
    settle();
    CHECK(loose->status().state == informer_state::paused);
    CHECK(network.open_exchanges("a") == 0);
}

TEST_CASE_FIXTURE(fixture, "shared watch: a kind that vanishes vanishes from every view") {
    server.create("x", 1);
    auto& full = first(resource_of<widget>());
    auto& loose = beside(full, loose_widget());
    full->start();
    loose->start();
    settle();
    server.api.remove_resource(widgets);
    settle(40s);
    CHECK(full.take() == "+x -x ");
    CHECK(loose.take() == "+x -x ");
    CHECK(loose->status().state == informer_state::not_installed);
    CHECK_FALSE(loose->has_synced());
}

TEST_CASE("shared watch: a view that joins at any step, and one that leaves, cost the others nothing") {
    for (int step = 0; step < 60; ++step) {
        CAPTURE(step);
        fixture f;
        for (int i = 0; i < 3; ++i) f.server.create("w" + std::to_string(i), i);
        auto& meta = f.first(widget_metadata());
        auto& full = f.beside(meta, resource_of<widget>());
        auto& loose = f.beside(meta, loose_widget());
        meta->start();
        loose->start();
        f.settle(step * 500us);
        full->start();
        f.server.set_value("w1", 7);
        f.settle(step * 300us);
        CHECK(f.ends_within(1s, loose->stop()));
        f.server.remove("w2");
        f.settle();
        for (const auto* one : {&meta, &full}) {
            CHECK((*one)->objects().size() == 2);
            CHECK((*one)->status().state == informer_state::live);
            CHECK(one->heard.find("+w0", one->heard.find("+w0") + 1) == std::string::npos);
        }
        CHECK(full->objects().get({"default", "w1"}).as<widget>()->spec.value == 7);
        CHECK(f.network.open_exchanges("a") == 1);
        for (const auto& one : f.made) CHECK(f.ends_within(1s, (*one)->stop()));
        f.settle(10ms);
        CHECK(f.network.open_exchanges("a") == 0);
    }
}

}  // namespace

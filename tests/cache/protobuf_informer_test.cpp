// Informers that speak Protocol Buffers beside informers that speak JSON, before the same server: whatever happens,
// they hold the same and tell the same.
#include <kcontrol/api/core/v1.hpp>
#include <kcontrol/api/protobuf.hpp>
#include <kcontrol/cache/informer.hpp>
#include <kcontrol/client/protobuf_encoding.hpp>
#include <kcontrol/codec/codec.hpp>
#include <kcontrol/codec/metadata_object.hpp>
#include <kcontrol/codec/protobuf.hpp>
#include <kcontrol/codec/protobuf_stream.hpp>
#include <kcontrol/documents/value.hpp>
#include <kcontrol/testing/manual_environment.hpp>
#include <kcontrol/testing/sim_world.hpp>

#include <doctest/doctest.h>

#include <memory>
#include <random>
#include <string>
#include <utility>
#include <vector>

namespace {

using namespace kcontrol;
using namespace std::chrono_literals;
using api::core::v1::pod;

// What most controllers declare.
struct seen_spec {
    text node_name;
    std::optional<std::int64_t> deadline;
    static constexpr auto kcontrol_fields() {
        return fields(field("nodeName", &seen_spec::node_name), field("activeDeadlineSeconds", &seen_spec::deadline));
    }
};
struct seen_pod {
    using kcontrol_projection = void;
    static constexpr resource_name kcontrol_resource{"", "v1", "Pod", "pods"};
    object_meta metadata;
    seen_spec spec;
    static constexpr auto kcontrol_fields() { return fields(field("spec", &seen_pod::spec)); }
};

const testing::group_resource pods{"", "pods"};

// One informer, what it told, and what it holds.
template <class T>
class watcher {
public:
    watcher(testing::sim_world& world, client from, informer_options options)
        : watched_(world.env(), world.get_executor(), std::move(from), options), world_(world) {
        held_ = watched_.subscribe([this](const any_event& e) {
            told += e.type == event_type::added ? "+" : e.type == event_type::updated ? "~" : "-";
            told += std::string(e.object().meta().name) + "@" + std::string(e.object().meta().resource_version) + " ";
        });
        watched_.start();
    }
    ~watcher() { world_.ends_within(1s, watched_.stop()); }

    std::string holds() const {
        std::string out;
        for (const auto& one : watched_.list()) out += to_json(*one) + "\n";
        return out;
    }
    informer_status status() const { return watched_.status(); }

    std::string told;

private:
    informer<T> watched_;
    testing::sim_world& world_;
    subscription held_;
};

class stage {
public:
    explicit stage(std::uint64_t seed, testing::api_server_options options = {})
        : world(seed), cluster(world.add_server("cluster", options.bookmark_period(20s))), random(seed) {}

    client connect(bool in_protobuf) {
        const client made =
            client::connect(world.env(), world.get_executor(), cluster.config(), world.network().factory()).value();
        return in_protobuf ? made.with(client_options().encoding(protobuf_encoding())) : made;
    }

    std::uint64_t below(std::uint64_t limit) { return random() % limit; }

    void create(const std::string& name) {
        (void)api.create(
            {{"apiVersion", "v1"},
             {"kind", "Pod"},
             {"metadata", {{"name", name}, {"namespace", "default"}, {"labels", {{"app", "web-" + name}}}}},
             {"spec", {{"containers", json::array{json::value{{"name", "main"}, {"image", "example.org/web:1"}}}}}}});
    }
    void step() {
        const std::string name = "p" + std::to_string(below(8));
        switch (below(10)) {
        case 0:
        case 1:
        case 2: create(name); break;
        case 3:
        case 4:
        case 5:
        case 6:
            (void)api.patch(pods, {"default", name},
                            {{"metadata", {{"labels", {{"turn", std::to_string(below(1000))}}}}},
                             {"spec", {{"activeDeadlineSeconds", 1 + static_cast<std::int64_t>(below(9))}}}});
            break;
        case 7: (void)api.remove(pods, {"default", name}); break;
        case 8: world.network().break_connections("cluster"); break;
        case 9:
            world.network().set_link("cluster", testing::link_state::refused);
            world.network().break_connections("cluster");
            create(name);
            if (below(2) == 0) api.compact(api.resource_version());  // what follows is a list
            world.network().set_link("cluster", testing::link_state::up);
            break;
        default: break;
        }
        if (below(3) == 0) world.run_for(std::chrono::milliseconds(below(5000)));
    }

    testing::sim_world world;
    testing::sim_server& cluster;
    testing::api_server& api = cluster.api();
    std::mt19937_64 random;
};

template <class T>
void compare(std::uint64_t seed, const informer_options& options, bool breaks) {
    stage s(seed);
    for (int i = 0; i < 4; ++i) s.create("p" + std::to_string(i));
    watcher<T> as_json(s.world, s.connect(false), options);
    watcher<T> as_protobuf(s.world, s.connect(true), options);
    s.world.run_for(5s);
    for (int i = 0; i < 60; ++i) {
        if (breaks) {
            s.step();
        } else {
            s.create("p" + std::to_string(i % 7));
            (void)s.api.patch(pods, {"default", "p" + std::to_string(i % 5)},
                              {{"metadata", {{"labels", {{"turn", std::to_string(i)}}}}}});
            if (i % 3 == 0) (void)s.api.remove(pods, {"default", "p" + std::to_string(i % 7)});
        }
    }
    s.world.run_for(120s);
    INFO("seed ", seed);
    CHECK(as_json.status().state == informer_state::live);
    CHECK(as_protobuf.status().state == informer_state::live);
    CHECK(as_protobuf.holds() == as_json.holds());
    CHECK_FALSE(as_protobuf.holds().empty());
    if (!breaks) CHECK(as_protobuf.told == as_json.told);
    // The same bytes would have been JSON.
    CHECK(as_protobuf.status().list_bytes < as_json.status().list_bytes);
}

}  // namespace

TEST_CASE("protobuf informer: it tells what one in JSON tells") {
    for (const auto how : {list_streaming::on, list_streaming::off}) {
        const auto options = informer_options().streaming(how);
        compare<pod>(1, options, false);
        compare<seen_pod>(2, options, false);
    }
}

TEST_CASE("protobuf informer: after broken connections and relists it holds the same") {
    for (std::uint64_t seed = 1; seed <= 10; ++seed) {
        const auto how = seed % 2 == 0 ? list_streaming::on : list_streaming::off;
        compare<pod>(seed, informer_options().streaming(how).page_size(3), true);
        compare<seen_pod>(seed, informer_options().streaming(how), true);
    }
}

TEST_CASE("protobuf informer: two views of one watch, of which one wants the metadata") {
    stage s(5);
    s.create("a");
    informer<pod> whole(s.world.env(), s.world.get_executor(), s.connect(true));
    informer<seen_pod> seen(whole);
    whole.start();
    seen.start();
    s.world.run_for(5s);
    s.create("b");
    s.world.run_for(5s);
    CHECK(whole.list().size() == 2);
    CHECK(seen.list().size() == 2);
    s.world.ends_within(1s, whole.stop());
    s.world.ends_within(1s, seen.stop());
}

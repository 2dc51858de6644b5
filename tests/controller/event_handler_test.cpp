// From events to requests.
#include <kcontrol/controller/event_handler.hpp>
#include <kcontrol/testing/fake_source.hpp>

#include "support/thing.hpp"

#include <doctest/doctest.h>

#include <string>
#include <utility>
#include <vector>

using namespace kcontrol;
using namespace kcontrol::test;
using kcontrol::testing::added;
using kcontrol::testing::deleted;
using kcontrol::testing::updated;

namespace {

class recording_sink final : public request_sink<request> {
public:
    std::string text;

protected:
    void enqueue(request req, const add_options&) override { text += to_string(req) + " "; }
};

std::string requests(const event_handler<request>& handler, const any_event& e) {
    recording_sink sink;
    handler(e, sink);
    return sink.text;
}

any_object owned(const std::vector<owner_reference>& owners) {
    thing t;
    t.metadata.namespace_ = "ns";
    t.metadata.name = "child";
    t.metadata.owner_references = owners;
    return any_object(std::make_shared<const thing>(t));
}

owner_reference reference(std::string version, std::string kind, std::string name, bool controller) {
    owner_reference out;
    out.api_version = std::move(version);
    out.kind = std::move(kind);
    out.name = std::move(name);
    out.controller = controller;
    return out;
}

}  // namespace

TEST_CASE("enqueue_for_object takes the object, the last known one of a deletion") {
    const auto a = make_thing("a", "1");
    const auto a2 = make_thing("a", "2");
    CHECK(requests(enqueue_for_object, added(a)) == "ns/a ");
    CHECK(requests(enqueue_for_object, updated(a, a2)) == "ns/a ");
    CHECK(requests(enqueue_for_object, deleted(a)) == "ns/a ");
    CHECK(requests(enqueue_for_object, any_event()) == "");
}

TEST_CASE("enqueue_for_owner: group and kind count, the version does not") {
    const group_version_kind job("batch", "v1", "Job");
    const auto handler = enqueue_for_owner(job, resource_scope::namespaced);
    const auto child = owned({reference("batch/v1beta1", "Job", "a", true), reference("apps/v1", "Job", "b", true),
                              reference("batch/v1", "CronJob", "c", true), reference("v1", "Job", "d", true)});
    CHECK(requests(handler, added(child)) == "ns/a ");
    CHECK(requests(handler, deleted(child)) == "ns/a ");
}

TEST_CASE("enqueue_for_owner: controllers only, unless every owner counts") {
    const group_version_kind job("batch", "v1", "Job");
    const auto child = owned({reference("batch/v1", "Job", "a", false), reference("batch/v1", "Job", "b", true)});
    CHECK(requests(enqueue_for_owner(job, resource_scope::namespaced), added(child)) == "ns/b ");
    CHECK(requests(enqueue_for_owner(job, resource_scope::namespaced, owner_match::any), added(child)) == "ns/a ns/b ");
}

TEST_CASE("enqueue_for_owner: cluster-scoped owners have no namespace; the core group is empty") {
    const group_version_kind node("", "v1", "Node");
    const auto child = owned({reference("v1", "Node", "n1", true)});
    CHECK(requests(enqueue_for_owner(node, resource_scope::cluster), added(child)) == "n1 ");
}

TEST_CASE("enqueue_for_owner: an update tells the owner that lost the object, too") {
    const group_version_kind job("batch", "v1", "Job");
    const auto handler = enqueue_for_owner(job, resource_scope::namespaced);
    const auto before = owned({reference("batch/v1", "Job", "a", true)});
    const auto after = owned({reference("batch/v1", "Job", "b", true)});
    CHECK(requests(handler, updated(before, after)) == "ns/a ns/b ");
    CHECK(requests(handler, updated(after, after)) == "ns/b ");
}

TEST_CASE("enqueue_mapped: a request or many, of the old and of the new object") {
    const auto one = enqueue_mapped<thing>([](const thing& t) { return request("colors", t.color); });
    const auto many = enqueue_mapped<thing>([](const thing& t) {
        return std::vector<namespaced_name>{namespaced_name("x", t.color), namespaced_name("y", t.color)};
    });
    const auto red = make_thing("a", "1", "red");
    const auto blue = make_thing("a", "2", "blue");
    CHECK(requests(one, added(red)) == "colors/red ");
    CHECK(requests(one, updated(red, blue)) == "colors/red colors/blue ");
    CHECK(requests(many, deleted(red)) == "x/red y/red ");
}

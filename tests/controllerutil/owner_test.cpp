#include <kcontrol/controllerutil/owner.hpp>

#include "fixture.hpp"

using namespace kcontrol;
using namespace kcontrol::test;

namespace {

site an_owner(std::string name = "web", std::string uid = "u1") {
    site out = named<site>(std::move(name));
    out.metadata.uid = std::move(uid);
    return out;
}

}  // namespace

TEST_CASE("a controller reference is set once") {
    part p = named<part>("p");
    const site owner = an_owner();
    REQUIRE(set_controller_reference(owner, p).has_value());
    const list<owner_reference> once = p.metadata.owner_references;
    REQUIRE(once.size() == 1);
    CHECK(once[0].api_version == "test.kcontrol.dev/v1");
    CHECK(once[0].kind == "Site");
    CHECK(once[0].name == "web");
    CHECK(once[0].uid == "u1");
    CHECK(once[0].controller == true);
    CHECK(once[0].block_owner_deletion == true);
    CHECK(set_controller_reference(owner, p).has_value());
    CHECK(set_owner_reference(owner, p).has_value());
    CHECK(p.metadata.owner_references == once);
    CHECK(is_owned_by(p.metadata, owner.metadata));
    CHECK(is_controlled_by(p.metadata, owner.metadata));
}

TEST_CASE("an owner beside the controller") {
    part p = named<part>("p");
    REQUIRE(set_controller_reference(an_owner(), p).has_value());
    const site other = an_owner("other", "u2");
    REQUIRE(set_owner_reference(other, p).has_value());
    REQUIRE(p.metadata.owner_references.size() == 2);
    CHECK(!p.metadata.owner_references[1].controller.has_value());
    CHECK(is_owned_by(p.metadata, other.metadata));
    CHECK(!is_controlled_by(p.metadata, other.metadata));
    CHECK(!is_owned_by(p.metadata, object_meta()));
    CHECK(!is_controlled_by(p.metadata, object_meta()));
}

TEST_CASE("an older version of the owner's kind and an owner that was made anew are the same owner") {
    part p = named<part>("p");
    owner_reference old;
    old.api_version = "test.kcontrol.dev/v1alpha1";
    old.kind = "Site";
    old.name = "web";
    old.uid = "u0";
    old.controller = true;
    p.metadata.owner_references.push_back(old);
    REQUIRE(set_controller_reference(an_owner(), p).has_value());
    REQUIRE(p.metadata.owner_references.size() == 1);
    CHECK(p.metadata.owner_references[0].uid == "u1");
    CHECK(p.metadata.owner_references[0].api_version == "test.kcontrol.dev/v1");
    // Of another group it is another one.
    p.metadata.owner_references[0].api_version = "other.dev/v1";
    CHECK(!set_controller_reference(an_owner(), p).has_value());
}

TEST_CASE("what can't belong to an owner") {
    struct row {
        const char* what;
        std::function<void(site&, part&)> change;
        const char* message;
    };
    const row table[] = {
        {"second controller", [](site&, part& p) { (void)set_controller_reference(an_owner("first", "u0"), p); },
         "Part default/p can't belong to Site default/web: it has a controller already, Site first, and an object has "
         "one; choose another name, or let that one go first"},
        {"another namespace", [](site&, part& p) { p.metadata.namespace_ = "other"; },
         "Part other/p can't belong to Site default/web: it is in another namespace; owners and dependents are in the "
         "same one"},
        {"no namespace", [](site&, part& p) { p.metadata.namespace_ = ""; },
         "Part p can't belong to Site default/web: it has no metadata.namespace; set it to that of the owner"},
        {"no uid", [](site& s, part&) { s.metadata.uid = ""; },
         "Part default/p can't belong to Site default/web: the owner has no metadata.name or metadata.uid; take the "
         "object that a server returned"},
    };
    for (const auto& r : table) {
        CAPTURE(r.what);
        site owner = an_owner();
        part p = named<part>("p");
        r.change(owner, p);
        const part before = p;
        const auto refused = set_controller_reference(owner, p);
        REQUIRE(!refused.has_value());
        CHECK(refused.error() == errc::invalid_argument);
        CHECK(refused.error().message() == r.message);
        CHECK(p.metadata == before.metadata);
    }
    // The compiler refuses it for typed objects.
    zone z = named<zone>("z", "");
    const auto refused =
        set_controller_reference(resource_of<site>(), an_owner().metadata, resource_of<zone>(), z.metadata);
    CHECK(refused.error().message().find("Zone z can't belong to Site default/web: it is cluster-scoped") == 0);
    CHECK(!set_owner_reference(resource_of<site>(), an_owner().metadata, resource_of<zone>(), z.metadata).has_value());
    // A cluster-scoped owner has dependents anywhere.
    zone owner = named<zone>("z", "");
    owner.metadata.uid = "u";
    part p = named<part>("p", "anywhere");
    CHECK(set_controller_reference(owner, p).has_value());
    zone below = named<zone>("below", "");
    CHECK(set_controller_reference(owner, below).has_value());
}

TEST_CASE_FIXTURE(world_fixture, "prune deletes what the owner controls and nobody wants, and nothing else") {
    const site owner = create_site();
    const site other = create_site("other");
    const auto add = [&](const std::string& name, const site* of, const char* app = "x") {
        part p = named<part>(name);
        p.metadata.labels["app"] = app;
        if (of != nullptr) REQUIRE(set_controller_reference(*of, p).has_value());
        REQUIRE(world.run(c.create(p)).has_value());
    };
    add("kept", &owner);
    add("gone-1", &owner);
    add("gone-2", &owner);
    add("others", &other);
    add("nobodys", nullptr);
    add("elsewhere", &owner, "y");
    const auto keys = [&] {
        std::string out;
        for (const auto& p : server.api().list({"test.kcontrol.dev", "parts"})) {
            out += std::string(json::get_string(p, {"metadata", "name"})) + " ";
        }
        return out;
    };
    const std::vector<namespaced_name> wanted{{"default", "kept"}};
    const auto removed = world.run(prune<part>(c, owner, wanted, list_options().label_selector("app=x")));
    REQUIRE(removed.has_value());
    CHECK(*removed == std::vector<namespaced_name>{{"default", "gone-1"}, {"default", "gone-2"}});
    CHECK(keys() == "elsewhere kept nobodys others ");
    const auto again = world.run(prune<part>(c, owner, wanted, list_options().label_selector("app=x")));
    CHECK(again.value().empty());
    CHECK(asked("delete") == 2);
    CHECK(world.run(prune<part>(c, owner, wanted)).value().size() == 1);
    CHECK(keys() == "kept nobodys others ");
    CHECK(world.run(prune<part>(c, named<site>("unread"), wanted)).error() == errc::invalid_argument);
}

TEST_CASE_FIXTURE(world_fixture, "prune deletes what it has seen: a dependent that changes meanwhile is a conflict") {
    const site owner = create_site();
    part p = named<part>("p");
    REQUIRE(set_controller_reference(owner, p).has_value());
    REQUIRE(world.run(c.create(p)).has_value());
    server.api().set_faults([&](const http::server_request& r) {
        // Between the list and the deletion somebody else takes it over.
        const json::object patch{{"metadata", {{"ownerReferences", nullptr}}}};
        if (r.method == "DELETE") {
            (void)server.api().patch({"test.kcontrol.dev", "parts"}, {"default", "p"}, patch).value();
        }
        return testing::fault();
    });
    CHECK(world.run(prune<part>(c, owner, {})).error() == condition::conflict);
    CHECK(world.run(prune<part>(c, owner, {})).value().empty());
    CHECK(server.api().get({"test.kcontrol.dev", "parts"}, {"default", "p"}).has_value());
}

TEST_CASE_FIXTURE(world_fixture, "apply_owned: a dependent of the owner's name, with it as controller") {
    const site owner = create_site();
    part wanted;
    wanted.spec.image = "a";
    const apply_options by = apply_options("test");
    const part first = world.run(apply_owned(c, owner, wanted, by)).value();
    CHECK(first.metadata.name == "web");
    CHECK(first.metadata.namespace_ == "default");
    CHECK(is_controlled_by(first.metadata, owner.metadata));
    CHECK(world.run(apply_owned(c, owner, wanted, by)).value().metadata.resource_version ==
          first.metadata.resource_version);
    wanted.metadata.name = "another";
    CHECK(world.run(apply_owned(c, owner, wanted, by)).value().metadata.name == "another");
    wanted.metadata.namespace_ = "elsewhere";
    CHECK(world.run(apply_owned(c, owner, wanted, by)).error() == errc::invalid_argument);
}

TEST_CASE_FIXTURE(world_fixture, "create_owned: made once, and who is there already is told from who was made") {
    const site owner = create_site();
    part wanted;
    wanted.spec.image = "a";
    CHECK(world.run(create_owned(c, owner, wanted, write_options())).value());
    const part made = world.run(c.get<part>({"default", "web"})).value();
    CHECK(is_controlled_by(made.metadata, owner.metadata));
    wanted.spec.image = "b";
    CHECK_FALSE(world.run(create_owned(c, owner, wanted, write_options())).value());
    CHECK(world.run(c.get<part>({"default", "web"}))->spec.image == "a");
    wanted.metadata.namespace_ = "elsewhere";
    CHECK(world.run(create_owned(c, owner, wanted, write_options())).error() == errc::invalid_argument);
    server.api().set_faults([](const http::server_request&) {
        testing::fault out;
        out.status(500, "InternalError", "the test says so");
        return out;
    });
    wanted.metadata.namespace_ = "default";
    CHECK_FALSE(world.run(create_owned(c, owner, wanted, write_options())).has_value());
}

TEST_CASE_FIXTURE(world_fixture, "delete_by_uid: that object, and no other one of its name") {
    const part made = world.run(c.create(named<part>("p"))).value();
    const namespaced_name key("default", "p");
    CHECK(world.run(delete_by_uid<part>(c, key, "another", delete_options())).has_value());
    CHECK(world.run(c.get<part>(key)).has_value());
    CHECK(world.run(delete_by_uid<part>(c, key, "", delete_options())).error() == errc::invalid_argument);
    CHECK(world.run(c.get<part>(key)).has_value());
    CHECK(world.run(delete_by_uid<part>(c, key, made.metadata.uid, delete_options())).has_value());
    CHECK(world.run(c.get<part>(key)).error() == api_errc::not_found);
    CHECK(world.run(delete_by_uid<part>(c, key, made.metadata.uid, delete_options())).has_value());
}

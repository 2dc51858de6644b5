#include <kcontrol/controllerutil/owner.hpp>
#include <kcontrol/controllerutil/owner_references.hpp>

#include "fixture.hpp"

using namespace kcontrol;
using namespace kcontrol::test;

namespace {

site owner_of(std::string name, std::string uid) {
    site out = named<site>(std::move(name));
    out.metadata.uid = std::move(uid);
    return out;
}

}  // namespace

TEST_CASE("an owner reference is found and removed by group, kind and name") {
    const site web = owner_of("web", "u1"), other = owner_of("other", "u2");
    part p = named<part>("p");
    CHECK(!has_owner_reference(web, p));
    CHECK(!remove_owner_reference(web, p));
    REQUIRE(set_controller_reference(web, p).has_value());
    REQUIRE(set_owner_reference(other, p).has_value());
    CHECK(has_owner_reference(web, p));
    // One that was recreated, in another version of its kind, is meant, too.
    p.metadata.owner_references[0].api_version = "test.kcontrol.dev/v1alpha1";
    const site anew = owner_of("web", "u3");
    CHECK(has_owner_reference(anew, p));
    CHECK(!is_owned_by(p.metadata, anew.metadata));
    CHECK(!has_owner_reference(owner_of("third", "u1"), p));
    // Another group or kind of that name is another object.
    resource_info of_other_group = resource_of<site>();
    of_other_group.gvk.group = "other.kcontrol.dev";
    CHECK(!has_owner_reference(of_other_group, web.metadata, p.metadata));
    CHECK(!remove_owner_reference(resource_of<part>(), web.metadata, p.metadata));

    CHECK(remove_owner_reference(anew, p));
    REQUIRE(p.metadata.owner_references.size() == 1);
    CHECK(p.metadata.owner_references[0].name == "other");
    CHECK(!remove_owner_reference(anew, p));
    CHECK(remove_owner_reference(other, p));
    CHECK(p.metadata.owner_references.empty());
}

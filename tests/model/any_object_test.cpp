// An object knows what it is.
#include <kcontrol/model/any_object.hpp>

#include "model/pod.hpp"

#include <doctest/doctest.h>

#include <memory>

namespace {

using namespace kcontrol;

// No field list: its type is known all the same.
struct plain {
    object_meta metadata;
};

TEST_CASE("any_object: as() and get() are right or refused, never undefined") {
    auto one = std::make_shared<plain>();
    one->metadata.namespace_ = "ns";
    one->metadata.name = "x";
    const any_object object{std::shared_ptr<const plain>(one)};
    CHECK(object.is<plain>());
    CHECK(object.as<plain>().get() == one.get());
    CHECK(&object.get<plain>() == one.get());
    CHECK_FALSE(object.is<kcontrol_test::pod>());
    CHECK(object.as<kcontrol_test::pod>() == nullptr);
    CHECK_THROWS_WITH_AS((void)object.get<kcontrol_test::pod>(), doctest::Contains("ns/x"), exception);

    const any_object empty;
    CHECK_FALSE(empty.is<plain>());
    CHECK(empty.as<plain>() == nullptr);
    CHECK_THROWS_AS((void)empty.get<plain>(), exception);

    const any_object of_null{std::shared_ptr<const plain>()};
    CHECK_FALSE(of_null);
    CHECK(of_null == empty);
    CHECK_FALSE(of_null.is<plain>());
    CHECK_THROWS_AS((void)of_null.get<plain>(), exception);

    const any_object described{std::make_shared<const kcontrol_test::pod>()};
    CHECK(described.is(describe<kcontrol_test::pod>()));
    CHECK_FALSE(object.is(describe<kcontrol_test::pod>()));
}

}  // namespace

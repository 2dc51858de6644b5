// A custom_codec that throws: its object does not decode, and says why.
#include <kcontrol/codec/resource_of.hpp>
#include <kcontrol/json/writer.hpp>

#include "support/throws.hpp"

#include <doctest/doctest.h>

#include <new>
#include <string>

namespace kcontrol {
namespace {

struct shaky {
    std::int64_t value = 0;
    bool operator==(const shaky&) const = default;
};

struct gauge {
    static constexpr resource_name kcontrol_resource{"test.kcontrol.dev", "v1", "Gauge", "gauges"};
    object_meta metadata;
    shaky reading;
    static constexpr auto kcontrol_fields() { return fields(field("reading", &gauge::reading)); }
};

}  // namespace

template <>
struct custom_codec<shaky> {
    static result<void> decode(json::node from, shaky& to) {
        to.value = static_cast<std::int64_t>(from.to_json().size());
        if (to.value == 1) test::throw_it(test::thrown::runtime_error);
        if (to.value == 2) test::throw_it(test::thrown::an_int);
        if (to.value == 3) throw std::bad_alloc();
        return {};
    }
    static void encode(const shaky& from, json::writer& to) { to.value(from.value); }
    static bool empty(const shaky&) { return false; }
};

}  // namespace kcontrol

using namespace kcontrol;

TEST_CASE("a custom_codec that throws is an object that does not decode; lack of memory is not the object's fault") {
    const auto decode = [](const std::string& reading) {
        return resource_of<gauge>().decode_text(R"({"apiVersion":"test.kcontrol.dev/v1","kind":"Gauge","metadata":)"
                                                R"({"name":"a"},"reading":)" +
                                                reading + "}");
    };
    const auto by_exception = decode("1");
    REQUIRE_FALSE(by_exception);
    CHECK(by_exception.error() == errc::decode_failed);
    CHECK(by_exception.error().what() == "reading: its custom_codec threw: boom");
    const auto by_int = decode("12");
    REQUIRE_FALSE(by_int);
    CHECK(by_int.error().what() == "reading: its custom_codec threw: an exception that is no std::exception");
    CHECK_THROWS_AS((void)decode("123"), std::bad_alloc);
    CHECK(decode("1234"));
}

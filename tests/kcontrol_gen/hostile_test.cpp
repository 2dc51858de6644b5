// A schema is data: nothing in it becomes code, whatever it says.
#include "support.hpp"

#include <doctest/doctest.h>

#include <kcontrol_gen/naming.hpp>

using namespace kcontrol_gen;
using namespace kcontrol_test;

namespace {

/// What is left of the header when literals and the structure that the generator writes are taken out.
bool has_only_plain_characters(const std::string& text) {
    for (const char c : text) {
        if (c != '\n' && (static_cast<unsigned char>(c) < 0x20 || static_cast<unsigned char>(c) >= 0x7f)) return false;
    }
    return true;
}

}  // namespace

TEST_CASE("hostile member names become harmless identifiers and escaped literals") {
    const auto header = header_of_spec(
        R"y("\"); system(\"x\"); //": {type: string}, "a\nb\\": {type: string}, "??/": {type: boolean},
            "*/ int x;": {type: string}, "default": {type: string}, "日本": {type: string}, "": {type: string},
            "podIP": {type: string}, "pod_ip": {type: string}, "pod-ip": {type: string}, "#include <x>": {type: string})y");
    CAPTURE(header);
    CHECK(has_only_plain_characters(header));
    CHECK(contains(header, R"("\"); system(\"x\"); //", system_x))"));
    CHECK(contains(header, R"("a\012b\\")"));
    CHECK(contains(header, R"("\077\077/")"));
    CHECK(contains(header, "\"\\346\\227\\245\\346\\234\\254\", x_2)"));
    CHECK(contains(header, ", pod_ip)"));
    CHECK(contains(header, ", pod_ip_2)"));
    CHECK(contains(header, ", pod_ip_3)"));
    CHECK(contains(header, ", default_)"));
    CHECK(contains(header, "\"#include <x>\", include_x)"));
    CHECK_FALSE(contains(header, "\n#include <x>"));
}

TEST_CASE("hostile kinds, groups and values") {
    auto text = widget_crd("mode: {type: string, enum: [\"a\\nint evil;\", B]}, weird: {description: \"*/ evil();\"}");
    const auto replace = [&](const std::string& what, const std::string& by) {
        text.replace(text.find(what), what.size(), by);
    };
    replace("group: example.com", R"(group: "g\"; int evil; //\n int evil2;")");
    replace("kind: Widget,", R"(kind: "A\n{}; int evil3;",)");
    replace("name: v1", R"(name: "v1 { int evil4; ")");
    const auto header = header_of(text);
    CAPTURE(header);
    CHECK(has_only_plain_characters(header));
    CHECK_FALSE(contains(header, "\nint evil"));
    CHECK_FALSE(contains(header, "\n int evil"));
    CHECK(contains(header, "struct a_int_evil3 {"));
    CHECK(contains(header, "namespace v1_int_evil4 {"));
    // Each line that has the hostile text has it in a literal.
    CHECK(contains(header,
                   R"({"g\"; int evil; //\012 int evil2;", "v1 { int evil4; ", "A\012{}; int evil3;", "widgets"})"));
}

TEST_CASE("members and types of one name live together") {
    const auto header = header_of_spec(
        "resources: {type: object, properties: {resources: {type: string}, x: {type: integer}}}, "
        "list: {type: array, items: {type: object, properties: {list: {type: array, items: {type: string}}}}}, "
        "metadata: {type: object, properties: {std: {type: string}, kcontrol: {type: string}}}");
    CAPTURE(header);
    CHECK(contains(header, "<::ns::v1::resources> resources;"));
    CHECK(contains(header, "operator==(const ::ns::v1::resources&) const"));
    CHECK(contains(header, " std_;"));
    CHECK(contains(header, " kcontrol_;"));
}

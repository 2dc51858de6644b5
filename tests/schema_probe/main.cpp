// For tests/e2e/test_schema.py: what the library makes of the widget, so that a real API server can be asked the same.
//     schema_probe crd        prints the CustomResourceDefinition
//     schema_probe validate   reads one object a line, prints the causes it finds as one line of JSON
#include <kcontrol/json/writer.hpp>
#include <kcontrol/schema/validate.hpp>

#include "model/widget.hpp"

#include <iostream>

using namespace kcontrol;
using namespace kcontrol_test;

namespace {

std::string to_causes(const field_errors& errors) {
    json::writer out;
    out.begin_array();
    for (const field_error& e : errors) {
        out.begin_object();
        out.member("reason", e.reason());
        out.member("message", e.body());
        out.member("field", e.path);
        out.end_object();
    }
    out.end_array();
    return out.take();
}

}  // namespace

int main(int count, char** arguments) {
    const std::string_view what = count == 2 ? arguments[1] : "";
    if (what == "crd") {
        const auto made = crd_of<widget, widget_v1beta1>();
        if (!made) return std::cerr << made.error().what() << '\n', 1;
        std::cout << made->to_json() << '\n';
        return 0;
    }
    if (what != "validate") return std::cerr << "usage: schema_probe crd|validate\n", 2;
    for (std::string line; std::getline(std::cin, line);) {
        const auto errors = validate_json<widget>(line);
        if (!errors) return std::cerr << errors.error().what() << '\n', 1;
        std::cout << to_causes(*errors) << '\n';
    }
    return 0;
}

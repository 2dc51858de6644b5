// For tests/e2e/test_schema.py: what the library makes of the widget, so that a real API server can be asked the same.
//     schema_probe crd        prints the CustomResourceDefinition
//     schema_probe validate   reads one object a line, prints the causes it finds as one line of JSON
//     schema_probe condition NAME TYPE STATUS    prints a widget of that name with one condition in its status
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

std::string with_condition(const char* name, const char* type, const char* status) {
    widget out;
    out.metadata.name = name;
    auto& one = out.status.emplace().conditions.emplace_back();
    one.type = type;
    one.status = status;
    one.reason = "Tested";
    one.last_transition_time = timestamp(wall_time(std::chrono::seconds(1'700'000'000)));
    return to_json(out);
}

}  // namespace

int main(int count, char** arguments) {
    const std::string_view what = count == 2 || count == 5 ? arguments[1] : "";
    if (what == "crd") {
        const auto made = crd_of<widget, widget_v1beta1>();
        if (!made) return std::cerr << made.error().what() << '\n', 1;
        std::cout << made->to_json() << '\n';
        return 0;
    }
    if (what == "condition" && count == 5) {
        std::cout << with_condition(arguments[2], arguments[3], arguments[4]) << '\n';
        return 0;
    }
    if (what != "validate") return std::cerr << "usage: schema_probe crd|validate|condition NAME TYPE STATUS\n", 2;
    for (std::string line; std::getline(std::cin, line);) {
        const auto errors = validate_json<widget>(line);
        if (!errors) return std::cerr << errors.error().what() << '\n', 1;
        std::cout << to_causes(*errors) << '\n';
    }
    return 0;
}

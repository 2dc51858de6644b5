// Something to look at for the test of the debugger's pretty-printers.
#include <kcontrol/values/boxed.hpp>
#include <kcontrol/values/dict.hpp>
#include <kcontrol/values/nullable.hpp>
#include <kcontrol/values/timestamp.hpp>

namespace {

struct part {
    kcontrol::text name;
    int number = 0;
};

struct object {
    kcontrol::text inside, outside, none;
    kcontrol::list<part> parts;
    kcontrol::dict<kcontrol::text> labels;
    kcontrol::boxed<part> main, missing;
    kcontrol::nullable<part> refused = nullptr;
    kcontrol::timestamp at;
};

void look_here(const object&) {}

}  // namespace

int main() {
    object o;
    o.inside = "short";
    o.outside = "a string of more than seven bytes";
    o.parts = {part{"p1", 1}, part{"a part with a long name", 2}};
    o.labels["app"] = "web";
    o.main.edit().name = "m";
    o.at = kcontrol::wall_time(std::chrono::seconds(86400));
    look_here(o);
}

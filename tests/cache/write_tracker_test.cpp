// What the events of a copy mean for writes that it may not show yet, as decisions.
#include <kcontrol/cache/detail/write_tracker.hpp>
#include <kcontrol/codec/resource_of.hpp>

#include "simulation/widget.hpp"

#include <doctest/doctest.h>

#include <functional>
#include <memory>
#include <string>
#include <vector>

namespace {

using namespace kcontrol;
using detail::write_tracker;

any_object object(const std::string& name, const std::string& version) {
    auto made = std::make_shared<test::widget>();
    made->metadata.namespace_ = "default";
    made->metadata.name = name;
    made->metadata.resource_version = version;
    return any_object(std::shared_ptr<const test::widget>(made));
}

std::string text_of(const store_change& change) {
    std::string out;
    for (const auto& event : change.events) {
        out += event.type == event_type::added ? "+" : "-";
        out += event.object().meta().name.str() + event.object().meta().resource_version.str();
        out += event.final_state_unknown ? "(inferred) " : " ";
    }
    return out;
}

struct copy {
    store content;
    write_tracker writes{content};
};

// What happens, and the events that follow.
using step = std::function<store_change(copy&)>;

step expect(const std::string& name, const std::string& version, const std::string& filled) {
    return [=](copy& c) { return c.writes.expect(object(name, version), filled); };
}
step arrived(const std::string& name, const std::string& version) {
    return [=](copy& c) { return c.writes.arrived(object(name, version).meta()), store_change(); };
}
step applied(const std::string& name, const std::string& version, bool deleted = false) {
    return [=](copy& c) { return c.writes.applied(object(name, version).meta(), deleted), store_change(); };
}
step filled(const std::string& version) {
    return [=](copy& c) { return c.writes.filled(version), store_change(); };
}
step listed(std::vector<any_object> all, const std::string& before, const std::string& version,
            bool by_content = false) {
    return [=](copy& c) {
        c.content.replace(store_content(all), false);
        return c.writes.listed(before, version, by_content);
    };
}

TEST_CASE("write_tracker: what came and went before the copy had it") {
    struct row {
        const char* what;
        std::vector<step> steps;
        const char* events;  // of all of them
    };
    const row rows[] = {
        {"a list that is as new lacks it", {expect("a", "11", "10"), listed({}, "10", "12")}, "+a11 -a11(inferred) "},
        {"in the order of the writes",
         {expect("b", "11", "10"), expect("a", "12", "10"), listed({}, "10", "12")},
         "+b11 -b11(inferred) +a12 -a12(inferred) "},
        {"a list that is older says nothing, the next one does",
         {expect("a", "13", "10"), listed({}, "10", "12"), listed({}, "12", "14")},
         "+a13 -a13(inferred) "},
        {"a list has it",
         {expect("a", "11", "10"), listed({object("a", "11")}, "10", "12"), listed({}, "12", "13")},
         ""},
        {"its event came", {expect("a", "11", "10"), arrived("a", "11"), listed({}, "10", "12")}, ""},
        {"another object's event came",
         {expect("a", "11", "10"), arrived("b", "12"), listed({}, "10", "12")},
         "+a11 -a11(inferred) "},
        {"the watch passed it: it is not selected",
         {expect("a", "11", "10"), filled("11"), listed({}, "11", "12")},
         ""},
        {"the watch is not that far",
         {expect("a", "11", "9"), filled("10"), listed({}, "10", "12")},
         "+a11 -a11(inferred) "},
        {"another history lacks it",
         {expect("a", "11", "10"), listed({object("b", "3")}, "10", "4", true)},
         "+a11 -a11(inferred) "},
        {"another history has it", {expect("a", "11", "10"), listed({object("a", "3")}, "10", "4", true)}, ""},
        {"known only after the list that passed it",
         {listed({}, "10", "20"), expect("a", "15", "22")},
         "+a15 -a15(inferred) "},
        {"known only after the watch has shown its end", {listed({}, "10", "20"), expect("a", "21", "22")}, ""},
        {"known after the first list", {listed({}, "", "20"), expect("a", "15", "22")}, ""},
    };
    for (const auto& r : rows) {
        CAPTURE(r.what);
        copy c;
        std::string events;
        for (const auto& each : r.steps) events += text_of(each(c));
        CHECK(events == r.events);
        CHECK_FALSE(c.writes.take_ended());
    }
}

TEST_CASE("write_tracker: when a wait for version 11 of an object is over") {
    struct row {
        const char* what;
        const char* version;
        std::vector<step> goes_on, ends;  // each of the latter ends one of its own
    };
    const row rows[] = {
        {"the object's own version",
         "11",
         {arrived("a", "11"), applied("a", "10"), applied("b", "12"), applied("a", "10", true)},
         {applied("a", "11"), applied("a", "12"), applied("a", "12", true)}},
        {"how far the watch is", "11", {filled(""), filled("10")}, {filled("11"), filled("12")}},
        {"lists",
         "11",
         {listed({}, "9", "10"), listed({object("a", "10"), object("b", "12")}, "9", "10")},
         {listed({object("a", "11")}, "10", "12"), listed({object("b", "1")}, "10", "2", true)}},
        {"of an opaque version its deletion, and a list without it",
         "v",
         {applied("a", "w"), filled("11"), listed({object("a", "w")}, "9", "10")},
         {applied("a", "v"), applied("a", "w", true), listed({}, "9", "10")}},
        {"what is expected does not count", "11", {expect("a", "11", "10")}, {filled("11")}},
    };
    for (const auto& r : rows) {
        CAPTURE(r.what);
        for (std::size_t i = 0; i < r.ends.size(); ++i) {
            CAPTURE(i);
            copy c;
            const auto ticket = c.writes.wait_for({"default", "a"}, r.version, "9");
            const auto given_up = c.writes.wait_for({"default", "a"}, r.version, "9");
            c.writes.cancel(given_up);
            CHECK(c.writes.is_over(given_up));
            for (const auto& nothing : r.goes_on) nothing(c);
            CHECK_FALSE(c.writes.is_over(ticket));
            CHECK_FALSE(c.writes.take_ended());
            r.ends[i](c);
            CHECK(c.writes.is_over(ticket));
            CHECK(c.writes.take_ended());
            CHECK_FALSE(c.writes.take_ended());
        }
    }
}

TEST_CASE("write_tracker: a wait for what the copy shows is over at once") {
    copy c;
    c.content.apply(object("a", "11"));
    CHECK(c.writes.is_over(c.writes.wait_for({"default", "a"}, "11", "")));
    CHECK_FALSE(c.writes.is_over(c.writes.wait_for({"default", "a"}, "12", "11")));
    CHECK(c.writes.is_over(c.writes.wait_for({"default", "b"}, "12", "12")));
    CHECK(c.writes.is_over(c.writes.wait_for({"default", "b"}, "", "")));
}

}  // namespace

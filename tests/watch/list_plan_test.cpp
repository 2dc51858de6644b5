#include <kcontrol/watch/detail/list_plan.hpp>

#include "watch/reflector_machine.hpp"

namespace {

using namespace kcontrol;
using namespace kcontrol::test;
using detail::list_plan;

TEST_CASE("list_plan: what each sort of list asks for") {
    struct row {
        std::string_view known;
        bool newest;
        act asks;
    };
    for (const row& r : {row{"", false, act::list("0", "", 7)}, row{"", true, act::list("", "", 7)},
                         // a limit beside a version would mean "exactly at it"
                         row{"12", false, act::list("12", "", 0)}, row{"12", true, act::list("", "", 7)}}) {
        list_plan plan(7);
        if (r.newest) plan.ask_newest();
        plan.begin(r.known);
        CHECK(plan.page() == r.asks);
        CHECK(plan.is_consistent() == r.newest);
    }
}

TEST_CASE("list_plan: the version is that of the first page, and later pages go by their token") {
    list_plan plan(7);
    plan.begin("");
    CHECK(!plan.is_later_page());
    CHECK(!plan.take_page("5", "next"));
    CHECK(plan.is_later_page());
    CHECK(plan.page() == act::list("", "next", 7));
    CHECK(plan.take_page("6", ""));
    CHECK(plan.version() == "5");
    CHECK(!plan.is_later_page());
}

TEST_CASE("list_plan: without pages it is consistent, and a new list has pages again") {
    list_plan plan(7);
    plan.begin("12");
    plan.take_page("12", "next");
    plan.begin_unpaged();
    CHECK(plan.page() == act::list("", "", 0));
    CHECK(plan.is_consistent());
    plan.begin("");
    CHECK(plan.page() == act::list("0", "", 7));
}

TEST_CASE("list_plan: the newest state is asked for until a list was taken over") {
    list_plan plan(7);
    CHECK(!plan.ask_newest());
    CHECK(plan.ask_newest());
    plan.taken_over();
    CHECK(!plan.ask_newest());
}

TEST_CASE("list_plan: pages are halved down to one object, and a list without pages gets some") {
    list_plan plan(4);
    plan.begin("");
    for (const std::int64_t size : {4, 4, 2, 1}) {
        // The first time the list leaves "0" for the newest state, in pages as they were.
        CHECK(plan.page().limit == size);
        CHECK(plan.halve_page("") == (size > 1));
    }
    list_plan whole(0);
    whole.begin("12");
    CHECK(whole.halve_page("12"));
    CHECK(whole.page() == act::list("", "", reflector_policy().page_size()));
}

}  // namespace

// The demo's ledger finds what is told twice, not at all, in another order, or of a job nobody should see.
#include "demo/ledger.hpp"

#include <doctest/doctest.h>

using namespace training_monitor;
using training_monitor::demo::ledger;

namespace {

change job_change(job_state state, std::string uid = "u1", std::string cluster = "a") {
    job_view view;
    view.cluster = std::move(cluster);
    view.uid = std::move(uid);
    view.state = state;
    change c;
    c.job = std::make_shared<const job_view>(std::move(view));
    return c;
}

change removed(std::string uid = "u1", std::string cluster = "a") {
    auto c = job_change(job_state::running, std::move(uid), std::move(cluster));
    c.type = change_type::job_removed;
    return c;
}

change cluster_change(std::string state, std::uint64_t generation = 1, std::string name = "a") {
    cluster_view view;
    view.name = std::move(name);
    view.state = std::move(state);
    view.generation = generation;
    change c;
    c.type = change_type::cluster;
    c.cluster = std::make_shared<const cluster_view>(std::move(view));
    return c;
}

change cluster_left(std::string name = "a") {
    auto c = cluster_change("live", 1, std::move(name));
    c.type = change_type::cluster_removed;
    return c;
}

// A job that lived its whole life in view, and what was told of it.
demo::verdict compare(const std::vector<job_state>& told, bool told_removed = true) {
    ledger book;
    book.published({cluster_change("live")});
    for (const char* state : {"Created", "Running", "Restarting", "Running", "Succeeded"}) book.wrote("a", "u1", state);
    book.removed("a", "u1");
    for (const auto state : told) book.published({job_change(state)});
    if (told_removed) book.published({removed()});
    return book.compare();
}

constexpr auto created = job_state::created;
constexpr auto running = job_state::running;
constexpr auto restarting = job_state::restarting;
constexpr auto succeeded = job_state::succeeded;

}  // namespace

TEST_CASE("ledger: everything told once and in order is right") {
    const auto v = compare({created, running, restarting, running, succeeded});
    CHECK(v.jobs == 1);
    CHECK(v.lost == 0);
    CHECK(v.duplicates == 0);
    CHECK(v.complaints.empty());
}

TEST_CASE("ledger: what is missing is lost, what is too much is a duplicate") {
    CHECK(compare({created, running, succeeded}).lost == 2);
    CHECK(compare({created, running, restarting, running}).lost == 1);
    CHECK(compare({running, restarting, running, succeeded}).lost == 1);
    CHECK(compare({created, running, restarting, running, succeeded}, false).lost == 1);
    CHECK(compare({}, false).lost == 6);
    CHECK(compare({created, running, restarting, running, succeeded, running}).duplicates == 1);
    CHECK(compare({running, created, restarting, running, succeeded}).complaints.size() == 1);
    CHECK(compare({created, created, running, restarting, running, succeeded}).duplicates == 1);  // word for word again
}

TEST_CASE("ledger: a job that nobody recorded should have been shown as part of its owner") {
    ledger book;
    book.published({cluster_change("live"), job_change(running, "launcher")});
    CHECK(book.compare().duplicates == 1);
}

TEST_CASE("ledger: a cluster that joins late or leaves early may lack a beginning or an end, and nothing between") {
    struct row {
        std::vector<job_state> told;
        bool left;
        std::uint64_t lost;
    };
    const row rows[] = {
        {{restarting, running, succeeded}, false, 0},
        {{succeeded}, false, 0},
        {{restarting, running}, false, 3},
        {{restarting, succeeded}, false, 3},
        {{running, restarting}, true, 0},
        {{created, restarting}, true, 3},
    };
    for (const auto& r : rows) {
        CAPTURE(&r - rows);
        ledger book;
        for (const char* state : {"Created", "Running", "Restarting", "Running", "Succeeded"}) {
            book.wrote("a", "u1", state);
        }
        book.published({cluster_change("live")});
        for (const auto state : r.told) book.published({job_change(state)});
        if (r.left) book.published({removed(), cluster_left()});
        const auto v = book.compare();
        CHECK((v.lost != 0) == (r.lost != 0));
        CHECK(v.lost == r.lost);
    }
}

TEST_CASE("ledger: a job that came and went while its cluster was not in view is nobody's business") {
    ledger book;
    book.wrote("a", "early", "Created");
    book.removed("a", "early");
    book.published({cluster_change("live")});
    book.published({cluster_left()});
    book.wrote("a", "late", "Created");
    CHECK(book.compare().jobs == 0);
    CHECK(book.compare().lost == 0);
}

TEST_CASE("ledger: rebuilds are new generations of a cluster that stayed") {
    ledger book;
    book.published({cluster_change("connecting"), cluster_change("live"), cluster_change("live", 2)});
    book.published({cluster_left(), cluster_change("live", 1)});
    CHECK(book.rebuilds() == 1);
}

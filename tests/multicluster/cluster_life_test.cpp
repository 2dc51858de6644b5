// The life of a cluster, step by step: what each input asks for in each phase, and a cancel and an error at every step.
#include <kcontrol/multicluster/detail/cluster_life.hpp>

#include <doctest/doctest.h>

#include <optional>
#include <string>
#include <vector>

namespace {

using namespace kcontrol;
using namespace std::chrono_literals;
using detail::cluster_action;
using detail::cluster_life;
using detail::cluster_phase;

const char* name_of(cluster_phase phase) {
    switch (phase) {
    case cluster_phase::created: return "created";
    case cluster_phase::offered: return "offered";
    case cluster_phase::engaged: return "engaged";
    case cluster_phase::retracting: return "retracting";
    case cluster_phase::over_budget: return "over_budget";
    case cluster_phase::backoff: return "backoff";
    case cluster_phase::disengaging: return "disengaging";
    case cluster_phase::disengaged: return "disengaged";
    }
    return "";
}

const char* name_of(cluster_action action) {
    switch (action) {
    case cluster_action::report: return "report";
    case cluster_action::publish: return "publish";
    case cluster_action::connect: return "connect";
    case cluster_action::introduce: return "introduce";
    case cluster_action::retract: return "retract";
    case cluster_action::retry: return "retry";
    case cluster_action::remove: return "remove";
    }
    return "";
}

auth::cluster_config server(const std::string& host) {
    return auth::cluster_config(http::endpoint("https", host, 443));
}

const error unusable(errc::invalid_config, "no such context"), thrown(errc::callback_failed, "the factory threw");
const error excess(errc::limit_exceeded, "too many objects");

// One cluster. Inputs are texts, and so is what they ask for: "report connect >offered" is two actions, and a change of
// the phase.
struct subject {
    std::string take(const std::string& input) {
        const cluster_phase before = life.phase();
        std::string out;
        for (const cluster_action one : actions_of(input, out))
            out += (out.empty() ? "" : " ") + std::string(name_of(one));
        if (life.phase() != before) out += std::string(out.empty() ? ">" : " >") + name_of(life.phase());
        return out;
    }
    cluster_life::actions actions_of(const std::string& input, std::string& ends) {
        if (input == "offer a") return life.offer(server("a"), "");
        if (input == "offer a with a warning") return life.offer(server("a"), "its certificate expires");
        if (input == "offer b") return life.offer(server("b"), "");
        if (input == "refuse") return life.refuse(unusable);
        if (input == "connected") return life.connected();
        if (input == "unusable") return life.failed(unusable);
        if (input == "factory threw") return life.failed(thrown);
        if (input == "introduced") return life.introduced();
        if (input == "threw") return life.threw("on_engage() threw");
        if (input == "retracted") return life.retracted();
        if (input == "retry") return life.retry(life.offers());
        if (input == "late retry") return life.retry(life.offers() - 1);
        if (input == "ended") return life.ended(std::nullopt);
        if (input == "ended, over budget") return life.ended(excess);
        if (input == "removed") return life.removed();
        bool first = false;
        if (input == "exceed") first = life.exceed();
        if (input == "disengage") first = life.disengage();
        if (first) ends = "end";
        return {};
    }
    // Executes it as the shell does, without an error, until a wait.
    void settle(const std::string& input) {
        std::string ends;
        auto todo = actions_of(input, ends);
        if (!ends.empty())
            todo = life.ended(life.phase() == cluster_phase::over_budget ? std::optional(excess) : std::nullopt);
        while (!todo.empty()) {
            const cluster_action last = todo.back();
            log += std::string(name_of(last)) + " ";
            todo.clear();
            if (last == cluster_action::connect) todo = life.connected();
            if (last == cluster_action::introduce) todo = life.introduced();
            if (last == cluster_action::remove) todo = life.removed();
        }
    }

    cluster_life life{1min};
    std::string log;  // of settle(): the last action of each list
};

struct way {
    const char* phase;
    std::vector<std::string> inputs;
};

// How each phase is reached, with configuration a.
const std::vector<way>& ways() {
    static const std::vector<way> all{
        {"created", {}},
        {"offered", {"offer a", "factory threw"}},
        {"engaged", {"offer a", "connected", "introduced"}},
        {"retracting", {"offer a", "connected", "threw"}},
        {"over_budget", {"offer a", "connected", "introduced", "exceed"}},
        {"backoff", {"offer a", "connected", "introduced", "exceed", "ended, over budget"}},
        {"disengaging", {"offer a", "connected", "introduced", "disengage"}},
        {"disengaged", {"offer a", "connected", "introduced", "disengage", "ended", "removed"}},
    };
    return all;
}

subject in(const std::string& phase) {
    subject out;
    for (const way& one : ways()) {
        if (one.phase != phase) continue;
        for (const std::string& input : one.inputs) out.take(input);
    }
    REQUIRE(name_of(out.life.phase()) == phase);
    return out;
}

TEST_CASE("cluster_life: what each input asks for in each phase") {
    const std::vector<std::string> inputs{"offer a",    "offer a with a warning",
                                          "offer b",    "refuse",
                                          "retry",      "late retry",
                                          "introduced", "threw",
                                          "retracted",  "exceed",
                                          "disengage"};
    struct row {
        const char* phase;
        std::vector<std::string> asked;
    };
    const std::string begin = "report connect >offered", end = "end >disengaging";
    const row rows[] = {
        {"created", {begin, begin, begin, "report publish >offered", "", "", "", "", "", "", end}},
        {"offered", {"connect", "connect", "connect", "publish", "connect", "", "", "", "", "", end}},
        {"engaged",
         {"", "publish", "connect", "publish", "", "", "publish", "publish retract >retracting", "", "end >over_budget",
          end}},
        {"retracting",
         {"", "publish", "connect", "publish", "", "", "publish >engaged", "publish retract", "introduce",
          "end >over_budget", end}},
        {"over_budget", {"", "", "", "publish", "", "", "", "", "", "", ">disengaging"}},
        {"backoff", {"", "", "connect >offered", "publish >offered", "connect >offered", "", "", "", "", "", end}},
        {"disengaging", {"", "", "", "", "", "", "", "", "", "", ""}},
        {"disengaged", {begin, begin, begin, "report publish >offered", "", "", "", "", "", "", ""}},
    };
    REQUIRE(std::size(rows) == ways().size());
    for (const row& r : rows) {
        REQUIRE(r.asked.size() == inputs.size());
        for (std::size_t i = 0; i < inputs.size(); ++i) {
            CAPTURE(r.phase);
            CAPTURE(inputs[i]);
            subject c = in(r.phase);
            CHECK(c.take(inputs[i]) == r.asked[i]);
        }
    }
}

TEST_CASE("cluster_life: a connection succeeds, fails for good, or is retried") {
    struct row {
        const char* phase;
        const char* outcome;
        const char* asked;
        const char* used;  // the host
        bool again;        // the configuration is still wanted
    };
    const row rows[] = {
        {"created", "connected", "introduce >engaged", "b", true},
        {"created", "unusable", "publish", "", false},
        {"created", "factory threw", "retry publish", "", true},
        {"engaged", "connected", "publish", "b", true},
        {"engaged", "unusable", "publish", "a", false},
        {"engaged", "factory threw", "retry publish", "a", true},
        {"retracting", "connected", "publish", "b", true},
        {"retracting", "unusable", "publish", "a", false},
        {"retracting", "factory threw", "retry publish", "a", true},
        {"offered", "connected", "introduce >engaged", "b", true},
        {"offered", "unusable", "publish", "", false},
        {"offered", "factory threw", "retry publish", "", true},
        {"backoff", "connected", "introduce >engaged", "b", true},
        {"backoff", "unusable", "publish", "", false},
        {"backoff", "factory threw", "retry publish", "", true},
        {"disengaged", "connected", "introduce >engaged", "b", true},
        {"disengaged", "unusable", "publish", "", false},
        {"disengaged", "factory threw", "retry publish", "", true},
    };
    for (const row& r : rows) {
        CAPTURE(r.phase);
        CAPTURE(r.outcome);
        subject c = in(r.phase);
        const auto generation = c.life.generation();
        c.take("offer b");
        CHECK(c.take(r.outcome) == r.asked);
        CHECK((c.life.used() ? c.life.used()->server().host : "") == r.used);
        CHECK((c.life.wanted() != nullptr) == r.again);
        CHECK((c.take("retry") == "connect") == (r.again && c.life.wanted() != c.life.used()));
        CHECK(c.life.failure().has_value() == (c.life.wanted() != c.life.used() || !r.again));
        CHECK(c.life.generation() - generation == (std::string(r.outcome) == "connected" ? 1U : 0U));
    }
}

TEST_CASE("cluster_life: what is offered while what runs ends counts once it has") {
    using texts = std::vector<std::string>;
    struct row {
        const char* phase;
        texts meanwhile;
        texts asked;         // by ended(), and by removed() if there is a remove
        const char* wanted;  // the host
    };
    const std::string waits = "report publish retry >backoff", begins = "report connect >offered";
    const row rows[] = {
        {"over_budget", {}, {waits}, "a"},
        {"over_budget", {"offer a with a warning"}, {waits}, "a"},
        {"over_budget", {"offer b"}, {begins}, "b"},
        {"over_budget", {"offer b", "offer a"}, {waits}, "a"},
        {"over_budget", {"offer b", "refuse"}, {waits}, "a"},
        {"over_budget", {"disengage"}, {"remove", ">disengaged"}, ""},
        {"over_budget", {"offer b", "disengage"}, {"remove", ">disengaged"}, ""},
        {"over_budget", {"disengage", "offer a"}, {"remove", begins}, "a"},
        {"over_budget", {"disengage", "offer a", "refuse"}, {"remove", ">disengaged"}, ""},
        {"disengaging", {}, {"remove", ">disengaged"}, ""},
        {"disengaging", {"offer a"}, {"remove", begins}, "a"},
        {"disengaging", {"offer b"}, {"remove", begins}, "b"},
        {"disengaging", {"offer b", "refuse"}, {"remove", ">disengaged"}, ""},
        {"disengaging", {"disengage"}, {"remove", ">disengaged"}, ""},
        {"disengaging", {"offer b", "disengage"}, {"remove", begins}, "b"},
    };
    for (const row& r : rows) {
        CAPTURE(r.phase);
        CAPTURE(r.meanwhile.size());
        subject c = in(r.phase);
        for (const std::string& input : r.meanwhile) c.take(input);
        const auto before = c.life.disengagements();
        CHECK(c.take("ended, over budget") == r.asked[0]);
        CHECK(!c.life.used());
        if (r.asked.size() > 1) CHECK(c.take("removed") == r.asked[1]);
        CHECK(c.life.disengagements() - before == r.asked.size() - 1);
        CHECK((c.life.wanted() ? c.life.wanted()->server().host : "") == r.wanted);
        CHECK(c.life.failure().has_value() == (r.asked.size() == 1));
    }
}

TEST_CASE(
    "cluster_life: a configuration that waits for its factory is tried at once after the end of one over its budget") {
    subject c = in("engaged");
    c.take("offer b");
    c.take("factory threw");
    c.take("exceed");
    CHECK(c.take("retry") == "");
    CHECK(c.take("ended, over budget") == "report connect >offered");
    // One that can't be used does not: the one before is retried.
    subject d = in("engaged");
    d.take("offer b");
    d.take("unusable");
    d.take("exceed");
    CHECK(d.take("ended, over budget") == "report publish retry >backoff");
    CHECK(d.life.wanted()->server().host == "a");
}

TEST_CASE("cluster_life: from every step it can leave, once, and come back") {
    for (const way& one : ways()) {
        for (std::size_t steps = 0; steps <= one.inputs.size(); ++steps) {
            CAPTURE(one.phase);
            CAPTURE(steps);
            subject c;
            for (std::size_t i = 0; i < steps; ++i) c.take(one.inputs[i]);
            const auto phase = c.life.phase();
            const bool gone = phase == cluster_phase::disengaged;
            const bool ending = phase == cluster_phase::over_budget || phase == cluster_phase::disengaging;
            c.settle("disengage");
            if (ending && c.take("ended") == "remove") c.settle("removed");
            CHECK(c.life.phase() == cluster_phase::disengaged);
            CHECK(c.life.disengagements() == 1);
            CHECK((c.log.find("remove") != std::string::npos) == (!gone && !ending));
            for (const char* late : {"retry", "introduced", "threw", "retracted", "exceed"}) CHECK(c.take(late) == "");
            c.settle("offer a");
            CHECK(c.life.phase() == cluster_phase::engaged);
            CHECK_FALSE(c.life.failure());
        }
    }
}

TEST_CASE("cluster_life: after an error at any step the next offer engages") {
    for (const way& one : ways()) {
        for (std::size_t steps = 0; steps <= one.inputs.size(); ++steps) {
            CAPTURE(one.phase);
            CAPTURE(steps);
            subject c;
            for (std::size_t i = 0; i < steps; ++i) c.take(one.inputs[i]);
            c.take("refuse");
            CHECK(c.life.failure());
            const bool ends =
                c.life.phase() == cluster_phase::over_budget || c.life.phase() == cluster_phase::disengaging;
            c.settle("offer b");
            if (ends) {
                if (c.take("ended, over budget").find("remove") == 0) c.take("removed");
                CHECK(c.life.phase() == cluster_phase::offered);
                c.take("connected");
            }
            CHECK(c.life.running());
            CHECK(c.life.used()->server().host == "b");
            CHECK_FALSE(c.life.failure());
        }
    }
}

TEST_CASE("cluster_life: an on_engage() that disengages the cluster, or a factory that offers another configuration") {
    subject c;
    c.take("offer a");
    CHECK(c.take("connected") == "introduce >engaged");
    CHECK(c.take("disengage") == "end >disengaging");
    CHECK(c.take("threw") == "");
    CHECK_FALSE(c.life.thrown());
    // The shell compares the count around the factory's call.
    subject d;
    d.take("offer a");
    for (const char* input : {"offer b", "refuse", "disengage"}) {
        const auto before = d.life.offers();
        d.take(input);
        CHECK(d.life.offers() != before);
    }
}

TEST_CASE("cluster_life: why it is not well, and with what") {
    subject c = in("retracting");
    CHECK(c.life.thrown() == "on_engage() threw");
    c.take("offer a with a warning");
    CHECK(c.life.warning() == "its certificate expires");
    CHECK(c.life.has(server("a"), "its certificate expires"));
    CHECK_FALSE(c.life.has(server("a"), ""));
    c.take("refuse");
    CHECK(c.life.failure()->message() == "no such context");
    CHECK_FALSE(c.life.has(server("a"), "its certificate expires"));
    c.take("offer a");
    CHECK_FALSE(c.life.failure());
    c.take("introduced");
    CHECK_FALSE(c.life.thrown());
    c.take("exceed");
    CHECK_FALSE(c.life.failure());
    const auto offers = c.life.offers();
    c.take("offer a");  // what runs ends with that one, which is no news
    CHECK(c.life.offers() == offers);
    c.take("ended, over budget");
    CHECK(c.life.failure()->message() == "too many objects");
    subject d = in("retracting");
    d.take("disengage");
    d.take("ended");
    CHECK_FALSE(d.life.thrown());
}

TEST_CASE("cluster_life: delays double; a success shortens those of throwing functions, not those of budgets") {
    time_point now{1h};
    subject c = in("retracting");
    CHECK(c.life.delay(now, 0) == 1s);
    CHECK(c.life.delay(now, 0) == 2s);
    c.take("offer b");
    c.take("connected");
    CHECK(c.life.delay(now, 0) == 1s);
    c.take("introduced");
    CHECK(c.life.delay(now, 0) == 1s);
    for (const duration expected : {60s, 120s, 240s}) {
        c.take("exceed");
        c.take("ended, over budget");
        CHECK(c.life.delay(now, 0) == expected);
        c.take("retry");
        c.take("connected");
    }
}

}  // namespace

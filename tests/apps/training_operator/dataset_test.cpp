// The version of the data: what an answer says, what is decided on it, and the whole operator before servers that
// behave and that do not.
#include "dataset/version.hpp"
#include "operator_world.hpp"
#include "support.hpp"

using namespace training_operator;
using namespace training_operator::tests;

namespace {

std::string version(http::response answer) {
    const auto read = version_of(answer);
    return read ? *read : "error: " + std::string(read.error().what());
}
std::string version_in(const std::string& body) { return version(http::response(200, "application/json", body)); }

facts reading(result<std::string> version) {
    facts out;
    out.dataset = std::move(version);
    return out;
}
facts reading(const char* version) { return reading(std::string(version)); }
training_job job_with_data(std::string_view phase, const char* expected) {
    training_job out = job_in(phase);
    out.spec.dataset.emplace().version_url = "https://data.example/version";
    out.spec.dataset->expected_version = expected;
    return out;
}

}  // namespace

TEST_CASE("a version is the header's, else the member's; anything else is refused by name") {
    http::response answer(200, "application/json", R"({"version":"8"})");
    CHECK(version(answer) == "8");
    answer.headers.set("Delta-Table-Version", "7");
    CHECK(version(answer) == "7");
    CHECK(version_in(R"({"version":12,"more":[]})") == "12");
    CHECK(version_in(R"({"version":"2026-11-23T10:00:00+01:00"})") == "2026-11-23T10:00:00+01:00");
    for (const std::string body : {"", "<html>", "7", "null", "[7]", R"({"version":})", R"({"Version":7})",
                                   R"({"version":null})", R"({"version":1.5})", R"({"version":{}})",
                                   R"({"version":""})", R"({"version":"a b"})", R"({"version":"a\n"})"}) {
        CAPTURE(body);
        CHECK(version_in(body).starts_with("error: "));
    }
    CHECK(version_in(R"({"version":")" + std::string(128, '1') + "\"}") == std::string(128, '1'));
    CHECK(version_in(R"({"version":")" + std::string(129, '1') + "\"}").starts_with("error: "));
    answer.headers.set("Delta-Table-Version", "7 and 8");
    CHECK(version(answer).starts_with("error: "));
    for (const int status : {204, 302, 401, 404, 500}) {
        CHECK(version(http::response(status)) == "error: the answer is " + std::to_string(status));
    }
}

TEST_CASE("no pod before the version is there and as expected; it is pinned with the start") {
    training_job job = job_with_data("Pending", "latest");
    job.status.attempt = 0;
    job.status.start_time = {};
    CHECK(decided(job, {}) == "DataCheck 0/2 attempt 0: DataCheck, the dataset's version is asked for");
    job.status.phase = "DataCheck";
    CHECK(decided(job, {}) == "");
    CHECK(decided_on(job, reading(error(errc::timeout, "no answer"))) ==
          "DataReady=False VersionUnreadable: the dataset's version can't be read: no answer");
    const plan p = decide(job, reading("7"), after(1));
    CHECK(words(job, p, after(1)) ==
          "Starting 0/2 attempt 1: Starting, attempt 1 begins with 2 ranks, DataReady=True VersionPinned: version 7 is "
          "used");
    CHECK(p.status.dataset_version == "7");
    CHECK(p.status.start_time == after(1));

    job.spec.dataset->expected_version = "8";
    CHECK(decided_on(job, reading("7")) ==
          "DataReady=False VersionMismatch: version 8 is expected, and the dataset has version 7");
    job.status.conditions.push_back(condition_for(job, "DataReady", false, "VersionMismatch",
                                                  "version 8 is expected, and the dataset has version 7"));
    CHECK(decided_on(job, reading("7")) == "");  // it is said already
    CHECK(decided_on(job, reading("8")).starts_with("Starting"));
    job.spec.suspend = true;
    CHECK(decided_on(job, reading("8")).starts_with("Suspended"));
    job.spec.suspend = false;
    job.spec.dataset.reset();
    CHECK(decided(job, {}).starts_with("Starting"));
}

TEST_CASE("what is pinned stays: a change is told, and no more") {
    training_job job = job_with_data("Running", "7");
    job.status.dataset_version = "7";
    job.status.ready = "2/2";
    facts seen = reading("7");
    seen.ranks = all(pod_state::running);
    CHECK(decided_on(job, seen) == "");
    seen.dataset = error(errc::timeout, "no answer");
    CHECK(decided_on(job, seen) == "");
    seen.dataset = std::string("8");
    CHECK(decided_on(job, seen) ==
          "DataReady=True VersionChanged: version 7 is used; the dataset has version 8 by now");
    job.status.phase = "Pending";
    job.status.missed_starts = 1;
    CHECK(decided_on(job, reading("8"), 5).starts_with("Starting"));  // no second check
}

TEST_CASE_FIXTURE(operator_world,
                  "the version of the header is pinned, given to the ranks, and asked for each minute") {
    serve_version("7");
    add_job(dataset());
    CHECK(told() == "Starting, attempt 1, 0/2, Starting: attempt 1 begins with 2 ranks");
    CHECK(job()->status.dataset_version == "7");
    CHECK(condition("DataReady") == "DataReady=True VersionPinned: version 7 is used");
    const auto pod = json::serialize(*server.api().get(pods_id, {"default", "bert-1"}));
    CHECK(pod.find(R"({"name":"DATASET_VERSION","value":"7"})") != std::string::npos);
    run_all();
    const auto asked = world.network().requests("data.example"), before = writes();
    settle(1h);
    CHECK(world.network().requests("data.example") - asked == 60);
    CHECK(writes() == before);

    serve_version("8");
    settle(1min);
    CHECK(condition("DataReady") ==
          "DataReady=True VersionChanged: version 7 is used; the dataset has version 8 by now");
    CHECK(job()->status.dataset_version == "7");
    CHECK(told().starts_with("Running, attempt 1"));
    restart();
    settle(1h);
    CHECK(events("VersionChanged") == 1);
    end(0, 0);
    end(1, 0);
    settle();
    CHECK(phase() == "Succeeded");
    const auto at_the_end = world.network().requests("data.example");
    settle(1h);
    CHECK(world.network().requests("data.example") == at_the_end);
}

TEST_CASE_FIXTURE(operator_world,
                  "another version than the expected one starts no pod, until it is there or expected") {
    serve_version("7");
    add_job(dataset("8"));
    CHECK(phase() == "DataCheck");
    CHECK(condition("DataReady") ==
          "DataReady=False VersionMismatch: version 8 is expected, and the dataset has version 7");
    const auto before = writes();
    settle(1h);
    CHECK(writes() == before);
    CHECK(pods() == "");
    restart();
    settle(10s);
    CHECK(writes() == before);
    serve_version("8");
    settle(1min);
    CHECK(told().starts_with("Starting, attempt 1"));
    CHECK(job()->status.dataset_version == "8");
    remove_job();
    let_go();
    settle(5s);

    add_job(dataset("9"));
    CHECK(phase() == "DataCheck");
    set_spec({{"dataset", {{"expectedVersion", "8"}}}});
    CHECK(told().starts_with("Starting, attempt 1"));
}

TEST_CASE_FIXTURE(operator_world, "servers that hang, err, lead elsewhere or answer without end start no pod either") {
    http::response redirect(302);
    redirect.headers.set("Location", "http://169.254.169.254/latest/meta-data");
    http::response large(200, "application/json", std::string(1 << 20, ' '));
    const std::pair<http::response, std::string> rows[] = {
        {http::response(200, "text/html", "<html>"), "is no JSON"},
        {http::response(500), "the answer is 500"},
        {redirect, "to http://169.254.169.254 is not followed"},
        {large, "exceeds its size budget"},
    };
    serve(http::response(404));
    add_job(dataset());
    CHECK(condition("DataReady").find("the answer is 404") != std::string::npos);
    for (const auto& each : rows) {
        const auto& [answer, words] = each;
        CAPTURE(each.second);
        serve(answer);
        settle(61s);
        CHECK(condition("DataReady").find(words) != std::string::npos);
        CHECK(phase() == "DataCheck");
    }
    world.network().set_link("data.example", testing::link_state::black_hole);
    settle(61s);
    CHECK(condition("DataReady").starts_with("DataReady=False VersionUnreadable: the dataset's version can't be read"));
    CHECK(phase() == "DataCheck");
    const auto asked = world.network().requests("data.example");
    settle(10min);
    CHECK(world.network().requests("data.example") - asked <= 20);
    CHECK(pods() == "");
    world.network().set_link("data.example", testing::link_state::up);
    serve_version("7");
    settle(61s);
    CHECK(told().starts_with("Starting, attempt 1"));
}

TEST_CASE_FIXTURE(operator_world, "a job whose data is checked is suspended and deleted as any other") {
    serve_version("7");
    add_job(dataset("8"));
    set_spec({{"suspend", true}});
    CHECK(phase() == "Suspended");
    const auto asked = world.network().requests("data.example");
    settle(10min);
    CHECK(world.network().requests("data.example") == asked);
    set_spec({{"suspend", false}});
    CHECK(phase() == "DataCheck");
    set_spec({{"dataset", {{"versionURL", "http://nobody.example/"}}}});
    CHECK(condition("DataReady").find("VersionUnreadable") != std::string::npos);
    remove_job();
    CHECK(phase() == "gone");
    settle(10min);
    CHECK(world.network().requests("data.example") == asked + 1);
}

// What messages say: for each kind of receiver a file with every case, as it goes over the wire.
#include "notices/message.hpp"

#include <kcontrol/runtime/system_environment.hpp>

#include "notices/condition_text.hpp"
#include "notices/formats.hpp"
#include "notices/mail.hpp"
#include "notices/support.hpp"
#include "support/folders.hpp"

#include <doctest/doctest.h>

#include <algorithm>
#include <fstream>
#include <functional>

using namespace training_monitor;
using namespace training_monitor::notices;
namespace tests = training_monitor::notices::tests;
using training_monitor::notices::job_condition;

namespace {

job_view solo(job_state state = job_state::failed, std::string name = "solo-run") {
    job_view out = tests::job(std::move(name), state);
    out.cluster = "fra-h100";
    out.namespace_ = "nlp";
    out.gpus = 8;
    out.reason.clear();
    out.message.clear();
    out.completion_time = *out.start_time + 14 * 3600;
    if (state == job_state::failed) {
        out.why = "Worker 3 (rank 3) on gpu-3: exit code 1: RuntimeError: CUDA error: <uncorrectable> ECC error";
        out.failure = job_failure{"gpu-3", 1, "RuntimeError: CUDA error: <uncorrectable> ECC error", 1700003600};
    }
    return out;
}

notice of(job_view job, standing from, standing to) {
    notice out = tests::make_notice(std::move(job), from, to);
    out.thread = "thread-1";
    out.link = "https://m.example.com/?job=a";
    return out;
}

notice condition(job_condition which, job_view job) {
    const auto state = job.state;
    notice out = of(std::move(job), state, state);
    out.condition = which;
    out.lasted = std::chrono::minutes(30);
    out.job = std::make_shared<const job_view>(told_as(which, *out.job, out.at - out.lasted));
    return out;
}

notice cluster(std::string_view from, std::string_view to) {
    job_view as_job;
    as_job.cluster = as_job.name = "fra-h100";
    as_job.kind = "Cluster";
    as_job.message = "connection refused";
    notice out = of(std::move(as_job), standing(), standing());
    out.cluster_from = from;
    out.cluster_to = to;
    out.lasted = std::chrono::minutes(5);
    return out;
}

struct message_case {
    std::string name;
    notice what;
};

std::vector<message_case> cases() {
    std::vector<message_case> out;
    const auto add = [&](std::string name, notice what) { out.push_back({std::move(name), std::move(what)}); };
    add("failed", of(solo(), job_state::running, job_state::failed));
    notice with_log = of(solo(), job_state::running, job_state::failed);
    with_log.log = {"step 4711 loss 2.31", "Traceback (most recent call last):", "RuntimeError: CUDA error ``` <at>"};
    with_log.runbook = "https://wiki.example.com/ecc";
    with_log.level = severity::critical;
    add("failed, with log, runbook, severity and a mention", with_log);
    notice fifty = of(solo(), job_state::running, job_state::failed);
    for (int i = 1; i < 50; ++i) {
        fifty.members.push_back(
            of(solo(job_state::failed, "job-" + std::to_string(i)), job_state::running, job_state::failed));
    }
    add("fifty jobs on one node", fifty);
    notice more = of(solo(), job_state::running, job_state::failed);
    more.members.push_back(of(solo(job_state::failed, "job-2"), job_state::running, job_state::failed));
    more.earlier = 48;
    add("two more of that cause", more);
    notice over = of(solo(), job_state::failed, standing());
    over.resolved = true;
    over.earlier = 49;
    add("all fifty are over", over);
    add("succeeded", of(solo(job_state::succeeded), job_state::running, job_state::succeeded));
    add("created", of(solo(job_state::created), standing(), job_state::created));
    add("deleted", of(solo(), job_state::failed, standing()));
    notice repeated = of(solo(job_state::restarting), job_state::running, job_state::restarting);
    repeated.changes = 7;
    add("restarts, seven changes", repeated);
    auto waiting = solo(job_state::pending);
    waiting.why = "8 pods unschedulable: 0/12 nodes are available";
    notice pending = of(waiting, job_state::created, job_state::pending);
    pending.lasted = std::chrono::minutes(20);
    add("pending for 20 min", pending);
    notice runs = of(solo(job_state::running), job_state::pending, job_state::running);
    runs.resolved = true;
    add("running again", runs);
    auto idle = solo(job_state::running, "ranker");
    idle.namespace_ = "vision";
    idle.gpus = 4;
    add("idle GPUs", condition(job_condition::gpus_idle, idle));
    auto lacks = solo(job_state::running);
    lacks.replicas = {{"Worker", 8, 7, 0, 0}};
    add("incomplete", condition(job_condition::incomplete, lacks));
    auto loops = solo(job_state::restarting);
    loops.stuck_count = 6;
    loops.why = "Worker 0 on gpu-3: exit code 1; crash looping: 6 restarts, next try in < 5 min";
    add("crash loop", condition(condition_of(trouble::crash_loop), loops));
    auto held = solo();
    held.stuck_count = 8;
    add("holds GPUs", condition(condition_of(trouble::holds_gpus), held));
    for (const auto each : {trouble::image, trouble::configuration, trouble::volume, trouble::quota,
                            trouble::limit_range, trouble::webhook, trouble::unschedulable}) {
        auto blocked = solo(job_state::pending);
        blocked.why = "Worker 0: in the pods' words";
        add("blocked by " + std::string(to_string(each)), condition(condition_of(each), blocked));
    }
    add("cluster unreachable", cluster("Live", "Unreachable"));
    add("cluster failed", cluster("Live", "Failed"));
    add("cluster is back", cluster("Unreachable", "Live"));
    return out;
}

receiver_config receiver(receiver_kind kind, bool rich = false) {
    receiver_config out;
    out.name = "r";
    out.kind = kind;
    out.rich = rich;
    out.http.target = kcontrol::secret_string("/hook");
    out.http.key = kcontrol::secret_string("0123456789abcdef0123456789abcdef");
    out.smtp.from = "monitor@example.com";
    out.smtp.to = {"oncall@example.com", "team@example.com"};
    out.mention_label = "team";
    out.mentions = {{"nlp", "U012AB3CD"}};
    return out;
}

std::string all_messages(const std::function<std::string(const notice&)>& write) {
    std::string out;
    for (const auto& [name, what] : cases()) {
        notice n = what;
        // The others mention somebody as well; one case shows how.
        if (name.find("mention") == std::string::npos) {
            auto job = *n.job;
            job.labels = {};
            n.job = std::make_shared<const job_view>(std::move(job));
        }
        out += "== " + name + "\n" + write(n) + "\n";
    }
    return out;
}

// For the file; each line of a mail ends in CR LF, and no CR stands elsewhere.
std::string without_carriage_returns(std::string text) {
    for (std::size_t at = 0; (at = text.find_first_of("\r\n", at)) != std::string::npos; ++at) {
        REQUIRE(text.substr(at, 2) == "\r\n");
        text.erase(at, 1);
    }
    return text;
}

// Compares with the file, which is written first with KCONTROL_WRITE_MESSAGES=1.
void check_file(const std::string& name, const std::string& is) {
    kcontrol::system_environment env;
    const std::string path = kcontrol::test::tests_file("apps/training_monitor/notices/messages/" + name);
    if (env.variable("KCONTROL_WRITE_MESSAGES")) std::ofstream(path) << is;
    const auto expected = env.read_file(path, std::size_t{1} << 20);
    REQUIRE_MESSAGE(expected.has_value(), path);
    // Line by line, so that a failure shows the line.
    std::string_view a = *expected, b = is;
    while (!a.empty() || !b.empty()) {
        const auto end_a = std::min(a.find('\n'), a.size()), end_b = std::min(b.find('\n'), b.size());
        REQUIRE(a.substr(0, end_a) == b.substr(0, end_b));
        a.remove_prefix(std::min(end_a + 1, a.size()));
        b.remove_prefix(std::min(end_b + 1, b.size()));
    }
}

constexpr kcontrol::wall_time now{std::chrono::seconds(1700003662)};

}  // namespace

TEST_CASE("every message of every kind of receiver") {
    const struct {
        std::string file;
        receiver_config to;
    } table[] = {
        {"slack.txt", receiver(receiver_kind::slack)},    {"slack-blocks.txt", receiver(receiver_kind::slack, true)},
        {"feishu.txt", receiver(receiver_kind::feishu)},  {"feishu-card.txt", receiver(receiver_kind::feishu, true)},
        {"teams.txt", receiver(receiver_kind::teams)},    {"pagerduty.txt", receiver(receiver_kind::pagerduty)},
        {"webhook.txt", receiver(receiver_kind::webhook)}};
    for (const auto& row : table) {
        SUBCASE(row.file.c_str()) {
            check_file(row.file, all_messages([&](const notice& n) { return make_request(row.to, n, now).body; }));
        }
    }
    SUBCASE("smtp.txt") {
        const auto to = receiver(receiver_kind::smtp);
        check_file("smtp.txt",
                   all_messages([&](const notice& n) { return without_carriage_returns(mail_of(to, n, now).text); }));
    }
    SUBCASE("command.txt") {
        const auto to = receiver(receiver_kind::command);
        check_file("command.txt", all_messages([&](const notice& n) { return notice_json(to, n); }));
    }
    SUBCASE("text.txt") {
        const auto to = receiver(receiver_kind::webhook);
        check_file("text.txt", all_messages([&](const notice& n) { return render_text(to, n); }));
    }
}

TEST_CASE("severity: the rule's, else by what it is about") {
    CHECK(severity_of(of(solo(), job_state::running, job_state::failed)) == severity::error);
    CHECK(severity_of(of(solo(), job_state::running, job_state::succeeded)) == severity::info);
    CHECK(severity_of(of(solo(), job_state::running, job_state::restarting)) == severity::warning);
    CHECK(severity_of(condition(job_condition::gpus_idle, solo(job_state::running))) == severity::warning);
    CHECK(severity_of(cluster("Live", "Unreachable")) == severity::critical);
    CHECK(severity_of(cluster("Unreachable", "Live")) == severity::info);
    auto n = of(solo(), job_state::running, job_state::failed);
    n.level = severity::info;
    CHECK(severity_of(n) == severity::info);
}

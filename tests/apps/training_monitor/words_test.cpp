// What the monitor says is in the field's words: on the page, in the terminal, in messages and in --help.
#include "notices/condition_text.hpp"
#include "notices/message.hpp"
#include "options.hpp"
#include "output/job_page.hpp"
#include "pods/disruption.hpp"
#include "pods/exit_code.hpp"
#include "pods/insight.hpp"
#include "pods/pods.hpp"
#include "support/folders.hpp"
#include "training_monitor/page.hpp"

#include <doctest/doctest.h>

#include <algorithm>
#include <filesystem>
#include <fstream>
#include <iterator>
#include <string>
#include <string_view>
#include <vector>

using namespace training_monitor;
using namespace training_monitor::tests;

namespace {

// Private words that were once shown: what the issue of the monitor's words replaced, row by row.
constexpr std::string_view replaced_words[] = {
    "Needs somebody",   "no failure within",
    "How it went",      "Look further",
    "What it is",       "Its pods",
    "All of it",        "can't be had",
    "can't be made",    "started again later",
    "told to end",      "is short of",
    "node is lost",     "may not stay",
    "no node for",      "is not scheduled",
    "in use of wanted", "waited for",
    "room for",         "that would fit",
    "open to ask",      "Fleet:",
    "Warmest",          "no-answer",
    "is gone since",    "appeared",
    "gone, was",        " before\"",
    "would show",       "Memory's",
    "in its life",      "tells something",
    "is not well",      "is told",
    "0s: for ever",     "as cron has it",
    "after half of",    "15m0s",
    "-> for",           "[object",
};

void check(std::string_view where, std::string_view text) {
    CAPTURE(where);
    for (const auto words : replaced_words) {
        CAPTURE(words);
        const auto at = text.find(words);
        CHECK_MESSAGE(at == std::string_view::npos, text.substr(at == std::string_view::npos ? 0 : at, 80));
    }
}

// Comments are for who changes the program. An address has no blank behind its "//".
std::string without_comments(std::string_view text) {
    std::string out;
    while (!text.empty()) {
        auto line = text.substr(0, text.find('\n'));
        text.remove_prefix(std::min(text.size(), line.size() + 1));
        out.append(line.substr(0, std::min(line.find("// "), line.find("///")))).append("\n");
    }
    return out;
}

job_evidence with(std::vector<training_pod> pods, std::vector<object_event> events = {}) {
    job_evidence out;
    for (const auto& pod : pods) out.pods.push_back(row_of(pod));
    out.events = std::move(events);
    return out;
}

}  // namespace

TEST_CASE("words: the page and --help") {
    for (const auto& file : embedded_files()) check(file.path, without_comments(file.text));
    check("--help", std::string(help_text()) + std::string(all_help_text()));
}

// Whoever writes them: page, terminal, messages, logs and --help of the monitor, and of the labeler, whose GPUs it
// shows.
TEST_CASE("words: every text in the sources") {
    namespace fs = std::filesystem;
    std::size_t files = 0;
    for (const char* program : {"training_monitor", "gpu_labeler"}) {
        const std::string folder = kcontrol::test::source_file(std::string("examples/apps/") + program);
        for (const auto& entry : fs::recursive_directory_iterator(folder)) {
            const auto kind = entry.path().extension();
            if (kind != ".cpp" && kind != ".hpp" && kind != ".js" && kind != ".html") continue;
            ++files;
            std::ifstream in(entry.path());
            check(entry.path().string(), without_comments(std::string(std::istreambuf_iterator<char>(in), {})));
        }
    }
    CHECK(files > 300);
}

TEST_CASE("words: the messages that are compared with files") {
    for (const auto& entry :
         std::filesystem::directory_iterator(kcontrol::test::tests_file("apps/training_monitor/notices/messages"))) {
        std::ifstream in(entry.path());
        check(entry.path().string(), std::string(std::istreambuf_iterator<char>(in), {}));
    }
}

TEST_CASE("words: why a job fails or waits, in the terminal as well") {
    const std::string nodes = "0/1 nodes are available: 1 Insufficient nvidia.com/gpu.";
    const std::vector<std::pair<job_state, job_evidence>> table{
        {job_state::pending, with({worker(0, waits("ImagePullBackOff")), worker(1, waits("ErrImagePull"))})},
        {job_state::pending, with({worker(0, waits("CreateContainerConfigError"))})},
        {job_state::pending, with({worker(0, unscheduled(nodes), ""), worker(1, unscheduled(nodes), "")})},
        {job_state::pending, with({worker(0, unscheduled("held", "SchedulingGated"), "")})},
        {job_state::running,
         with({worker(0, R"("phase":"Running","containerStatuses":[{"name":"c","restartCount":6,"state":{"waiting":)"
                         R"({"reason":"CrashLoopBackOff"}},"lastState":{"terminated":{"exitCode":143}}}])")})},
    };
    for (const auto& [state, evidence] : table) {
        job_view job = bert(state);
        explain(job, evidence);
        CHECK_FALSE(job.why.empty());
        check("why", job.why);
        known_of_job known;
        known.evidence = evidence;
        known.rights = {right_state::missing, right_state::missing, right_state::missing};
        for (const auto& line : job_page(job, known, {}, text_layout())) check("terminal", line);
    }
    for (const char* reason : {"PreemptionByScheduler", "DeletionByTaintManager", "EvictionByEvictionAPI",
                               "DeletionByPodGC", "TerminationByKubelet"}) {
        check(reason, disruption_text(row_of(worker(0, R"("phase":"Running",)" + disrupted(reason)))));
    }
    for (int code = 0; code < 256; ++code) check("exit code", exit_meaning(code, "Error"));
    for (const char* reason : {"OOMKilled", "DeadlineExceeded", "StartError", "ContainerStatusUnknown"}) {
        check(reason, exit_meaning(137, reason));
    }
    for (const auto right : missing_rights({right_state::missing, right_state::missing, right_state::missing})) {
        check("right", right);
        CHECK(right.starts_with("grant "));
    }
}

TEST_CASE("words: notices") {
    for (std::size_t i = 0; i < trouble_names.size() + 2; ++i) {
        notices::notice n;
        n.condition = static_cast<notices::job_condition>(i);
        n.from = n.to = job_state::pending;
        n.lasted = std::chrono::minutes(15);
        n.job = std::make_shared<const job_view>(notices::told_as(n.condition, bert(job_state::pending), {}));
        const auto title = notices::title_of(n);
        check("notice", title);
        CHECK(title.find("ml/bert") != std::string::npos);
        for (const auto& line : notices::lines_of(n)) check("notice", line);
    }
}

#include "trial.hpp"

#include <kcontrol/base/log.hpp>
#include <kcontrol/documents/yaml.hpp>
#include <kcontrol/runtime/wait.hpp>
#include <kcontrol/values/api_duration.hpp>

#include <csignal>
#include <deque>
#include <fstream>
#include <ostream>

namespace kcontrol_apiserver {
namespace {

namespace json = kcontrol::json;
using kcontrol::result;

// Another one than the user's, who may help along with kubectl meanwhile.
constexpr const char* program_user = "program";
constexpr std::string_view placeholder = "{kubeconfig}";
constexpr std::chrono::seconds grace(30);  // as a pod has
constexpr std::chrono::milliseconds look_every(20);

std::vector<std::string> with_path(std::vector<std::string> arguments, const std::string& path) {
    for (auto& each : arguments) {
        for (std::size_t at = 0; (at = each.find(placeholder, at)) != std::string::npos; at += path.size()) {
            each.replace(at, placeholder.size(), path);
        }
    }
    return arguments;
}

std::string last_lines(const std::string& path) {
    constexpr std::size_t most = 20;
    constexpr std::streamoff longest = 1 << 16;
    std::ifstream file(path, std::ios::binary | std::ios::ate);
    const std::streamoff size = file.tellg();
    file.seekg(std::max(std::streamoff{0}, size - longest));
    std::deque<std::string> lines;
    for (std::string line; std::getline(file, line);) {
        lines.push_back("    " + kcontrol::escape_control(line) + "\n");
        if (lines.size() > most) lines.pop_front();
    }
    std::string out;
    for (const auto& line : lines) out += line;
    return out;
}

}  // namespace

trial::trial(kcontrol::environment& env, kcontrol::testing::local_api_server& server, const options& o,
             std::ostream& out, std::ostream& log)
    : env_(env), server_(server), options_(o), out_(out), log_(log), needs_(server.api(), program_user) {}

result<void> trial::start(std::vector<manifest> late) {
    late_ = std::move(late);
    server_.api().access().set_groups(program_user, {"system:masters"});
    const auto text = server_.kubeconfig_with_certificate(program_user, "kcontrol-apiserver");
    if (!text) return text.error();
    folder_.write("kubeconfig", *text);
    const std::string path = folder_.path("kubeconfig");
    return program_.start(with_path(options_.command, path), path, folder_.path("output"));
}

kcontrol::awaitable<int> trial::run(std::stop_token stop) {
    co_await wait_for_end(env_.now() + options_.trial_time, stop);
    if (!program_.ended()) {
        const std::string ending = co_await end_program();
        co_return report(ending);
    }
    if (program_.well()) co_return report({});
    co_return fail("ended " + program_.how());
}

kcontrol::awaitable<void> trial::wait_for_end(kcontrol::time_point limit, std::stop_token stop) {
    auto next_look = env_.now();
    while (!program_.ended() && env_.now() < limit) {
        if (env_.now() >= next_look) {
            needs_.look();
            next_look = env_.now() + std::chrono::seconds(1);
        }
        std::vector<std::string> notes;
        const auto done = create_those_served(server_.api(), late_, notes);
        for (const auto& note : notes) log_ << "kcontrol-apiserver: " << note << std::endl;
        if (!done) {
            log_ << "kcontrol-apiserver: " << kcontrol::escape_control(done.error().message()) << std::endl;
        }
        const auto why = co_await kcontrol::sleep_for(env_, look_every, stop);
        if (why == kcontrol::wake::stopped) co_return;
    }
}

// What was strange about it, or nothing.
kcontrol::awaitable<std::string> trial::end_program() {
    const std::stop_token never;
    program_.signal(SIGTERM);
    co_await wait_for_end(env_.now() + grace, never);
    if (!program_.ended()) {
        kill();
        while (!program_.ended()) (void)co_await kcontrol::sleep_for(env_, look_every, never);
        co_return "did not end within 30 s of SIGTERM and was killed";
    }
    if (program_.well()) co_return std::string();
    co_return "ended " + program_.how() + " after SIGTERM";
}

int trial::report(const std::string& ending) {
    needs_.look();
    if (!needs_.asked()) {
        return fail(
            "asked nothing of this server: it must read KUBECONFIG, or be given the file: "
            "--kubeconfig={kubeconfig} in its arguments; or give it more time with --for");
    }
    const std::string& name = options_.command.front();
    if (!ending.empty()) {
        log_ << "kcontrol-apiserver: " << kcontrol::escape_control(name) << " " << ending
             << "; what it asked for counts\n";
    }
    std::vector<json::value> documents;
    if (options_.crds_of) {
        documents = needs_.definitions();
        if (documents.empty()) {
            log_ << "kcontrol-apiserver: it made or changed no CustomResourceDefinition\n";
        }
    }
    if (options_.rbac_of) {
        documents.push_back(needs_.cluster_role(options_.name.empty() ? role_name_of(name) : options_.name));
    }
    for (std::size_t i = 0; i < documents.size(); ++i) out_ << (i == 0 ? "" : "---\n") << json::to_yaml(documents[i]);
    out_.flush();
    tell_gaps();
    if (out_) return 0;
    log_ << "kcontrol-apiserver: standard output can't be written" << std::endl;
    return 1;
}

int trial::fail(const std::string& what) {
    log_ << "kcontrol-apiserver: " << kcontrol::escape_control(options_.command.front()) << " " << what << "\n";
    const std::string said = last_lines(folder_.path("output"));
    if (!said.empty()) log_ << "It said last:\n" << said;
    log_.flush();
    return 1;
}

void trial::tell_gaps() {
    for (const auto& each : needs_.refused()) {
        log_ << "kcontrol-apiserver: it was refused: " << kcontrol::escape_control(each)
             << "; what it does once that succeeds is not known. --as-written refuses less\n";
    }
    for (const auto& each : needs_.not_served()) {
        log_ << "kcontrol-apiserver: it asked for " << kcontrol::escape_control(each)
             << ", which this server does not have: give it the definition with --load\n";
    }
    for (const auto& each : late_) {
        log_ << "kcontrol-apiserver: --load " << kcontrol::escape_control(each.where)
             << " was not created: its kind or namespace did not come; load that, too\n";
    }
    if (!options_.rbac_of) return;
    if (!needs_.all_known()) {
        log_ << "kcontrol-apiserver: there were more than 10000 requests in a second, and some are forgotten\n";
    }
    log_ << "kcontrol-apiserver: the rules allow what it did. What it did not do is not in them: let it do all that it "
            "can, by objects with --load, and with kubectl while it runs\n";
    log_.flush();
}

}  // namespace kcontrol_apiserver

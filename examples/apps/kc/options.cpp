#include <kcontrol/base/flags.hpp>
#include <kcontrol/base/log.hpp>
#include <kcontrol/values/api_duration.hpp>

#include "session.hpp"

#include <algorithm>
#include <charconv>

namespace kc {

const char* const help = R"(usage: kc COMMAND
  get KIND [NAME] [-n NS|-A] [-l SELECTOR] [-o json|yaml|name|wide] [-w]
  apply -f FILE|- [--force-conflicts] [--field-manager NAME] [--dry-run]
  delete KIND NAME… | KIND -l SELECTOR | KIND --all | -f FILE [--wait=false] [--dry-run]
  patch KIND NAME -p TEXT [--type strategic|merge|json] [--subresource NAME] [--dry-run]
  scale KIND NAME --replicas N [--dry-run]
  wait KIND NAME --for condition=TYPE[=STATUS]|delete|jsonpath={.a.b}=VALUE [--timeout 30s]
  logs POD [-f] [-c CONTAINER] [--previous] [--timestamps] [--tail N]
  exec POD [-i] [-c CONTAINER] -- COMMAND ARGUMENT…
  port-forward POD [LOCAL:]REMOTE
  api-resources
  auth whoami | auth can-i VERB KIND[/NAME] [--subresource NAME]
Each takes --request-timeout 30s (for each request; 0: no limit), and kubectl's flags about the cluster:
  --kubeconfig FILE, --context NAME, --cluster NAME, --user NAME, -s|--server URL, --tls-server-name NAME,
  --certificate-authority FILE, --insecure-skip-tls-verify, --disable-compression,
  --token TEXT, --client-certificate FILE, --client-key FILE, --username NAME, --password TEXT,
  --as USER, --as-uid UID, --as-group GROUP…, --as-user-extra KEY=VALUE…
  --kuberc FILE: which exec plugins may run (credentialPluginPolicy); else $KUBERC or ~/.kube/kuberc; KUBERC=off: any
kc --version says which one this is.
KIND is what kubectl takes: deployments, deploy, deployments.apps, deployments.v1.apps; KIND/NAME does, too.
)";

namespace {

// A '!' is behind those that are on or off; the long names of the short ones follow them in the same order.
constexpr std::string_view known =
    "-n -l -o -f -p -c -A! -w! -i! -s --namespace --selector --output --filename --patch --container --all-namespaces! "
    "--watch! --stdin! --server --type --for --subresource --field-manager --replicas --timeout --request-timeout "
    "--kubeconfig --kuberc "
    "--context --cluster --user --tls-server-name --certificate-authority --insecure-skip-tls-verify! "
    "--disable-compression! --token --client-certificate --client-key --username --password "
    "--as --as-uid --as-group --as-user-extra --tail --force-conflicts! --dry-run! --wait! --all! --follow! "
    "--previous! --timestamps!";
constexpr std::size_t short_ones = 10, f = 3;

std::vector<flag_shape> known_flags() {
    std::vector<flag_shape> out;
    for (std::string_view left = known; !left.empty();) {
        const auto end = std::min(left.find(' '), left.size());
        const bool is_switch = left[end - 1] == '!';
        out.push_back({left.substr(0, end - (is_switch ? 1 : 0)), is_switch ? flag_value::joined : flag_value::text});
        left.remove_prefix(std::min(end + 1, left.size()));
    }
    return out;
}

}  // namespace

result<options> options::parse(const std::vector<std::string_view>& arguments) {
    auto flags = known_flags();
    if (!arguments.empty() && arguments.front() == "logs") {
        flags[f].value = flag_value::joined;  // -f
        flags[f + short_ones] = {"--follow", flag_value::joined};
    }
    const auto split = split_arguments(arguments, flags, "kc --help");
    if (!split) return split.error();
    options out;
    out.flags_ = {{"--timeout", {"30s"}}, {"--field-manager", {"kc"}}, {"--type", {"strategic"}}};
    for (const auto& one : *split) {
        if (one.is_word()) {
            out.words.emplace_back(one.text);
        } else {
            const auto& means = flags[one.flag < short_ones ? one.flag + short_ones : one.flag];
            const bool is_on = means.value == flag_value::joined && one.text.empty();
            out.flags_[std::string(means.name)].emplace_back(is_on ? "true" : one.text);
        }
    }
    if (auto limit = out.read_request_timeout(); !limit) return limit.error();
    return out;
}

const std::string& options::text(std::string_view flag) const {
    static const std::string none;
    const auto found = flags_.find(flag);
    return found == flags_.end() ? none : found->second.back();
}

std::vector<std::string> options::all(std::string_view flag) const {
    const auto found = flags_.find(flag);
    return found == flags_.end() ? std::vector<std::string>() : found->second;
}

bool options::has(std::string_view flag) const { return !text(flag).empty() && text(flag) != "false"; }

std::chrono::nanoseconds options::time(std::string_view flag) const { return parse_duration(text(flag)).value(); }

// As kubectl's: a number alone is seconds.
result<void> options::read_request_timeout() {
    const std::string& said = text("--request-timeout");
    if (said.empty()) return {};
    std::uint32_t seconds = 0;
    const auto [end, fault] = std::from_chars(said.data(), said.data() + said.size(), seconds);
    const bool is_number = fault == std::errc() && end == said.data() + said.size();
    const auto parsed =
        is_number ? result<std::chrono::nanoseconds>(std::chrono::seconds(seconds)) : parse_duration(said);
    if (!parsed || *parsed < std::chrono::nanoseconds::zero()) {
        return error(errc::invalid_argument, "--request-timeout \"" + escape_control(said) +
                                                 "\": seconds, or a number with a unit (1s, 2m, 3h), are expected; "
                                                 "0 is no limit");
    }
    request_timeout_ = *parsed == std::chrono::nanoseconds::zero()
                           ? longest_request
                           : std::min<std::chrono::nanoseconds>(*parsed, longest_request);
    return {};
}

}  // namespace kc

#include <kcontrol/base/flags.hpp>
#include <kcontrol/values/api_duration.hpp>

#include "session.hpp"

#include <algorithm>

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
Each takes --kubeconfig FILE, --context NAME, --as USER, --as-group GROUP and --request-timeout 30s.
kc --version says which one this is.
KIND is what kubectl takes: deployments, deploy, deployments.apps, deployments.v1.apps; KIND/NAME does, too.
)";

namespace {

// A '!' is behind those that are on or off; the long names of the short ones follow them in the same order.
constexpr std::string_view known =
    "-n -l -o -f -p -c -A! -w! -i! --namespace --selector --output --filename --patch --container --all-namespaces! "
    "--watch! --stdin! --type --for --subresource --field-manager --replicas --timeout --request-timeout --kubeconfig "
    "--context --as --as-group --tail --force-conflicts! --dry-run! --wait! --all! --follow! --previous! --timestamps!";
constexpr std::size_t short_ones = 9, f = 3;

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
    out.flags_ = {
        {"--timeout", "30s"}, {"--request-timeout", "30s"}, {"--field-manager", "kc"}, {"--type", "strategic"}};
    for (const auto& one : *split) {
        if (one.is_word()) {
            out.words.emplace_back(one.text);
        } else {
            const auto& means = flags[one.flag < short_ones ? one.flag + short_ones : one.flag];
            const bool is_on = means.value == flag_value::joined && one.text.empty();
            out.flags_[std::string(means.name)] = is_on ? "true" : one.text;
        }
    }
    return out;
}

const std::string& options::text(std::string_view flag) const {
    static const std::string none;
    const auto found = flags_.find(flag);
    return found == flags_.end() ? none : found->second;
}

bool options::has(std::string_view flag) const { return !text(flag).empty() && text(flag) != "false"; }

std::chrono::nanoseconds options::time(std::string_view flag) const { return parse_duration(text(flag)).value(); }

auth::config_search options::search() const {
    auth::kubeconfig_overrides overrides;
    overrides.context(text("--context")).default_namespace(text("--namespace"));
    if (has("--as")) {
        auth::impersonation who(text("--as"));
        if (has("--as-group")) who.groups({text("--as-group")});
        overrides.impersonate(std::move(who));
    }
    return auth::config_search().file(text("--kubeconfig")).overrides(std::move(overrides));
}

}  // namespace kc

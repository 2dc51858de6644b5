#include "notices/config.hpp"

#include "notices/config_error.hpp"
#include "notices/config_file.hpp"
#include "notices/presets.hpp"
#include "notices/read_receiver.hpp"
#include "notices/read_rule.hpp"

#include <algorithm>

namespace training_monitor::notices {
namespace {

using kcontrol::result;

constexpr std::size_t most_receivers = 32;
constexpr std::size_t most_rules = 256;

// One error of all, a line for each.
class mistakes {
public:
    explicit mistakes(std::string path) : path_(std::move(path)) {}

    void add(const kcontrol::error& e) { all_.push_back(e.with_context(path_)); }
    bool any() const noexcept { return !all_.empty(); }
    kcontrol::error error() const {
        if (all_.size() == 1) return all_.front();
        std::string lines;
        for (const auto& each : all_) lines += (lines.empty() ? "" : "\n") + each.message();
        return bad_config(std::move(lines));
    }

private:
    std::string path_;
    std::vector<kcontrol::error> all_;
};

result<notice_config> read(const credential_files& files, const notice_file& file, const std::string& path,
                           bool rules_needed) {
    mistakes found(path);
    notice_config out;
    if (file.receivers.empty()) found.add(bad_config("receivers: there is none; name at least one"));
    const bool any_preset = std::any_of(file.receivers.begin(), file.receivers.end(),
                                        [](const receiver_section& each) { return !each.preset.empty(); });
    if (file.rules.empty() && file.cluster_rules.empty() && !any_preset && rules_needed && !file.receivers.empty()) {
        found.add(
            bad_config("rules: there is none, so nothing would ever be sent; write at least one, or preset: team"));
    }
    if (file.receivers.size() > most_receivers) {
        found.add(bad_config("receivers: more than " + std::to_string(most_receivers)));
    }
    if (file.cluster_rules.size() > most_rules) {
        found.add(bad_config("clusterRules: more than " + std::to_string(most_rules)));
    }
    if (file.rules.size() > most_rules) found.add(bad_config("rules: more than " + std::to_string(most_rules)));
    if (found.any()) return found.error();
    for (std::size_t i = 0; i < file.receivers.size(); ++i) {
        auto made = read_receiver(files, file.receivers[i], out.receivers);
        if (made) {
            out.receivers.push_back(std::move(*made));
            continue;
        }
        found.add(made.error().with_context("receivers[" + std::to_string(i) + "]"));
        out.receivers.emplace_back().name = file.receivers[i].name;  // rules may name it
    }
    for (std::size_t i = 0; i < file.rules.size(); ++i) {
        auto made = read_rule(file.rules[i], out.receivers);
        if (made) {
            out.rules.push_back(std::move(*made));
        } else {
            found.add(made.error().with_context("rules[" + std::to_string(i) + "]"));
        }
    }
    add_presets(file.receivers, out);
    for (std::size_t i = 0; i < file.cluster_rules.size(); ++i) {
        auto made = read_cluster_rule(file.cluster_rules[i], out.receivers);
        if (made) {
            out.cluster_rules.push_back(std::move(*made));
        } else {
            found.add(made.error().with_context("clusterRules[" + std::to_string(i) + "]"));
        }
    }
    if (found.any()) return found.error();
    return out;
}

}  // namespace

std::string_view to_string(receiver_kind kind) noexcept {
    switch (kind) {
    case receiver_kind::feishu: return "feishu";
    case receiver_kind::slack: return "slack";
    case receiver_kind::webhook: return "webhook";
    case receiver_kind::command: return "command";
    case receiver_kind::pagerduty: return "pagerduty";
    case receiver_kind::teams: return "teams";
    case receiver_kind::smtp: return "smtp";
    }
    return "";
}

bool has_threads(const receiver_config& to) noexcept {
    return to.kind == receiver_kind::pagerduty || to.kind == receiver_kind::smtp ||
           (to.kind == receiver_kind::slack && !to.http.token.empty());
}

result<notice_config> load_config(kcontrol::environment& env, const std::string& path, bool rules_needed) {
    const auto text = env.read_file(path, most_config_bytes);
    if (!text) return text.error();
    const auto file = decode_config_file(*text);
    if (!file) return file.error().with_context(path);
    return read(credential_files(env, path), *file, path, rules_needed);
}

}  // namespace training_monitor::notices

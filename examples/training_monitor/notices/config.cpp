#include "notices/config.hpp"

#include "notices/config_error.hpp"
#include "notices/config_file.hpp"
#include "notices/read_receiver.hpp"
#include "notices/read_rule.hpp"

namespace training_monitor::notices {
namespace {

using kcontrol::result;

constexpr std::size_t most_receivers = 32;
constexpr std::size_t most_rules = 256;

result<notice_config> read(const credential_files& files, const notice_file& file) {
    notice_config out;
    if (file.receivers.empty()) return bad_config("receivers: there is none; name at least one");
    if (file.rules.empty()) {
        return bad_config("rules: there is none, so nothing would ever be sent; write at least one");
    }
    if (file.receivers.size() > most_receivers) {
        return bad_config("receivers: more than " + std::to_string(most_receivers));
    }
    if (file.rules.size() > most_rules) return bad_config("rules: more than " + std::to_string(most_rules));
    for (std::size_t i = 0; i < file.receivers.size(); ++i) {
        auto made = read_receiver(files, file.receivers[i], out.receivers);
        if (!made) return made.error().with_context("receivers[" + std::to_string(i) + "]");
        out.receivers.push_back(std::move(*made));
    }
    for (std::size_t i = 0; i < file.rules.size(); ++i) {
        auto made = read_rule(file.rules[i], out.receivers);
        if (!made) return made.error().with_context("rules[" + std::to_string(i) + "]");
        out.rules.push_back(std::move(*made));
    }
    return out;
}

}  // namespace

std::string_view to_string(receiver_kind kind) noexcept {
    switch (kind) {
    case receiver_kind::feishu: return "feishu";
    case receiver_kind::slack: return "slack";
    case receiver_kind::webhook: return "webhook";
    case receiver_kind::command: return "command";
    }
    return "";
}

result<notice_config> load_config(kcontrol::environment& env, const std::string& path) {
    const auto text = env.read_file(path, most_config_bytes);
    if (!text) return text.error();
    const auto file = decode_config_file(*text);
    if (!file) return file.error().with_context(path);
    auto out = read(credential_files(env, path), *file);
    if (!out) return out.error().with_context(path);
    return out;
}

}  // namespace training_monitor::notices

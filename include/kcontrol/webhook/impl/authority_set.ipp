#pragma once

#include <kcontrol/documents/value.hpp>
#include <kcontrol/webhook/authority_set.hpp>

#include <algorithm>
#include <chrono>
#include <cstdint>
#include <optional>

namespace kcontrol::inline v0_1 {
namespace detail {

inline std::int64_t seconds_of(wall_time t) {
    return std::chrono::duration_cast<std::chrono::seconds>(t.time_since_epoch()).count();
}

inline std::optional<wall_time> time_at(const json::value& from, std::string_view name) {
    const json::value* found = json::find(from, {name});
    if (found == nullptr || !found->is_int64()) return std::nullopt;
    return wall_time(std::chrono::seconds(found->get_int64()));
}

inline error no_authorities() {
    return error(errc::invalid_config,
                 "what the Secret has under \"authorities\" can't be read; delete the Secret to have new ones made");
}

}  // namespace detail

KCONTROL_DECL result<authority_set> authority_set::decode(std::string_view text) {
    const auto document = json::parse(text);
    if (!document || !document->is_array()) return detail::no_authorities();
    authority_set out;
    for (const auto& one : document->get_array()) {
        const auto since = detail::time_at(one, "since"), until = detail::time_at(one, "until");
        std::string certificate(json::get_string(one, {"certificate"}));
        if (!since || !until || certificate.empty()) return detail::no_authorities();
        secret_string key{std::string(json::get_string(one, {"key"}))};
        out.all_.emplace_back(std::move(certificate), std::move(key), *since, *until);
    }
    return out;
}

KCONTROL_DECL secret_string authority_set::encode() const {
    json::array out;
    for (const auto& one : all_) {
        json::object entry;
        entry["certificate"] = one.certificate;
        entry["key"] = one.key.reveal();
        entry["since"] = detail::seconds_of(one.since);
        entry["until"] = detail::seconds_of(one.until);
        out.push_back(std::move(entry));
    }
    return secret_string(json::serialize(json::value(std::move(out))));
}

KCONTROL_DECL bool authority_set::needs_authority(wall_time now, const authority_policy& policy) const {
    return std::none_of(all_.begin(), all_.end(), [&](const webhook_authority& one) {
        return !one.key.empty() && one.until - now > policy.renew_before();
    });
}

KCONTROL_DECL const webhook_authority* authority_set::signer(wall_time now, const authority_policy& policy) const {
    const webhook_authority* out = nullptr;
    for (const auto& one : all_) {
        if (one.key.empty() || one.until <= now) continue;
        // One that nobody may know yet signs only where there is no other.
        if (out == nullptr || one.since + policy.publish_ahead() <= now) out = &one;
    }
    return out;
}

KCONTROL_DECL bool authority_set::prune(wall_time now, const authority_policy& policy) {
    const std::size_t before = all_.size();
    const webhook_authority* const signs = signer(now, policy);
    const wall_time signs_since = signs == nullptr ? now : signs->since + policy.publish_ahead();
    bool changed = false;
    for (auto& one : all_) {
        if (signs == nullptr || one.since >= signs->since || one.key.empty()) continue;
        one.key = secret_string();
        changed = true;
    }
    const wall_time signer_made = signs == nullptr ? now : signs->since;
    std::erase_if(all_, [&](const webhook_authority& one) {
        const bool superseded = one.key.empty() && one.since < signer_made;
        return one.until <= now || (superseded && signs_since + policy.certificate_lifetime() <= now);
    });
    return changed || all_.size() != before;
}

KCONTROL_DECL std::string authority_set::bundle(wall_time now) const {
    std::string out;
    for (const auto& one : all_) {
        if (one.until > now) out += one.certificate;
    }
    return out;
}

}  // namespace kcontrol

#pragma once

#include <kcontrol/http/url.hpp>
#include <kcontrol/runtime/wait.hpp>
#include <kcontrol/webhook/ca_bundle_injector.hpp>
#include <kcontrol/webhook/certificate_manager.hpp>

#include <algorithm>
#include <optional>

namespace kcontrol::inline v0_1 {
namespace detail {

// Whether a live object says all that is wanted of it. Lists of named things are compared by name.
inline bool says_all(const json::value& live, const json::value& wanted) {
    if (wanted.is_object()) {
        if (!live.is_object()) return false;
        const auto& all = wanted.get_object();
        return std::all_of(all.begin(), all.end(), [&live](const auto& one) {
            const json::value* found = live.get_object().if_contains(one.key());
            return found != nullptr && says_all(*found, one.value());
        });
    }
    if (!wanted.is_array() || wanted.get_array().empty() ||
        json::get_string(wanted.get_array().front(), {"name"}).empty()) {
        return json::equal(live, wanted);
    }
    if (!live.is_array()) return false;
    const auto& there = live.get_array();
    const auto& all = wanted.get_array();
    return std::all_of(all.begin(), all.end(), [&there](const json::value& one) {
        const auto found = std::find_if(there.begin(), there.end(), [&one](const json::value& candidate) {
            return json::get_string(candidate, {"name"}) == json::get_string(one, {"name"});
        });
        return found != there.end() && says_all(*found, one);
    });
}

// Leaves of a configuration what says whom to trust.
inline json::value bundle_only(const json::value& whole) {
    json::object out;
    for (const std::string_view name : {"apiVersion", "kind", "metadata"}) out[name] = *json::find(whole, {name});
    const auto trusted = [](const json::value& config) {
        return json::object{{"caBundle", json::get_string(config, {"caBundle"})}};
    };
    if (const json::value* hooks = json::find(whole, {"webhooks"})) {
        json::array& kept = out["webhooks"].emplace_array();
        for (const auto& hook : hooks->get_array()) {
            json::object one;
            one["name"] = json::get_string(hook, {"name"});
            one["clientConfig"] = trusted(*json::find(hook, {"clientConfig"}));
            kept.push_back(std::move(one));
        }
    } else {
        const json::value* config = json::find(whole, {"spec", "conversion", "webhook", "clientConfig"});
        json::object& webhook = out["spec"].emplace_object()["conversion"].emplace_object()["webhook"].emplace_object();
        webhook["clientConfig"] = trusted(*config);
    }
    return json::value(std::move(out));
}

inline std::string path_of_configuration(const json::value& object) {
    const std::string_view kind = json::get_string(object, {"kind"});
    std::string out = "/apis/" + std::string(json::get_string(object, {"apiVersion"})) + "/";
    if (kind == "CustomResourceDefinition") out += "customresourcedefinitions/";
    if (kind == "MutatingWebhookConfiguration") out += "mutatingwebhookconfigurations/";
    if (kind == "ValidatingWebhookConfiguration") out += "validatingwebhookconfigurations/";
    return out + http::percent_encode(json::get_string(object, {"metadata", "name"}));
}

// A webhook that the live configuration has no longer; empty: it has all. Applied to nothing it would be half of one.
inline std::string missing_webhook(const json::value& live, const json::value& wanted) {
    const json::value* hooks = json::find(wanted, {"webhooks"});
    if (hooks == nullptr) return {};
    const json::value* there = json::find(live, {"webhooks"});
    for (const auto& hook : hooks->get_array()) {
        const std::string_view name = json::get_string(hook, {"name"});
        const bool found =
            there != nullptr && there->is_array() &&
            std::any_of(there->get_array().begin(), there->get_array().end(),
                        [name](const json::value& one) { return json::get_string(one, {"name"}) == name; });
        if (!found) return std::string(name);
    }
    return {};
}

}  // namespace detail

KCONTROL_DECL awaitable<result<bool>> ca_bundle_injector::repair_one(const json::value& wanted, std::stop_token stop) {
    const std::string what = std::string(json::get_string(wanted, {"kind"})) + " " +
                             std::string(json::get_string(wanted, {"metadata", "name"}));
    const bool is_definition = json::get_string(wanted, {"kind"}) == "CustomResourceDefinition";
    http::request look;
    look.target = detail::path_of_configuration(wanted);
    http::exchange_options bounds;
    bounds.stop(std::move(stop));
    const auto found = co_await api_.raw(std::move(look), bounds);
    if (!found && found.error() != api_errc::not_found) co_return found.error();
    if (!found && (is_definition || !options_.is_whole())) {
        co_return error(errc::invalid_config, "there is no " + what + "; create it first");
    }
    const bool whole = options_.is_whole();
    const json::value fields = whole ? wanted : detail::bundle_only(wanted);
    if (found) {
        const auto live = json::parse(found->body);
        if (!live) co_return live.error();
        const std::string missing = whole ? std::string() : detail::missing_webhook(*live, fields);
        if (!missing.empty()) {
            co_return error(errc::invalid_config, what + " has no webhook \"" + missing + "\"");
        }
        if (detail::says_all(*live, fields)) co_return false;
    }
    http::request apply;
    apply.method = "PATCH";
    apply.target = detail::path_of_configuration(wanted) +
                   "?fieldManager=" + http::percent_encode(options_.field_manager()) + "&force=true";
    apply.headers.set("Content-Type", "application/apply-patch+yaml");
    apply.body = json::serialize(fields);
    const auto written = co_await api_.raw(std::move(apply), bounds);
    if (!written) co_return written.error();
    log_.info("a webhook configuration was put right", {{"object", what}});
    co_return true;
}

KCONTROL_DECL awaitable<result<int>> ca_bundle_injector::repair(std::string bundle, std::stop_token stop) {
    const auto all = webhook_configurations(name_, webhooks_, address_, bundle);
    if (!all) co_return all.error();
    int written = 0;
    std::optional<error> failed;
    for (const auto& one : *all) {
        const auto done = co_await repair_one(one, stop);
        if (done && *done) ++written;
        if (!done && !failed) failed = done.error();
    }
    if (failed) co_return *failed;
    co_return written;
}

KCONTROL_DECL awaitable<void> ca_bundle_injector::run(certificate_manager& from, std::stop_token stop) {
    while (!stop.stop_requested()) {
        if (const std::string bundle = from.bundle(); !bundle.empty()) {
            const auto done = co_await repair(bundle, stop);
            if (stop.stop_requested()) co_return;
            const std::string trouble = done ? std::string() : done.error().what();
            if (!trouble.empty() && trouble != told_) {
                log_.warning("the webhooks' configurations could not be put right", {{"reason", trouble}});
            }
            told_ = trouble;
        }
        const bool stopped = co_await from.wait_for_bundle(options_.check_period(), stop);
        if (stopped) co_return;
    }
}

}  // namespace kcontrol

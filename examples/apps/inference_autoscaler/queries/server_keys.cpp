#include "queries/server_keys.hpp"

#include <kcontrol/api/core/v1.hpp>
#include <kcontrol/base/base64.hpp>
#include <kcontrol/base/trim.hpp>

namespace inference_autoscaler {
namespace {

using api::core::v1::config_map;
using api::core::v1::secret;

constexpr auto key_kept_for = std::chrono::minutes(1);

std::string text_in(const secret& from, std::string_view key) {
    const auto* data = from.data.get(key);
    return data == nullptr ? std::string() : decode_base64(data->view()).value_or(std::string());
}
std::string text_in(const config_map& from, std::string_view key) {
    const auto* data = from.data.get(key);
    return data == nullptr ? std::string() : data->str();
}

}  // namespace

template <resource Kind>
awaitable<result<secret_string>> server_keys::key_of_object(std::string field, std::string ns, key_reference from,
                                                            std::stop_token stop) {
    const std::string what = std::string(Kind::kcontrol_resource.kind) + " " + ns + "/" + from.name.str();
    const std::string name = what + " " + from.key.str();
    std::erase_if(kept_, [&](const auto& each) { return env_.now() - each.second.at > key_kept_for; });
    if (const auto found = kept_.find(name); found != kept_.end()) co_return found->second.value;
    get_options how;
    how.stop(std::move(stop));
    const namespaced_name key(ns, from.name);
    const auto read = co_await cluster_.get<Kind>(key, how);
    if (!read) co_return read.error().with_context("metrics.prometheus." + field + ": " + what);
    secret_string value(std::string(trim_blanks(text_in(*read, from.key.view()))));
    if (value.empty()) {
        co_return error(errc::invalid_config, "metrics.prometheus." + field + ": " + what + " has no key " +
                                                  from.key.str() + " with a text; add it, or name another key");
    }
    kept_[name] = kept{env_.now(), value};
    co_return value;
}

awaitable<result<metric_server>> server_keys::read(prometheus_source source, std::string ns, std::stop_token stop) {
    metric_server out(source.url.str());
    out.max_age = std::chrono::seconds(source.max_age_seconds);
    if (source.token_from) {
        auto token = co_await key_of_object<secret>("tokenFrom", ns, *source.token_from, stop);
        if (!token) co_return token.error();
        out.token = std::move(*token);
    }
    if (source.ca_from) {
        const auto ca = co_await key_of_object<config_map>("caFrom", ns, *source.ca_from, stop);
        if (!ca) co_return ca.error();
        out.ca_pem = ca->reveal();
    }
    co_return out;
}

}  // namespace inference_autoscaler

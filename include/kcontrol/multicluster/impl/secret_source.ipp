#pragma once

#include <kcontrol/auth/kubeconfig.hpp>
#include <kcontrol/base/base64.hpp>
#include <kcontrol/multicluster/detail/object_source.hpp>
#include <kcontrol/multicluster/detail/secret_object.hpp>
#include <kcontrol/multicluster/secret_source.hpp>

#include <optional>
#include <utility>

namespace kcontrol::inline v0_1 {
KCONTROL_DECL result<auth::cluster_config> parse_secret_kubeconfig(environment& env, std::string_view text,
                                                                   std::string origin, std::size_t max_bytes,
                                                                   auth::trust level) {
    if (text.size() > max_bytes) {
        return error(errc::too_large,
                     origin + " is larger than " + std::to_string(max_bytes) + " bytes: leave only one context in it");
    }
    const auto parsed = auth::kubeconfig::parse(text, origin, std::move(level));
    if (!parsed) return parsed.error();
    auto config = parsed->resolve(env);
    if (!config) return config.error();
    // Also without credentials: an answer that anybody on the way can write is no answer.
    if (config->server().scheme != "https") {
        return error(errc::invalid_config, origin + ": server: an untrusted kubeconfig must name an https server");
    }
    return config;
}

struct secret_source::impl final : detail::object_source {
    impl(environment& e, executor x, auth::cluster_config h, http::transport_factory t, secret_source_options o)
        : object_source(e, std::move(x), std::move(h), std::move(t), "secret_source", "Secrets with clusters", o.log()),
          options(std::move(o)) {}

    // What the Secret's own name says: nothing if that can't be the one of a cluster.
    std::optional<std::string> name_of(const object_meta& meta) const {
        std::string_view name = meta.name;
        const std::string& suffix = options.name_suffix();
        if (name.size() <= suffix.size() || !name.ends_with(suffix)) return std::nullopt;
        name.remove_suffix(suffix.size());
        return detail::name_after(name, meta.namespace_, options.in_namespace());
    }

    // Whether the label, too, says that name.
    bool is_named(const object_meta& meta) const {
        if (options.name_label().empty()) return true;
        const auto found = meta.labels.find(options.name_label());
        if (found == meta.labels.end()) return false;
        return std::string_view(meta.name) == std::string(std::string_view(found->second)) + options.name_suffix();
    }

    result<auth::cluster_config> read(const object_meta& meta, const detail::secret_object::contents& data) const {
        const std::string where = "secret " + escape_control(std::string(meta.namespace_)) + "/" +
                                  escape_control(std::string(meta.name)) + ", data." + options.key();
        const auto found = data.find(options.key());
        if (found == data.end()) return error(errc::invalid_config, where + ": not there: put a kubeconfig there");
        // Four digits are three bytes: what is too large is not even decoded.
        const auto encoded = found->second.reveal();
        if (encoded.size() / 4 * 3 > options.max_bytes() + 3) {
            return error(errc::too_large, where + " is larger than " + std::to_string(options.max_bytes()) +
                                              " bytes: leave only one context in it");
        }
        auto text = decode_base64(encoded);
        if (!text) return error(errc::invalid_config, where + ": not base64");
        const secret_string plain(std::move(*text));
        return parse_secret_kubeconfig(env, plain.reveal(), where, options.max_bytes(), options.trust());
    }

    void take(const any_event& event) override {
        const auto secret = event.object().as<detail::secret_object>();
        // Also of one that is no cluster: nothing that is secret stays in the cache.
        const auto data = secret->take_data();
        const auto name = name_of(secret->metadata);
        if (!name) return;
        if (event.type == event_type::deleted || !is_named(secret->metadata)) {
            remove(*name);
        } else {
            put(*name, read(secret->metadata, data), secret->metadata);
        }
    }

    informer_options settings() const {
        informer_options out;
        out.in_namespace(options.in_namespace());
        out.label_selector(options.selector().empty() ? options.label() + "=true" : options.selector());
        if (!options.type().empty()) out.field_selector("type=" + options.type());
        return out;
    }

    secret_source_options options;
};

KCONTROL_DECL secret_source::secret_source(environment& env, executor ex, auth::cluster_config home,
                                           http::transport_factory transport, secret_source_options options)
    : impl_(std::make_shared<impl>(env, std::move(ex), std::move(home), std::move(transport), std::move(options))) {}

KCONTROL_DECL secret_source::~secret_source() { stop(); }

KCONTROL_DECL result<void> secret_source::start(std::function<void(std::vector<desired_cluster>)> on_change) {
    return impl_->start(detail::secret_resource(), impl_->settings(), std::move(on_change));
}

KCONTROL_DECL void secret_source::stop() { impl_->stop(); }

}  // namespace kcontrol

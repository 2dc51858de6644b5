#pragma once

#include <kcontrol/auth/kubeconfig.hpp>
#include <kcontrol/json/members.hpp>
#include <kcontrol/multicluster/cluster_profile_source.hpp>
#include <kcontrol/multicluster/detail/object_source.hpp>
#include <kcontrol/multicluster/detail/profile_object.hpp>
#include <kcontrol/runtime/guarded_calls.hpp>

#include <algorithm>
#include <cstddef>
#include <map>

namespace kcontrol::inline v0_1 {
namespace detail {

inline constexpr std::size_t largest_profile_cluster = std::size_t{256} << 10;

// The cluster's half of a kubeconfig, as it is in the profile.
inline std::string profile_cluster_text(const raw_json& cluster) {
    json::writer out;
    out.begin_object();
    out.member("apiVersion", "v1");
    out.member("kind", "Config");
    begin_array(out, "clusters");
    out.begin_object();
    out.member("name", "cluster");
    out.key("cluster");
    out.raw(cluster.text());
    out.end_object();
    out.end_array();
    out.end_object();
    return out.take();
}

inline void write_exec(json::writer& out, const auth::exec_command& command) {
    out.begin_object();
    out.member("apiVersion", command.api_version());
    out.member("command", command.program());
    write_values(out, "args", command.arguments());
    begin_array(out, "env");
    for (const auto& [name, value] : command.variables()) {
        out.begin_object();
        out.member("name", name);
        out.member("value", value);
        out.end_object();
    }
    out.end_array();
    out.member("installHint", command.install_hint());
    out.member("interactiveMode", "Never");
    out.member("provideClusterInfo", true);
    out.end_object();
}

// The user's half, as the program has it. Without a command: nobody.
inline std::string profile_user_text(const auth::exec_command* command) {
    json::writer out;
    out.begin_object();
    out.member("apiVersion", "v1");
    out.member("kind", "Config");
    out.member("current-context", "context");
    begin_array(out, "contexts");
    out.begin_object();
    out.member("name", "context");
    begin_object(out, "context");
    out.member("cluster", "cluster");
    if (command != nullptr) out.member("user", "user");
    out.end_object();
    out.end_object();
    out.end_array();
    if (command != nullptr) {
        begin_array(out, "users");
        out.begin_object();
        out.member("name", "user");
        begin_object(out, "user");
        out.key("exec");
        write_exec(out, *command);
        out.end_object();
        out.end_object();
        out.end_array();
    }
    out.end_object();
    return out.take();
}

}  // namespace detail

struct cluster_profile_source::impl final : detail::object_source {
    using login = cluster_profile_options::login;
    using credential_factory = cluster_profile_options::credential_factory;

    // One of the program's logins, and what the profile says for it.
    struct offer {
        const std::string* provider;
        const login* how;
        const raw_json* cluster;
    };
    // Credentials are made once for what a profile says, not at each of its heartbeats.
    struct made_credentials {
        std::string provider;
        raw_json cluster;
        std::shared_ptr<auth::credential_provider> credentials;
    };

    impl(environment& e, executor x, auth::cluster_config h, http::transport_factory t, cluster_profile_options o)
        : object_source(e, std::move(x), std::move(h), std::move(t), "cluster_profile_source", "ClusterProfiles",
                        o.log()),
          options(std::move(o)),
          calls(e, options.log()) {}

    static const raw_json* find_access(const std::vector<detail::profile_access>& among, const std::string& name) {
        for (const auto& one : among) {
            if (one.name == name) return &one.cluster;
        }
        return nullptr;
    }

    result<offer> choose(const detail::profile_status& status, const std::string& where) const {
        for (const auto& [provider, how] : options.access()) {
            const raw_json* cluster = find_access(status.access, provider);
            if (cluster == nullptr) cluster = find_access(status.credentials, provider);
            if (cluster != nullptr) return offer{&provider, &how, cluster};
        }
        std::string offered;
        constexpr std::size_t most = 1000;
        for (const auto* list : {&status.access, &status.credentials}) {
            for (const auto& one : *list) {
                if (offered.size() < most) offered += (offered.empty() ? "" : ", ") + escape_control(one.name);
            }
        }
        return error(errc::invalid_config,
                     where + ": status.accessProviders: " + (offered.empty() ? "none" : "only " + offered) +
                         ": this program can log in by none of them (cluster_profile_options::access)");
    }

    static std::optional<error> trouble_of(const detail::profile_status& status, const std::string& where) {
        const std::string healthy = "ControlPlaneHealthy";
        const std::string waits = ": a cluster is engaged once it is True";
        for (const auto& one : status.conditions) {
            if (std::string_view(one.type) != healthy) continue;
            if (std::string_view(one.status) == "True") return std::nullopt;
            const std::string_view message = one.message;
            std::string why = "the condition " + healthy + " is " + escape_control(one.status);
            if (!message.empty()) why += " (" + escape_control(message.substr(0, 500)) + ")";
            return error(errc::unavailable, where + ": " + why + waits);
        }
        return error(errc::unavailable, where + ": there is no condition " + healthy + waits);
    }

    result<auth::cluster_config> resolve(const offer& from, const std::string& where) const {
        if (from.cluster->text().size() > detail::largest_profile_cluster) {
            return error(errc::too_large, where + " is larger than " + std::to_string(detail::largest_profile_cluster) +
                                              " bytes: leave extensions out");
        }
        if (from.cluster->empty()) return error(errc::invalid_config, where + ": there is no cluster");
        // Two files, for what the profile says is a stranger's word, and what the program says is not.
        const auto* command = std::get_if<auth::exec_command>(from.how);
        const auto there = auth::kubeconfig::parse(detail::profile_cluster_text(*from.cluster), where, options.trust());
        if (!there) return there.error();
        const auto own = auth::kubeconfig::parse(detail::profile_user_text(command),
                                                 "access provider \"" + *from.provider + "\"", auth::trust::trusted);
        if (!own) return own.error();
        auto config = auth::kubeconfig::merge({*there, *own}).resolve(env);
        if (!config) return config.error();
        if (config->server().scheme != "https") {
            return error(errc::invalid_config, where + ": server: a profile must name an https server");
        }
        if (command != nullptr && config->exec()) {
            auth::exec_command limited = *config->exec();
            config->exec(std::move(limited.only(command->only())));
        }
        return config;
    }

    result<auth::cluster_config> with_credentials(const std::string& name, const offer& from,
                                                  auth::cluster_config config, const namespaced_name& profile,
                                                  const std::string& where) {
        const auto* make = std::get_if<credential_factory>(from.how);
        if (make == nullptr) return config;
        auto& known = made[name];
        if (!known.credentials || known.provider != *from.provider || !(known.cluster == *from.cluster)) {
            known = {*from.provider, *from.cluster, nullptr};
            calls.call(
                "a credential_factory of a cluster_profile_source",
                [&] { known.credentials = (*make)(profile, config); }, [&] { return to_string(profile); });
        }
        if (!known.credentials) {
            return error(errc::unavailable, where + ": the program makes no credentials for it");
        }
        return std::move(config.credentials_from(known.credentials));
    }

    result<auth::cluster_config> read(const detail::profile_object& from, const std::string& name) {
        const namespaced_name profile = key_of(from.metadata);
        const std::string where = "clusterprofile " + escape_control(to_string(profile));
        if (options.wait_for_healthy()) {
            if (auto trouble = trouble_of(from.status, where)) return *trouble;
        }
        const auto chosen = choose(from.status, where);
        if (!chosen) return chosen.error();
        const std::string at = where + ", access provider \"" + *chosen->provider + "\"";
        auto config = resolve(*chosen, at);
        if (!config) return config.error();
        return with_credentials(name, *chosen, std::move(*config), profile, at);
    }

    void take(const any_event& event) override {
        const auto profile = event.object().as<detail::profile_object>();
        const auto& meta = profile->metadata;
        const std::string name = detail::name_after(meta.name, meta.namespace_, options.in_namespace());
        if (event.type == event_type::deleted) {
            remove(name);
            made.erase(name);
        } else {
            put(name, read(*profile, name), meta);
        }
    }
    void forget() override { made.clear(); }

    cluster_profile_options options;
    guarded_calls calls;
    std::map<std::string, made_credentials> made;  // by the cluster's name
};

KCONTROL_DECL cluster_profile_source::cluster_profile_source(environment& env, executor ex, auth::cluster_config home,
                                                             http::transport_factory transport,
                                                             cluster_profile_options options)
    : impl_(std::make_shared<impl>(env, std::move(ex), std::move(home), std::move(transport), std::move(options))) {}

KCONTROL_DECL cluster_profile_source::~cluster_profile_source() { stop(); }

KCONTROL_DECL result<void> cluster_profile_source::start(std::function<void(std::vector<desired_cluster>)> on_change) {
    const resource_info* kind = detail::profile_resource(impl_->options.version());
    if (kind == nullptr) {
        return error(errc::invalid_argument, "cluster_profile_options: version: \"" + impl_->options.version() +
                                                 "\" is not known: give v1alpha1 or v1alpha2");
    }
    informer_options settings;
    settings.in_namespace(impl_->options.in_namespace()).label_selector(impl_->options.selector());
    return impl_->start(*kind, std::move(settings), std::move(on_change));
}

KCONTROL_DECL void cluster_profile_source::stop() { impl_->stop(); }

}  // namespace kcontrol

#pragma once

#include <kcontrol/auth/detail/kubeconfig_file.hpp>
#include <kcontrol/auth/detail/resolve.hpp>
#include <kcontrol/auth/kubeconfig.hpp>
#include <kcontrol/base/log.hpp>
#include <kcontrol/codec/codec.hpp>
#include <kcontrol/documents/yaml.hpp>

#include <set>

namespace kcontrol::auth {

struct kubeconfig::contents {
    detail::kubeconfig_file file;
    std::string origin;
    trust level = trust::trusted;
};

namespace detail {

inline error bad_config(std::string_view where, std::string_view what) {
    return error(errc::invalid_config, std::string(where) + ": " + std::string(what));
}

// Messages of the decoder end with what was found, and that may be a secret in the wrong place.
inline std::string without_value(std::string_view decode_message) {
    return std::string(decode_message.substr(0, decode_message.find(", found")));
}

template <class Named>
std::string names_of(const std::vector<Named>& list) {
    constexpr std::size_t most = 20;
    std::string out;
    for (std::size_t i = 0; i < list.size() && i < most; ++i) {
        out += (i ? ", " : "") + escape_control(list[i].name);
    }
    if (list.size() > most) out += ", …";
    return out.empty() ? "none" : out;
}

template <class Named>
std::optional<error> refuse_duplicates(const std::vector<Named>& list, std::string_view what,
                                       const std::string& origin) {
    std::set<std::string_view> seen;
    for (const auto& one : list) {
        if (one.name.empty()) return bad_config(origin, std::string(what) + " without a name");
        if (seen.insert(one.name).second) continue;
        return bad_config(
            origin, std::string(what) + " \"" + escape_control(one.name) + "\" is there twice: remove one of them");
    }
    return std::nullopt;
}

template <class Named>
result<const Named*> find_named(const std::vector<Named>& list, std::string_view what, std::string_view name,
                                const std::string& origin) {
    for (const auto& one : list) {
        if (one.name == name) return &one;
    }
    return bad_config(origin, "there is no " + std::string(what) + " \"" + escape_control(name) +
                                  "\"; the file has: " + names_of(list));
}

inline result<kubeconfig_file> decode_kubeconfig(std::string_view text, const std::string& origin) {
    auto documents = json::parse_yaml(text);
    if (!documents) return bad_config(origin, "not a kubeconfig: " + documents.error().message());
    if (documents->empty()) return bad_config(origin, "the file is empty");
    if (documents->size() > 1) return bad_config(origin, "holds more than one YAML document; a kubeconfig is one");
    if (!documents->front().is_object()) return bad_config(origin, "not a kubeconfig: a mapping is expected");
    json::document document;
    const auto root = document.parse(json::serialize(documents->front()));
    if (!root) return bad_config(origin, without_value(root.error().message()));
    kubeconfig_file file;
    const auto decoded = decode(describe<kubeconfig_file>(), *root, &file);
    if (!decoded) return bad_config(origin, without_value(decoded.error().message()));
    if ((!file.kind.empty() && file.kind != "Config") || (!file.api_version.empty() && file.api_version != "v1")) {
        return bad_config(origin, "not a kubeconfig: it says apiVersion " + escape_control(file.api_version) +
                                      ", kind " + escape_control(file.kind) + " where v1, Config is expected");
    }
    if (auto twice = refuse_duplicates(file.clusters, "cluster", origin)) return *twice;
    if (auto twice = refuse_duplicates(file.users, "user", origin)) return *twice;
    if (auto twice = refuse_duplicates(file.contexts, "context", origin)) return *twice;
    return file;
}

}  // namespace detail

KCONTROL_DECL result<kubeconfig> kubeconfig::parse(std::string_view text, std::string origin, trust level) {
    auto file = detail::decode_kubeconfig(text, origin);
    if (!file) return file.error();
    kubeconfig out;
    out.current_context_ = file->current_context;
    auto made = std::make_shared<contents>();
    made->file = std::move(*file);
    made->origin = std::move(origin);
    made->level = level;
    out.contents_ = std::move(made);
    return out;
}

KCONTROL_DECL result<kubeconfig> kubeconfig::load(environment& env, const std::string& path, trust level) {
    const auto text = env.read_file(path, max_bytes);
    if (!text) return text.error();
    return parse(*text, path, level);
}

KCONTROL_DECL std::vector<std::string> kubeconfig::context_names() const {
    std::vector<std::string> out;
    for (const auto& one : contents_->file.contexts) out.push_back(one.name);
    return out;
}

KCONTROL_DECL result<cluster_config> kubeconfig::resolve(environment& env, std::string_view context) const {
    const auto& [file, origin, level] = *contents_;
    if (context.empty()) context = current_context_;
    if (context.empty()) {
        return detail::bad_config(
            origin, "current-context is not set: choose one of these contexts: " + detail::names_of(file.contexts));
    }
    const auto named = detail::find_named(file.contexts, "context", context, origin);
    if (!named) return named.error();
    const detail::kubeconfig_context* chosen = &(*named)->context;
    const std::string where = origin + ": context \"" + escape_control(context) + "\"";
    if (chosen->cluster.empty()) return detail::bad_config(where, "cluster is not set");
    const auto cluster = detail::find_named(file.clusters, "cluster", chosen->cluster, where);
    if (!cluster) return cluster.error();

    detail::resolver resolver(env, origin, level == trust::untrusted);
    if (auto failed = resolver.take_cluster((*cluster)->name, (*cluster)->cluster)) return *failed;
    if (!chosen->user.empty()) {
        const auto user = detail::find_named(file.users, "user", chosen->user, where);
        if (!user) return user.error();
        if (auto failed = resolver.take_user((*user)->name, (*user)->user)) return *failed;
    }
    return resolver.finish(chosen->default_namespace);
}

}  // namespace kcontrol::auth

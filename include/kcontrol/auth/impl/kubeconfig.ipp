#pragma once

#include <kcontrol/auth/detail/kubeconfig_file.hpp>
#include <kcontrol/auth/detail/resolve.hpp>
#include <kcontrol/auth/kubeconfig.hpp>
#include <kcontrol/base/log.hpp>
#include <kcontrol/codec/codec.hpp>
#include <kcontrol/documents/yaml.hpp>

#include <algorithm>
#include <memory>
#include <set>
#include <utility>
#include <vector>

namespace kcontrol::inline v0_1::auth {

// The files in the order in which they count; one where nothing was merged.
struct kubeconfig::contents {
    struct part {
        detail::kubeconfig_file file;
        std::string origin;
        trust level = trust::trusted;
    };
    std::vector<std::shared_ptr<const part>> parts;

    /// Begins messages about what is in no file.
    std::string where() const {
        std::string out;
        for (const auto& one : parts) out += (out.empty() ? "" : ":") + one->origin;
        return out.empty() ? "no kubeconfig" : out;
    }
};

namespace detail {

inline error bad_config(std::string_view where, std::string_view what) {
    return error(errc::invalid_config, std::string(where) + ": " + std::string(what));
}

// Messages of the decoder end with what was found, and that may be a secret in the wrong place.
inline std::string without_value(std::string_view decode_message) {
    return std::string(decode_message.substr(0, decode_message.find(", found")));
}

// The names in one of the lists of all parts, each once.
template <class Parts, class Named>
std::vector<std::string> names_in(const Parts& parts, std::vector<Named> kubeconfig_file::*list) {
    std::vector<std::string> out;
    std::set<std::string_view> seen;
    for (const auto& part : parts) {
        for (const auto& one : part->file.*list) {
            if (seen.insert(one.name).second) out.push_back(one.name);
        }
    }
    return out;
}

inline std::string names_of(const std::vector<std::string>& list) {
    constexpr std::size_t most = 20;
    std::string out;
    for (std::size_t i = 0; i < list.size() && i < most; ++i) {
        out += (i ? ", " : "") + escape_control(list[i]);
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

// The entry of that name, and the part that it stands in: the first that has it.
template <class Parts, class Named>
auto find_named(const Parts& parts, std::vector<Named> kubeconfig_file::*list, std::string_view what,
                std::string_view name, const std::string& where)
    -> result<std::pair<const Named*, typename Parts::value_type>> {
    for (const auto& part : parts) {
        for (const auto& one : part->file.*list) {
            if (one.name == name) return std::pair(&one, part);
        }
    }
    return bad_config(where, "there is no " + std::string(what) + " \"" + escape_control(name) +
                                 "\"; the file has: " + names_of(names_in(parts, list)));
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

KCONTROL_DECL kubeconfig::kubeconfig() : contents_(std::make_shared<const contents>()) {}

KCONTROL_DECL result<kubeconfig> kubeconfig::parse(std::string_view text, std::string origin, trust level) {
    auto file = detail::decode_kubeconfig(text, origin);
    if (!file) return file.error();
    kubeconfig out;
    out.current_context_ = file->current_context;
    auto only = std::make_shared<contents::part>();
    only->file = std::move(*file);
    only->origin = std::move(origin);
    only->level = std::move(level);
    auto made = std::make_shared<contents>();
    made->parts.push_back(std::move(only));
    out.contents_ = std::move(made);
    return out;
}

KCONTROL_DECL result<kubeconfig> kubeconfig::load(environment& env, const std::string& path, trust level) {
    const auto text = env.read_file(path, max_bytes);
    if (!text) return text.error();
    return parse(*text, path, std::move(level));
}

KCONTROL_DECL kubeconfig kubeconfig::merge(const std::vector<kubeconfig>& files) {
    kubeconfig out;
    auto made = std::make_shared<contents>();
    for (const auto& one : files) {
        made->parts.insert(made->parts.end(), one.contents_->parts.begin(), one.contents_->parts.end());
        if (out.current_context_.empty()) out.current_context_ = one.current_context_;
    }
    out.contents_ = std::move(made);
    return out;
}

namespace detail {

// Whether what can't be read is not there at all, and not just closed to us.
inline bool is_missing(environment& env, const std::string& path) {
    const auto slash = path.rfind('/');
    const std::string directory = slash == std::string::npos ? "." : slash == 0 ? "/" : path.substr(0, slash);
    const auto entries = env.list_entries(directory);
    if (!entries) return true;
    const std::string_view name = std::string_view(path).substr(slash == std::string::npos ? 0 : slash + 1);
    return std::none_of(entries->begin(), entries->end(), [name](const auto& one) { return one.name == name; });
}

inline bool is_blank(std::string_view text) { return text.find_first_not_of(" \t\r\n") == std::string_view::npos; }

}  // namespace detail

KCONTROL_DECL result<kubeconfig> kubeconfig::load_list(environment& env, std::string_view paths, trust level) {
    std::vector<kubeconfig> files;
    std::set<std::string> seen;
    while (!paths.empty()) {
        const std::string path(paths.substr(0, paths.find(':')));
        paths.remove_prefix(std::min(paths.size(), path.size() + 1));
        if (path.empty() || !seen.insert(path).second) continue;
        const auto text = env.read_file(path, max_bytes);
        if (!text && text.error() == errc::file_failed && detail::is_missing(env, path)) continue;
        if (!text) return text.error();
        if (detail::is_blank(*text)) continue;
        auto parsed = parse(*text, path, level);
        if (!parsed) return parsed.error();
        files.push_back(std::move(*parsed));
    }
    return merge(files);
}

KCONTROL_DECL bool kubeconfig::empty() const noexcept {
    return std::all_of(contents_->parts.begin(), contents_->parts.end(), [](const auto& one) {
        return one->file.contexts.empty() && one->file.clusters.empty() && one->file.users.empty();
    });
}

KCONTROL_DECL std::vector<std::string> kubeconfig::context_names() const {
    return detail::names_in(contents_->parts, &detail::kubeconfig_file::contexts);
}

KCONTROL_DECL result<cluster_config> kubeconfig::resolve(environment& env, std::string_view context) const {
    return resolve(env, kubeconfig_overrides().context(std::string(context)));
}

namespace detail {

// What the overrides say about which entries count.
inline void choose_entries(kubeconfig_context& chosen, const kubeconfig_overrides& with) {
    if (!with.cluster().empty()) chosen.cluster = with.cluster();
    if (!with.user().empty()) chosen.user = with.user();
    if (!with.default_namespace().empty()) chosen.default_namespace = with.default_namespace();
}

// Who overrides a field is the person, so the trust that it takes is theirs.
inline trust override_cluster(kubeconfig_cluster& cluster, const kubeconfig_overrides& with, trust level) {
    if (!with.server().empty()) {
        cluster.server = with.server();
        cluster.tls_server_name.clear();
    }
    if (!with.tls_server_name().empty()) cluster.tls_server_name = with.tls_server_name();
    if (const auto insecure = with.insecure_skip_tls_verify()) {
        cluster.insecure = *insecure;
        if (*insecure) {
            cluster.ca_file.clear();
            cluster.ca_data.clear();
            level = level.allow(kubeconfig_feature::insecure_tls);
        }
    }
    if (!with.proxy_url().empty()) {
        cluster.proxy_url = with.proxy_url();
        level = level.allow(kubeconfig_feature::proxy_url);
    }
    return level;
}

inline trust override_user(kubeconfig_user& user, const kubeconfig_overrides& with, trust level) {
    if (!with.token().empty()) {
        user.token = with.token();
        user.token_file.clear();
        user.username.clear();
        user.password = {};
        user.exec.reset();
        user.auth_provider.reset();
    }
    if (const auto& who = with.impersonate()) {
        user.as = mention{true, who->user()};
        user.as_uid = mention{!who->uid().empty(), who->uid()};
        user.as_groups = who->groups();
        user.as_user_extra = who->extra();
        level = level.allow(kubeconfig_feature::impersonation);
    }
    return level;
}

inline bool overrides_user(const kubeconfig_overrides& with) {
    return !with.token().empty() || with.impersonate().has_value();
}

}  // namespace detail

KCONTROL_DECL result<cluster_config> kubeconfig::resolve(environment& env, const kubeconfig_overrides& with) const {
    const auto& parts = contents_->parts;
    const std::string all = contents_->where();
    const std::string& context = with.context().empty() ? current_context_ : with.context();
    detail::kubeconfig_context chosen;
    std::string where = all;
    if (!context.empty()) {
        const auto named = detail::find_named(parts, &detail::kubeconfig_file::contexts, "context", context, all);
        if (!named) return named.error();
        chosen = named->first->context;
        where = named->second->origin + ": context \"" + escape_control(context) + "\"";
    } else if (with.cluster().empty() && with.server().empty()) {
        return detail::bad_config(
            all, "current-context is not set: choose one of these contexts: " + detail::names_of(context_names()));
    }
    detail::choose_entries(chosen, with);
    if (chosen.cluster.empty() && with.server().empty()) return detail::bad_config(where, "cluster is not set");

    detail::resolver resolver(env);
    detail::kubeconfig_cluster cluster;
    trust level = trust::trusted;
    std::string origin = all;
    if (!chosen.cluster.empty()) {
        const auto found =
            detail::find_named(parts, &detail::kubeconfig_file::clusters, "cluster", chosen.cluster, where);
        if (!found) return found.error();
        cluster = found->first->cluster;
        origin = found->second->origin;
        level = found->second->level;
    }
    level = detail::override_cluster(cluster, with, std::move(level));
    if (auto failed = resolver.take_cluster({origin, level}, chosen.cluster, cluster)) return *failed;

    if (chosen.user.empty() && !detail::overrides_user(with)) return resolver.finish(chosen.default_namespace);
    detail::kubeconfig_user user;
    level = trust::trusted;
    origin = all;
    if (!chosen.user.empty()) {
        const auto found = detail::find_named(parts, &detail::kubeconfig_file::users, "user", chosen.user, where);
        if (!found) return found.error();
        user = found->first->user;
        origin = found->second->origin;
        level = found->second->level;
    }
    level = detail::override_user(user, with, std::move(level));
    if (auto failed = resolver.take_user({origin, level}, chosen.user, user)) return *failed;
    return resolver.finish(chosen.default_namespace);
}

}  // namespace kcontrol::auth

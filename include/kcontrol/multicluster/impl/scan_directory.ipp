#pragma once

#include <kcontrol/multicluster/scan_directory.hpp>

#include <algorithm>
#include <utility>

namespace kcontrol {
namespace detail {

inline std::string cluster_name_of(const std::string& file) {
    const auto dot = file.rfind('.');
    return dot == std::string::npos || dot == 0 ? file : file.substr(0, dot);
}

inline bool is_kubeconfig_name(const std::string& file) {
    return !file.empty() && file.front() != '.' && file.back() != '~' && file.front() != '#';
}

inline result<auth::cluster_config> read_kubeconfig(environment& env, const std::string& file, auth::trust level) {
    const auto parsed = auth::kubeconfig::load(env, file, level);
    if (!parsed) return parsed.error();
    return parsed->resolve(env);
}

}  // namespace detail

KCONTROL_DECL result<std::vector<directory_tracker::finding>> scan_directory(environment& env, const std::string& path,
                                                                             auth::trust level, const logger& log) {
    const auto files = env.list_directory(path);
    if (!files) return files.error();
    std::vector<directory_tracker::finding> found;
    for (const auto& file : *files) {
        if (!detail::is_kubeconfig_name(file)) continue;
        auto name = detail::cluster_name_of(file);
        const bool taken =
            std::any_of(found.begin(), found.end(), [&](const auto& other) { return other.first == name; });
        if (taken) {
            log.warning("two kubeconfigs with one cluster name: this one is passed over",
                        {{"file", path + "/" + file}});
            continue;
        }
        found.emplace_back(std::move(name), detail::read_kubeconfig(env, path + "/" + file, level));
    }
    return found;
}

}  // namespace kcontrol

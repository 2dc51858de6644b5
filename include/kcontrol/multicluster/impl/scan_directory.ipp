#pragma once

#include <kcontrol/multicluster/detail/printable_name.hpp>
#include <kcontrol/multicluster/scan_directory.hpp>

#include <algorithm>
#include <utility>

namespace kcontrol::inline v0_1 {
namespace detail {

inline std::string cluster_name_of(const std::string& file) {
    const auto dot = file.rfind('.');
    return dot == std::string::npos || dot == 0 ? file : file.substr(0, dot);
}

inline bool is_kubeconfig_name(const std::string& file) {
    // The root of a file system of its own has the latter.
    return !file.empty() && file.front() != '.' && file.back() != '~' && file.front() != '#' && file != "lost+found";
}

inline error no_kubeconfig(const std::string& path, file_kind kind) {
    const char* what = "a directory";
    if (kind == file_kind::fifo) what = "a FIFO";
    if (kind == file_kind::socket) what = "a socket";
    if (kind == file_kind::device) what = "a device";
    return error(errc::invalid_config, escape_control(path) + ": it is " + what +
                                           ", not a file with a kubeconfig; move it elsewhere, or give it a name "
                                           "that begins with a dot");
}

inline result<auth::cluster_config> read_kubeconfig(environment& env, const std::string& path, file_kind kind,
                                                    auth::trust level) {
    if (kind != file_kind::regular) return no_kubeconfig(path, kind);
    const auto printable = [](const error& why) { return error(why.code(), escape_control(why.message())); };
    const auto text = env.read_regular_file(path, auth::kubeconfig::max_bytes);
    if (!text) return printable(text.error());
    const auto parsed = auth::kubeconfig::parse(*text, path, level);
    if (!parsed) return printable(parsed.error());
    auto config = parsed->resolve(env);
    if (!config) return printable(config.error());
    return config;
}

// `passed_over` gets the files whose cluster has another file already, as text that can be shown.
inline result<std::vector<directory_tracker::finding>> scan_kubeconfigs(environment& env, const std::string& path,
                                                                        auth::trust level,
                                                                        std::vector<std::string>& passed_over) {
    auto entries = env.list_entries(path);
    if (!entries) return entries.error();
    // A directory "a" beside a file "a.yaml" does not take its name.
    std::stable_partition(entries->begin(), entries->end(),
                          [](const directory_entry& one) { return one.kind == file_kind::regular; });
    std::vector<directory_tracker::finding> found;
    for (const auto& [file, kind] : *entries) {
        if (!is_kubeconfig_name(file)) continue;
        const std::string whole = std::string(path).append("/").append(file);
        auto name = printable_name(cluster_name_of(file));
        const bool taken =
            std::any_of(found.begin(), found.end(), [&](const auto& other) { return other.first == name; });
        if (taken) {
            passed_over.push_back(escape_control(whole));
        } else {
            found.emplace_back(std::move(name), read_kubeconfig(env, whole, kind, level));
        }
    }
    return found;
}

inline void tell_passed_over(const logger& log, const std::string& file) {
    log.warning("two kubeconfigs with one cluster name: this one is passed over", {{"file", file}});
}

}  // namespace detail

KCONTROL_DECL result<std::vector<directory_tracker::finding>> scan_directory(environment& env, const std::string& path,
                                                                             auth::trust level, const logger& log) {
    std::vector<std::string> passed_over;
    auto found = detail::scan_kubeconfigs(env, path, std::move(level), passed_over);
    for (const std::string& file : passed_over) detail::tell_passed_over(log, file);
    return found;
}

}  // namespace kcontrol

#include "hand_over.hpp"

#include <kcontrol/runtime/system_environment.hpp>

#include <algorithm>
#include <cerrno>
#include <cstring>
#include <filesystem>
#include <unistd.h>

namespace kcontrol_gen {

bool is_for_apiserver(const std::vector<std::string>& arguments) {
    const auto end = std::find(arguments.begin(), arguments.end(), "--");
    return std::any_of(arguments.begin(), end,
                       [](const std::string& each) { return each == "--crds-of" || each == "--rbac-of"; });
}

std::vector<std::string> apiserver_places(const std::string& own_folder, std::string_view path) {
    std::vector<std::string> out;
    const auto add = [&out](std::string_view folder) {
        if (folder.starts_with('/')) out.push_back(std::string(folder) + "/kcontrol-apiserver");
    };
    add(own_folder);
    while (!path.empty()) {
        const auto folder = path.substr(0, path.find(':'));
        add(folder);
        path.remove_prefix(std::min(folder.size() + 1, path.size()));
    }
    return out;
}

kcontrol::error become_apiserver(const std::vector<std::string>& arguments) {
    kcontrol::system_environment env;
    std::error_code unknown;
    const auto self = std::filesystem::read_symlink("/proc/self/exe", unknown);
    std::vector<std::string> texts{"kcontrol-apiserver"};
    texts.insert(texts.end(), arguments.begin(), arguments.end());
    std::vector<char*> argv;
    for (auto& text : texts) argv.push_back(text.data());
    argv.push_back(nullptr);
    for (const auto& place : apiserver_places(self.parent_path(), env.variable("PATH").value_or(""))) {
        ::execv(place.c_str(), argv.data());
        if (errno == ENOENT || errno == ENOTDIR || errno == EACCES) continue;
        return kcontrol::error(kcontrol::errc::file_failed, place + " can't be started: " + std::strerror(errno));
    }
    return kcontrol::error(kcontrol::errc::file_failed,
                           "--crds-of and --rbac-of need kcontrol-apiserver, which is neither beside kcontrol-gen nor "
                           "in PATH: install it, or build it with -DKCONTROL_BUILD_APISERVER=ON");
}

}  // namespace kcontrol_gen

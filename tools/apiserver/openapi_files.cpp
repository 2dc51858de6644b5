#include "openapi_files.hpp"

#include <kcontrol/documents/value.hpp>
#include <kcontrol/json/reader.hpp>

#include <optional>
#include <string_view>

namespace kcontrol_apiserver {
namespace {

using kcontrol::errc;
using kcontrol::error;
using kcontrol::result;

constexpr std::size_t max_bytes = std::size_t{64} << 20;

// "apis__apps__v1_openapi.json" → "apis/apps/v1"; nothing for other names.
std::optional<std::string> group_version_of(std::string_view name) {
    for (const std::string_view end : {"_openapi.json", ".json"}) {
        if (!name.ends_with(end)) continue;
        name.remove_suffix(end.size());
        if (!name.starts_with("api__") && !name.starts_with("apis__")) return std::nullopt;
        std::string out;
        for (std::size_t at = 0; at < name.size(); ++at) {
            const bool separates = name.substr(at).starts_with("__");
            out.push_back(separates ? '/' : name[at]);
            if (separates) ++at;
        }
        return out;
    }
    return std::nullopt;
}

}  // namespace

result<void> add_openapi_files(kcontrol::environment& env, kcontrol::testing::api_server& api,
                               const std::string& directory) {
    const auto names = env.list_directory(directory);
    if (!names) return names.error().with_context("--openapi");
    std::size_t found = 0;
    for (const auto& name : *names) {
        const auto group_version = group_version_of(name);
        if (!group_version) continue;
        const std::string path = directory + "/" + name;
        auto text = env.read_regular_file(path, max_bytes);
        if (!text) return text.error().with_context("--openapi");
        kcontrol::json::document document;
        const auto root = document.parse(*text);
        if (!root) return root.error().with_context("--openapi " + path);
        if (!root->is_object() || !(*root)["openapi"].is_string()) {
            return error(errc::decode_failed,
                         "--openapi " + path +
                             " is no OpenAPI v3 document (no member openapi); take the answers of a "
                             "server to /openapi/v3/" +
                             *group_version);
        }
        if (api.set_openapi(*group_version, std::move(*text))) ++found;
    }
    if (found != 0) return {};
    return error(errc::file_failed, "--openapi " + directory +
                                        ": no document of a group that is served is there; name them like api__v1.json "
                                        "and apis__apps__v1.json");
}

}  // namespace kcontrol_apiserver

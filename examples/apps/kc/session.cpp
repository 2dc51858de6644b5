#include "session.hpp"

#include <kcontrol/client/manifest.hpp>

#include <algorithm>
#include <fstream>
#include <iostream>
#include <iterator>

namespace kc {

void refuse(const std::string& why) { throw exception(error(errc::invalid_argument, why)); }

int report(const error& why) {
    if (const auto* status = why.status(); status == nullptr) {
        std::cerr << "error: " << why.what() << "\n";
    } else if (status->reason == "Unauthorized") {
        std::cerr << "error: You must be logged in to the server (" << status->message << ")\n";
    } else {
        std::cerr << "Error from server (" << status->reason << "): " << status->message << "\n";
    }
    return 1;
}

std::string name_of(const api_resource& kind, std::string_view name) {
    std::string out = kind.gvk.kind;
    std::transform(out.begin(), out.end(), out.begin(), [](char c) { return c >= 'A' && c <= 'Z' ? char(c + 32) : c; });
    if (!kind.gvk.group.empty()) out += "." + kind.gvk.group;
    return out + "/" + std::string(name);
}

const resource_info& session::info(const api_resource& of) {
    return infos_.emplace_back(dynamic_resource(of.gvk, of.plural, of.scope()));
}

std::string session::home(const api_resource& of) const {
    return of.namespaced ? client.underlying().default_namespace() : std::string();
}

session::target session::targets() {
    if (said.words.size() < 2) refuse("which kind? " + said.words[0] + " KIND [NAME]");
    std::string word = said.words[1];
    std::vector<std::string> names(said.words.begin() + 2, said.words.end());
    if (const auto slash = word.find('/'); slash != std::string::npos) {
        names.insert(names.begin(), word.substr(slash + 1));
        word.resize(slash);
    }
    target out{kind(word), {}};
    if (std::count(names.begin(), names.end(), "") != 0) refuse("resource name may not be empty");
    if (!names.empty() && (said.has("--selector") || said.has("--all"))) {
        refuse("name cannot be provided when a selector is specified");
    }
    if (!names.empty() && out.kind.namespaced && said.has("--all-namespaces")) {
        refuse("a resource cannot be retrieved by name across all namespaces");
    }
    for (auto& name : names) out.keys.emplace_back(home(out.kind), std::move(name));
    return out;
}

std::vector<session::manifest> session::manifests() {
    const std::string& path = said.text("--filename");
    std::ifstream file;
    if (path != "-") file.open(path);
    std::istream& in = path == "-" ? std::cin : file;
    if (!in) throw exception(error(errc::file_failed, path + ": can't be read"));
    const std::string text{std::istreambuf_iterator<char>(in), {}};
    auto parsed = parse_manifests(text);
    if (!parsed) throw exception(parsed.error().with_context(path));
    std::vector<manifest> out;
    for (auto& one : *parsed) {
        out.push_back({kind(one.gvk), std::move(one.key), std::move(one.object)});
        if (out.back().key.namespace_.empty()) out.back().key.namespace_ = home(out.back().kind);
    }
    return out;
}

}  // namespace kc

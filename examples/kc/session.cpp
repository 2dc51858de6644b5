#include "session.hpp"

#include <kcontrol/documents/yaml.hpp>

#include <algorithm>
#include <fstream>
#include <iostream>
#include <iterator>

namespace kc {

void refuse(const std::string& why) { throw exception(error(errc::invalid_argument, why)); }

std::string name_of(const api_resource& kind, std::string_view name) {
    std::string out = kind.gvk.kind;
    std::transform(out.begin(), out.end(), out.begin(), [](char c) { return c >= 'A' && c <= 'Z' ? char(c + 32) : c; });
    if (!kind.gvk.group.empty()) out += "." + kind.gvk.group;
    return out + "/" + std::string(name);
}

api_resource session::kind(const std::string& word) {
    return client.run([&](kcontrol::client&) { return discovery.find(word); }).value();
}

api_resource session::kind(const group_version_kind& gvk) {
    return client.run([&](kcontrol::client&) { return discovery.find(gvk); }).value();
}

const resource_info& session::info(const api_resource& of) {
    return infos_.emplace_back(dynamic_resource(of.gvk, of.plural, of.scope()));
}

std::string session::home(const api_resource& of) const {
    return of.namespaced ? client.below().default_namespace() : std::string();
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
    for (auto& name : names) out.keys.emplace_back(home(out.kind), std::move(name));
    return out;
}

void session::add_manifest(json::value document, std::vector<manifest>& to) {
    if (auto* items = document.is_object() ? document.get_object().if_contains("items") : nullptr;
        items != nullptr && items->is_array()) {
        for (auto& item : items->get_array()) add_manifest(std::move(item), to);
        return;
    }
    const std::string version(json::get_string(document, {"apiVersion"}));
    const auto slash = version.find('/');
    const std::string group = slash == std::string::npos ? "" : version.substr(0, slash);
    const group_version_kind gvk(group, version.substr(slash == std::string::npos ? 0 : slash + 1),
                                 std::string(json::get_string(document, {"kind"})));
    if (gvk.version.empty() || gvk.kind.empty()) refuse("an object without apiVersion or kind");
    manifest one;
    one.kind = kind(gvk);
    one.key = namespaced_name(std::string(json::get_string(document, {"metadata", "namespace"})),
                              std::string(json::get_string(document, {"metadata", "name"})));
    if (one.key.namespace_.empty()) one.key.namespace_ = home(one.kind);
    one.object = std::move(document);
    to.push_back(std::move(one));
}

std::vector<session::manifest> session::manifests() {
    const std::string& path = said.text("--filename");
    std::ifstream file;
    if (path != "-") file.open(path);
    std::istream& in = path == "-" ? std::cin : file;
    if (!in) throw exception(error(errc::file_failed, path + ": can't be read"));
    const std::string text{std::istreambuf_iterator<char>(in), {}};
    auto documents = json::parse_yaml(text, std::size_t{64} << 20);
    if (!documents) throw exception(documents.error().with_context(path));
    std::vector<manifest> out;
    for (auto& document : *documents) add_manifest(std::move(document), out);
    if (out.empty()) refuse(path + ": no objects");
    return out;
}

void print_columns(const std::vector<std::vector<std::string>>& rows) {
    constexpr std::size_t least = 6, padding = 3;
    std::vector<std::size_t> widths;
    for (const auto& row : rows) {
        widths.resize(std::max(widths.size(), row.size()), least);
        for (std::size_t i = 0; i < row.size(); ++i) widths[i] = std::max(widths[i], row[i].size() + padding);
    }
    for (const auto& row : rows) {
        for (std::size_t i = 0; i < row.size(); ++i) {
            std::cout << row[i];
            if (i + 1 < row.size()) std::cout << std::string(widths[i] - row[i].size(), ' ');
        }
        std::cout << "\n";
    }
}

}  // namespace kc

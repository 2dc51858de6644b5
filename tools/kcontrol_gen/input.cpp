#include "input.hpp"

#include <kcontrol/documents/yaml.hpp>

#include "condensed.hpp"
#include "naming.hpp"
#include "read_openapi.hpp"

#include <algorithm>
#include <cerrno>
#include <cstring>
#include <filesystem>
#include <fstream>
#include <iostream>
#include <iterator>

namespace kcontrol_gen {
namespace {

using kcontrol::errc;
using kcontrol::error;
using kcontrol::result;

constexpr std::size_t max_bytes = std::size_t{256} << 20;

bool looks_like_json(std::string_view text) {
    const auto at = text.find_first_not_of(" \t\r\n");
    return at != std::string_view::npos && text[at] == '{';
}

result<std::vector<json::value>> parse_documents(const std::string& text, const std::string& name) {
    // JSON is YAML as well, but the parser for JSON is faster and its depth is larger.
    if (looks_like_json(text)) {
        auto one = json::parse(text);
        if (one) return std::vector<json::value>{std::move(*one)};
        auto many = json::parse_yaml(text, max_bytes);  // a stream of documents, or JSON with liberties
        if (!many) return one.error().with_context(name);
        return many;
    }
    auto many = json::parse_yaml(text, max_bytes);
    if (!many) return many.error().with_context(name);
    return many;
}

bool has_wanted_ending(const std::filesystem::path& path) {
    const auto ending = path.extension().string();
    return ending == ".yaml" || ending == ".yml" || ending == ".json";
}

}  // namespace

result<std::string> read_all(const std::string& path) {
    std::ifstream file;
    if (path != "-") file.open(path, std::ios::binary);
    if (path != "-" && !file) return error(errc::file_failed, path + ": can't be opened: " + std::strerror(errno));
    std::istream& from = path == "-" ? std::cin : file;
    std::string text;
    std::string part(std::size_t{1} << 16, '\0');
    while (from.read(part.data(), static_cast<std::streamsize>(part.size())) || from.gcount() > 0) {
        text.append(part, 0, static_cast<std::size_t>(from.gcount()));
        if (text.size() > max_bytes) return error(errc::too_large, path + ": is larger than 256 MiB");
    }
    if (from.bad()) return error(errc::file_failed, path + ": can't be read: " + std::strerror(errno));
    return text;
}

result<void> input::add_path(const std::string& path) {
    namespace fs = std::filesystem;
    std::error_code failed;
    if (path == "-" || !fs::is_directory(path, failed)) {
        const auto text = read_all(path);
        if (!text) return text.error();
        return add_text(*text, path == "-" ? "standard input" : path, true);
    }
    std::vector<std::string> files;
    for (fs::recursive_directory_iterator each(path, failed), end; !failed && each != end; each.increment(failed)) {
        if (has_wanted_ending(each->path()) && each->is_regular_file(failed)) files.push_back(each->path().string());
    }
    if (failed) return error(errc::file_failed, path + ": can't be listed: " + failed.message());
    std::ranges::sort(files);
    if (files.empty()) return error(errc::file_failed, path + ": has no .yaml, .yml or .json files");
    for (const auto& file : files) {
        const auto text = read_all(file);
        if (!text) return text.error();
        const auto done = add_text(*text, file, false);
        if (!done) return done.error();
    }
    return {};
}

result<void> input::add_text(const std::string& text, const std::string& name, bool required) {
    const auto documents = parse_documents(text, name);
    if (!documents) return documents.error();
    bool any = false;
    std::size_t number = 0;
    for (const auto& document : *documents) {
        ++number;
        const auto where = documents->size() == 1 ? name : name + ", document " + std::to_string(number);
        bool used = false;
        const auto done = add_document(document, where, used);
        if (!done) return done.error();
        any = any || used;
    }
    if (!any && required) {
        return error(errc::decode_failed,
                     name + ": holds no CustomResourceDefinition and no OpenAPI v3 document (it has " +
                         std::to_string(documents->size()) + " documents" +
                         (documents->empty()
                              ? ""
                              : ", the first of kind \"" + printable(text_of(documents->front(), "kind")) + "\"") +
                         ")");
    }
    return {};
}

result<void> input::add_document(const json::value& document, const std::string& name, bool& used) {
    used = true;
    if (crd_reader::accepts(document)) return crds_.add(document, name);
    if (member(document, "openapi") != nullptr) return read_openapi(document, name, openapi_);
    if (member(document, "kcontrolSchema") != nullptr) return read_condensed(document, name, openapi_);
    used = false;
    return {};
}

const schema& input::openapi() {
    std::ranges::sort(openapi_.kinds, {}, [](const kind& k) { return std::tie(k.group, k.version, k.name); });
    std::ranges::sort(openapi_.remarks, {}, [](const remark& r) { return std::tie(r.path, r.reason); });
    return openapi_;
}

result<schema> input::finish() {
    auto all = crds_.finish();
    finish_openapi(openapi_);
    all.types.merge(openapi_.types);
    all.kinds.insert(all.kinds.end(), openapi_.kinds.begin(), openapi_.kinds.end());
    all.remarks.insert(all.remarks.end(), openapi_.remarks.begin(), openapi_.remarks.end());
    if (all.origin.empty()) all.origin = openapi_.origin;
    if (all.kinds.empty()) return error(errc::decode_failed, "no kind was found in the input");
    return all;
}

}  // namespace kcontrol_gen

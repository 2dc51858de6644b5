#include "documents.hpp"

#include <kcontrol/documents/value.hpp>
#include <kcontrol/documents/yaml.hpp>
#include <kcontrol/json/cursor_strings.hpp>
#include <kcontrol/json/reader.hpp>

#include <algorithm>
#include <cerrno>
#include <charconv>
#include <cstring>
#include <fstream>
#include <istream>
#include <optional>
#include <string_view>

namespace transcode {
namespace {

namespace json = kcontrol::json;
using kcontrol::errc;
using kcontrol::error;
using kcontrol::result;

constexpr std::size_t max_bytes = std::size_t{256} << 20;

// Objects and lists of JSON, one behind the other; or nothing if something else is among them.
std::vector<std::string> json_documents(const std::string& text) {
    std::vector<std::string> documents;
    json::document document;
    for (std::size_t at = 0; (at = text.find_first_not_of(" \t\r\n", at)) != std::string::npos;) {
        if (text[at] != '{' && text[at] != '[') return {};
        json::cursor rest(std::string_view(text).substr(at));
        if (!rest.skip_value(json::any_depth)) return {};
        const std::size_t end = text.size() - rest.left();
        documents.push_back(text.substr(at, end - at));
        if (!document.parse(documents.back())) return {};
        at = end;
    }
    return documents;
}

// A number beyond a double outside of strings. YAML would take it for a text, as it does in YAML.
std::optional<std::string> too_large_number(std::string_view text) {
    constexpr std::string_view of_numbers = "+-.0123456789Ee";
    json::document document;
    for (std::size_t at = 0; at < text.size();) {
        if (text[at] == '"') {
            json::cursor rest(text.substr(at));
            if (!rest.skip_value(json::any_depth)) break;
            at = text.size() - rest.left();
            continue;
        }
        const std::size_t end = std::min(text.find_first_not_of(of_numbers, at), text.size());
        const std::string_view word = text.substr(at, end - at);
        at = std::max(end, at + 1);
        double value = 0;
        const auto read = std::from_chars(word.data(), word.data() + word.size(), value);
        if (read.ec != std::errc::result_out_of_range || read.ptr != word.data() + word.size()) continue;
        if (!document.parse(word)) return std::string(word);  // else it is too small: zero
    }
    return std::nullopt;
}

}  // namespace

result<std::string> read_file(const std::string& path, std::istream& in) {
    std::ifstream file;
    if (path != "-") file.open(path, std::ios::binary);
    if (path != "-" && !file) return error(errc::file_failed, "can't be opened: " + std::string(std::strerror(errno)));
    std::istream& from = path == "-" ? in : file;
    std::string text;
    std::string part(std::size_t{1} << 16, '\0');
    while (from.read(part.data(), static_cast<std::streamsize>(part.size())) || from.gcount() > 0) {
        text.append(part, 0, static_cast<std::size_t>(from.gcount()));
        if (text.size() > max_bytes) return error(errc::too_large, "is larger than 256 MiB; split it");
    }
    if (from.bad()) return error(errc::file_failed, "can't be read: " + std::string(std::strerror(errno)));
    return text;
}

result<std::vector<std::string>> split_documents(const std::string& text) {
    const auto first = text.find_first_not_of(" \t\r\n");
    if (first == std::string::npos) return std::vector<std::string>();
    if (text[first] == '{' || text[first] == '[') {
        auto documents = json_documents(text);
        if (!documents.empty()) return documents;
        if (const auto number = too_large_number(text)) {
            return error(errc::decode_failed, "JSON number " + *number + " is too large for a double");
        }
    }
    const auto parsed = json::parse_yaml(text, max_bytes);
    if (!parsed) return parsed.error();
    std::vector<std::string> documents;
    for (const auto& value : *parsed) documents.push_back(json::serialize(value));
    return documents;
}

}  // namespace transcode

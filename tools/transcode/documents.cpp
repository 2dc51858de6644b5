#include "documents.hpp"

#include <kcontrol/json/reader.hpp>
#include <kcontrol/json/value.hpp>
#include <kcontrol/json/yaml.hpp>

#include <cerrno>
#include <cstring>
#include <fstream>
#include <istream>

namespace transcode {
namespace {

namespace json = kcontrol::json;
using kcontrol::errc;
using kcontrol::error;
using kcontrol::result;

constexpr std::size_t max_bytes = std::size_t{256} << 20;

bool is_json(const std::string& text) {
    json::document document;
    return document.parse(text).has_value();
}

// Every line that is not blank is a document of its own; or nothing.
std::vector<std::string> json_lines(const std::string& text) {
    std::vector<std::string> lines;
    json::document document;
    for (std::size_t start = 0; start < text.size();) {
        const std::size_t end = std::min(text.find('\n', start), text.size());
        std::string line = text.substr(start, end - start);
        start = end + 1;
        if (line.find_first_not_of(" \t\r") == std::string::npos) continue;
        if (!document.parse(line)) return {};
        lines.push_back(std::move(line));
    }
    return lines;
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
        if (is_json(text)) return std::vector<std::string>{text};
        auto lines = json_lines(text);
        if (!lines.empty()) return lines;
    }
    const auto parsed = json::parse_yaml(text, max_bytes);
    if (!parsed) return parsed.error();
    std::vector<std::string> documents;
    for (const auto& value : *parsed) documents.push_back(json::serialize(value));
    return documents;
}

}  // namespace transcode

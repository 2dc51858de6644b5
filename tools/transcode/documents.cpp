#include "documents.hpp"

#include <kcontrol/api/protobuf.hpp>
#include <kcontrol/codec/protobuf.hpp>
#include <kcontrol/codec/protobuf_stream.hpp>
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

const kcontrol::protobuf_message* find_message(std::string_view api_version, std::string_view kind) {
    const auto slash = api_version.find('/');
    if (slash == std::string_view::npos) return kcontrol::api::find_protobuf("", api_version, kind);
    return kcontrol::api::find_protobuf(api_version.substr(0, slash), api_version.substr(slash + 1), kind);
}

error unknown_kind(const kcontrol::protobuf_envelope& envelope) {
    return error(errc::invalid_argument, "Protocol Buffers of " + std::string(envelope.api_version) + " " +
                                             std::string(envelope.kind) + ", which is no built-in kind");
}

// Items have no apiVersion and kind of their own, as in what a server answers in JSON.
result<std::string> json_of_list(const std::string& bytes, const kcontrol::protobuf_envelope& envelope) {
    const auto* item = find_message(envelope.api_version, envelope.kind.substr(0, envelope.kind.size() - 4));
    if (item == nullptr) return unknown_kind(envelope);
    kcontrol::protobuf_list_reader reader(max_bytes);
    reader.feed(bytes);
    std::string out = R"({"apiVersion":)" + json::serialize(json::value(envelope.api_version)) + R"(,"kind":)" +
                      json::serialize(json::value(envelope.kind)) + R"(,"metadata":{},"items":[)";
    for (std::size_t index = 0;; ++index) {
        const auto next = reader.next();
        if (!next) return next.error();
        if (!*next) break;
        const auto text = kcontrol::protobuf_to_json(*item, **next);
        if (!text) return text.error().with_context("items[" + std::to_string(index) + "]");
        out += (index == 0 ? "" : ",") + *text;
    }
    const auto whole = reader.finish();
    if (!whole) return whole.error();
    return out + "]}";
}

}  // namespace

result<std::string> json_of_protobuf(const std::string& bytes) {
    const auto envelope = kcontrol::open_protobuf(bytes);
    if (!envelope) return envelope.error();
    const auto* message = find_message(envelope->api_version, envelope->kind);
    if (message == nullptr && envelope->kind.ends_with("List")) return json_of_list(bytes, *envelope);
    if (message == nullptr) return unknown_kind(*envelope);
    return kcontrol::protobuf_to_json(*message, envelope->message, envelope->api_version, envelope->kind);
}

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
    if (kcontrol::is_protobuf(text)) {
        auto document = json_of_protobuf(text);
        if (!document) return document.error();
        return std::vector<std::string>{std::move(*document)};
    }
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

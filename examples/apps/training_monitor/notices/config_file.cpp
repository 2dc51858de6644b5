#include "notices/config_file.hpp"

#include <kcontrol/codec/known_fields.hpp>
#include <kcontrol/documents/value.hpp>
#include <kcontrol/documents/yaml.hpp>

#include "notices/config_error.hpp"

namespace training_monitor::notices {
namespace {

// The decoder's messages end with what was found, and that may be a secret in the wrong place.
std::string without_value(std::string_view message) { return std::string(message.substr(0, message.find(", found"))); }

}  // namespace

kcontrol::result<notice_file> decode_config_file(std::string_view text) {
    auto documents = kcontrol::json::parse_yaml(text, most_config_bytes);
    if (!documents) return bad_config("not YAML: " + documents.error().message());
    if (documents->size() != 1 || !documents->front().is_object()) {
        return bad_config("one YAML document with receivers and rules is expected");
    }
    kcontrol::json::document parsed;
    const auto root = parsed.parse(kcontrol::json::serialize(documents->front()));
    if (!root) return bad_config(without_value(root.error().message()));
    const auto known = kcontrol::check_known_fields(kcontrol::describe<notice_file>(), *root, false);
    if (!known) {
        const auto& text_of = known.error().message();
        return bad_config(text_of.substr(0, text_of.find(';')) + "; docs/training_monitor/notices.md lists the fields");
    }
    notice_file out;
    const auto decoded = kcontrol::decode(kcontrol::describe<notice_file>(), *root, &out);
    if (!decoded) return bad_config(without_value(decoded.error().message()));
    return out;
}

}  // namespace training_monitor::notices

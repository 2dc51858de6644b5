// Files that people write, read strictly.
#pragma once

#include <kcontrol/codec/decode.hpp>
#include <kcontrol/codec/known_fields.hpp>
#include <kcontrol/documents/value.hpp>
#include <kcontrol/documents/yaml.hpp>
#include <kcontrol/model/describe.hpp>

#include <string>
#include <utility>

namespace training_monitor {

/// One YAML document of at most 1 MiB with `members`, of which T declares each field; `page` lists them.
/// Errors: invalid_config, naming the field.
template <class T>
kcontrol::result<T> read_strict_yaml(std::string_view text, const std::string& members, const std::string& page) {
    const auto bad = [](std::string why) { return kcontrol::error(kcontrol::errc::invalid_config, std::move(why)); };
    const auto documents = kcontrol::json::parse_yaml(text);
    if (!documents) return bad("not YAML: " + documents.error().message());
    if (documents->size() != 1 || !documents->front().is_object()) {
        return bad("one YAML document with " + members + " is expected");
    }
    kcontrol::json::document parsed;
    const auto root = parsed.parse(kcontrol::json::serialize(documents->front()));
    if (!root) return bad(root.error().message());
    if (const auto known = kcontrol::check_known_fields(kcontrol::describe<T>(), *root, false); !known) {
        const auto& why = known.error().message();
        return bad(why.substr(0, why.find(';')) + "; " + page + " lists the fields");
    }
    T out;
    const auto decoded = kcontrol::decode(kcontrol::describe<T>(), *root, &out);
    if (!decoded) return bad(decoded.error().message());
    return out;
}

}  // namespace training_monitor

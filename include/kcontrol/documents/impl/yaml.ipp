#pragma once

#include <kcontrol/documents/detail/yaml_scalar.hpp>
#include <kcontrol/documents/yaml.hpp>
#ifndef KCONTROL_WITHOUT_YAML
#include <kcontrol/documents/impl/yaml_reader.hpp>
#endif

#include <string>

namespace kcontrol::inline v0_1::json {

KCONTROL_DECL result<std::vector<value>> parse_yaml(std::string_view text, std::size_t max_bytes) {
    if (text.size() > max_bytes) {
        return error(errc::too_large, "YAML larger than " + std::to_string(max_bytes) + " bytes");
    }
    // JSON is YAML, but for surrogate pairs and long keys, which libyaml refuses.
    const auto first = text.find_first_not_of(" \t\r\n");
    if (first != std::string_view::npos && (text[first] == '{' || text[first] == '[')) {
        auto whole = parse(text);
        if (whole) return std::vector<value>{std::move(*whole)};
#ifdef KCONTROL_WITHOUT_YAML
        return whole.error();
#endif
    }
#ifdef KCONTROL_WITHOUT_YAML
    if (first == std::string_view::npos) return std::vector<value>{};
    return error(
        errc::decode_failed,
        "this is YAML, and this kcontrol was built without libyaml (KCONTROL_WITH_YAML=OFF): write it as JSON");
#else
    constexpr std::size_t alias_factor = 8;
    return detail::yaml_reader(text, alias_factor * max_bytes).documents();
#endif
}

}  // namespace kcontrol::json

#pragma once

#include <kcontrol/documents/yaml.hpp>
#include <kcontrol/documents/yaml_file.hpp>
#ifndef KCONTROL_WITHOUT_YAML
#include <kcontrol/documents/impl/yaml_reader.hpp>
#endif

#include <utility>
#include <vector>

namespace kcontrol::inline v0_1::json {
namespace detail {

inline error yaml_file_error(std::string name, std::size_t line, std::string_view why) {
    if (line != 0) name += ":" + std::to_string(line);
    return error(errc::invalid_config, name.append(": ").append(why));
}

}  // namespace detail

KCONTROL_DECL result<yaml_file> yaml_file::parse(std::string name, std::string_view text, std::size_t max_bytes) {
    yaml_file out;
    out.name_ = std::move(name);
#ifdef KCONTROL_WITHOUT_YAML
    auto read = parse_yaml(text, max_bytes);
    if (!read) return detail::yaml_file_error(std::move(out.name_), 0, read.error().message());
#else
    if (text.size() > max_bytes) {
        const auto most = std::to_string(max_bytes);
        return error(errc::too_large, out.name_ + ": larger than " + most + " bytes");
    }
    constexpr std::size_t alias_factor = 8;
    detail::yaml_places places;
    auto read = detail::yaml_reader(text, alias_factor * max_bytes, &places).documents();
    if (!read) {
        const auto& why = places.problem.empty() ? read.error().message() : places.problem;
        return detail::yaml_file_error(std::move(out.name_), places.failed_at, why);
    }
    out.lines_ = std::move(places.lines);
#endif
    if (read->size() != 1) {
        const auto found = std::to_string(read->size());
        return detail::yaml_file_error(std::move(out.name_), 1, "one YAML document is expected, found " + found);
    }
    out.document_ = std::move(read->front());
    return out;
}

KCONTROL_DECL std::size_t yaml_file::line_of(std::string_view pointer) const {
    for (; !pointer.empty(); pointer = pointer.substr(0, pointer.rfind('/'))) {
        if (const auto found = lines_.find(pointer); found != lines_.end()) return found->second;
        if (pointer.rfind('/') == std::string_view::npos) break;
    }
#ifdef KCONTROL_WITHOUT_YAML
    return 0;
#else
    return 1;
#endif
}

KCONTROL_DECL error yaml_file::at(std::string_view pointer, std::string_view why) const {
    return detail::yaml_file_error(name_, line_of(pointer), why);
}

}  // namespace kcontrol::json

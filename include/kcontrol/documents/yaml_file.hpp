// yaml_file: a YAML document that people wrote, and on which line each of its parts is.
#pragma once

#include <kcontrol/base/result.hpp>
#include <kcontrol/documents/value.hpp>

#include <cstddef>
#include <functional>
#include <map>
#include <string>
#include <string_view>

namespace kcontrol::inline v0_1::json {

/// One document of a configuration file, for messages of the form `FILE:LINE: what is wrong`.
///
/// Thread-safety: distinct objects safe; shared objects safe for const access.
class yaml_file {
public:
    /// Reads a text as parse_yaml() does, which is to be one document. `name` is how messages name the file.
    /// Errors: invalid_config, `NAME:LINE: …`; too_large.
    static KCONTROL_DECL result<yaml_file> parse(std::string name, std::string_view text,
                                                 std::size_t max_bytes = std::size_t{1} << 20);

    const value& document() const noexcept { return document_; }  ///< what it says
    /// The line, from 1, of the key or the list element at a JSON Pointer such as "/profiles/0/name", or of the
    /// nearest part around it that has one. 0 where kcontrol was built without YAML.
    KCONTROL_DECL std::size_t line_of(std::string_view pointer) const;
    /// What is wrong with a part: invalid_config, `NAME:LINE: why`.
    KCONTROL_DECL error at(std::string_view pointer, std::string_view why) const;

private:
    std::string name_;
    value document_;
    std::map<std::string, std::size_t, std::less<>> lines_;
};

}  // namespace kcontrol::json

#ifdef KCONTROL_HEADER_ONLY
#include <kcontrol/documents/impl/yaml_file.ipp>
#endif

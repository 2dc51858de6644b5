// URLs of CEL's url(), as Go's net/url reads them. Pure.
#pragma once

#include <kcontrol/base/result.hpp>
#include <kcontrol/config.hpp>

#include <map>
#include <string>
#include <string_view>
#include <vector>

namespace kcontrol::inline v0_1::cel {

/// An absolute URL, or an absolute path.
class url_value {
public:
    std::string scheme;  ///< in lower case
    std::string host;    ///< with its port; an IPv6 address in brackets
    std::string path;    ///< with its escapes, as EscapedPath() of Go has them
    std::string query;   ///< with its escapes
    std::string text;    ///< as it was written

    bool operator==(const url_value& other) const { return text == other.text; }

    KCONTROL_DECL std::string hostname() const;
    KCONTROL_DECL std::string port() const;
    /// The members of the query, each with its values. What can't be read is left out, as in Go.
    KCONTROL_DECL std::map<std::string, std::vector<std::string>> query_values() const;
};

/// Errors: invalid_argument, in Go's words: `parse "x": invalid URI for request`.
KCONTROL_DECL result<url_value> parse_url_value(std::string_view text);

}  // namespace kcontrol::cel

#ifdef KCONTROL_HEADER_ONLY
#include <kcontrol/cel/impl/url.ipp>
#endif

// The library's own HTTP request and response types; no HTTP library's name shows through them.
#pragma once

#include <kcontrol/config.hpp>

#include <string>
#include <string_view>
#include <utility>
#include <vector>

namespace kcontrol::inline v0_1::http {

/// Header fields in order of arrival. Names compare without regard to case (RFC 9110 §5.1).
///
/// Thread-safety: distinct objects safe; shared objects safe for const access.
class fields {
public:
    /// One field as it was given, or as it arrived.
    struct field {
        std::string name;   ///< case does not count
        std::string value;  ///< as it goes over the wire
    };

    /// Replaces every field of that name by one.
    KCONTROL_DECL void set(std::string_view name, std::string value);
    /// Adds one more field.
    KCONTROL_DECL void add(std::string_view name, std::string value);
    KCONTROL_DECL void erase(std::string_view name);  ///< all fields of that name, if there are any
    /// The first field's value, or empty.
    KCONTROL_DECL std::string_view get(std::string_view name) const noexcept;
    KCONTROL_DECL bool contains(std::string_view name) const noexcept;  ///< also where its value is empty

    auto begin() const noexcept { return fields_.begin(); }
    auto end() const noexcept { return fields_.end(); }
    std::size_t size() const noexcept { return fields_.size(); }

private:
    std::vector<field> fields_;
};

/// A request. `target` is path and query as they go on the wire, percent-encoded already.
class request {
public:
    request() = default;
    /// Method and target; without headers and body.
    request(std::string m, std::string t) : method(std::move(m)), target(std::move(t)) {}

    std::string method = "GET";  ///< "GET", "PUT"; its case counts
    std::string target = "/";    ///< begins with '/'
    http::fields headers;        ///< a client's transport refuses Host, Content-Length and others that are its own
    std::string body;            ///< whole; the transport says how long it is
};

/// Status line and header of a response.
class response_head {
public:
    response_head() = default;
    explicit response_head(int code) : status(code) {}  ///< without headers

    int status = 0;        ///< 0: none was set; servers send 200 to 599
    http::fields headers;  ///< a server sets Date, Connection and what says the length itself
};

/// A whole response.
class response : public response_head {
public:
    response() = default;
    explicit response(int code) : response_head(code) {}  ///< without a body
    /// With a body, and its Content-Type.
    response(int code, std::string_view content_type, std::string text) : response_head(code), body(std::move(text)) {
        headers.set("Content-Type", std::string(content_type));
    }

    std::string body;  ///< as it came: transports don't decompress it
};

/// True if `name` and `value` may go on the wire as a header field: a token, and no control character but tab.
KCONTROL_DECL bool is_valid_field(std::string_view name, std::string_view value) noexcept;

/// True if `target` may stand in a request line: visible ASCII only, beginning with '/'.
KCONTROL_DECL bool is_valid_target(std::string_view target) noexcept;

}  // namespace kcontrol::http

#ifdef KCONTROL_HEADER_ONLY
#include <kcontrol/http/impl/message.ipp>
#endif

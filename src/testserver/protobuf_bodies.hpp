// Protocol Buffers at the server's door: inside everything is JSON. What comes in becomes it, what goes out was it.
// Pure.
#pragma once

#include <kcontrol/testing/failure.hpp>
#include <kcontrol/testing/request_info.hpp>

#include <optional>
#include <string>
#include <string_view>

namespace kcontrol::inline v0_1::testing {

/// What a request's Accept header says of Protocol Buffers.
class accepted_forms {
public:
    /// `available`: the kind that is asked for can be written so. Where it can't, only the other media types count.
    accepted_forms(std::string_view accept, bool available);

    /// Whether the first media type that the server can answer with is that of Protocol Buffers.
    bool protobuf() const noexcept { return protobuf_; }
    /// The header with JSON in its place, or with nothing that anybody answers.
    const std::string& in_json() const noexcept { return in_json_; }

private:
    std::string in_json_;
    bool protobuf_ = false;
};

/// An object, a list or a Status, in its envelope; nothing if its kind is not one of Kubernetes' own.
std::optional<std::string> protobuf_of_json(std::string_view text);

/// An event of a watch (a line of JSON) as a frame. What can't be one comes back as it is.
std::string protobuf_event_of_json(std::string event);

/// The JSON of an object of Kubernetes' own kinds or of DeleteOptions. Fails with BadRequest.
outcome<std::string> json_of_protobuf(std::string_view body);

}  // namespace kcontrol::testing

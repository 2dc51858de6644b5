// Responses of the API server that several files make.
#pragma once

#include <kcontrol/documents/value.hpp>
#include <kcontrol/http/message.hpp>
#include <kcontrol/testing/failure.hpp>

#include <string>
#include <string_view>
#include <vector>

namespace kcontrol::inline v0_1::testing::detail {

inline constexpr std::string_view json_media_type = "application/json";

/// A refusal, with Retry-After if it says when.
http::response status_response(const failure& f);
http::response page_not_found();

/// The Status of something that was done.
json::value success_status(int code);
http::response json_answer(int code, const json::value& document);

/// Adds warnings as kubectl shows them.
void show_warnings(http::response& answer, const std::vector<std::string>& warnings);

}  // namespace kcontrol::testing::detail

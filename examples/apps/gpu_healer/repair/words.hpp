// The words of a step's texts, {node} {uid} {reason} {gpus} {attempt} {token}, replaced where they stand.
#pragma once

#include <kcontrol/base/result.hpp>

#include "repair/step_runner.hpp"

#include <string>
#include <string_view>

namespace gpu_healer {

/// As they are.
std::string fill(std::string_view text, const step_request& of);
/// For a part of a URL: percent-encoded.
std::string fill_url(std::string_view text, const step_request& of);
/// For a string of a JSON text: escaped.
std::string fill_json(std::string_view text, const step_request& of);

/// extraVars of AWX with the words in all their strings replaced, and kcontrol_token. Errors: invalid_argument where it
/// is no JSON object.
kcontrol::result<std::string> extra_vars(const awx_step& step, const step_request& of);

}  // namespace gpu_healer

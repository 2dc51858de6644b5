#include "repair/words.hpp"

#include <kcontrol/documents/value.hpp>
#include <kcontrol/http/url.hpp>

#include <array>
#include <utility>

namespace gpu_healer {
namespace {

using escape = std::string (*)(std::string_view);

std::string as_it_is(std::string_view text) { return std::string(text); }

std::string inside_json(std::string_view text) {
    const auto quoted = json::serialize(json::value(text));
    return quoted.substr(1, quoted.size() - 2);
}

std::string replace(std::string_view text, const step_request& of, escape how) {
    std::string gpus;
    for (const auto& each : of.gpus) gpus += (gpus.empty() ? "" : ",") + each;
    const std::array<std::pair<std::string_view, std::string>, 6> words{{{"{node}", of.node},
                                                                         {"{uid}", of.uid},
                                                                         {"{reason}", of.reason},
                                                                         {"{gpus}", gpus},
                                                                         {"{attempt}", std::to_string(of.attempt)},
                                                                         {"{token}", of.token}}};
    std::string out;
    while (!text.empty()) {
        std::size_t taken = 0;
        for (const auto& [word, value] : words) {
            if (!text.starts_with(word)) continue;
            out += how(value);
            taken = word.size();
        }
        if (taken == 0) out += text[taken++];
        text.remove_prefix(taken);
    }
    return out;
}

void fill_strings(json::value& in, const step_request& of) {
    if (in.is_string()) {
        in = fill(std::string_view(in.get_string()), of);
    } else if (in.is_array()) {
        for (auto& each : in.get_array()) fill_strings(each, of);
    } else if (in.is_object()) {
        for (auto& each : in.get_object()) fill_strings(each.value(), of);
    }
}

}  // namespace

std::string fill(std::string_view text, const step_request& of) { return replace(text, of, as_it_is); }
std::string fill_url(std::string_view text, const step_request& of) { return replace(text, of, http::percent_encode); }
std::string fill_json(std::string_view text, const step_request& of) { return replace(text, of, inside_json); }

kcontrol::result<std::string> extra_vars(const awx_step& step, const step_request& of) {
    auto read = json::parse(step.extra_vars.empty() ? "{}" : step.extra_vars.text());
    if (!read || !read->is_object()) return error(errc::invalid_argument, "extraVars is no JSON object");
    fill_strings(*read, of);
    (*read).as_object()["kcontrol_token"] = of.token;
    return json::serialize(*read);
}

}  // namespace gpu_healer

// Whatever a server answers, it is an object of JSON or an error whose words are bounded and fit for a terminal, and it
// is the same to both readers of bodies. The input: two bytes that choose the status; the headers Content-Type,
// Retry-After and Warning, a line each; the body.
#include <kcontrol/client/detail/answer.hpp>
#include <kcontrol/client/detail/manners.hpp>

#include "require.hpp"

#include <cstddef>
#include <cstdint>
#include <string>
#include <string_view>

namespace {

using namespace kcontrol;
using fuzz::require;

// Escaped, no byte of text becomes more than four.
constexpr std::size_t most_text = std::size_t{4} * 2048 + 200;

void look_at(std::string_view text, std::size_t most) {
    require(text.size() <= most);
    for (const char c : text) require(static_cast<unsigned char>(c) >= 0x20 && c != 0x7f);
}

void look_at(const error& why) {
    require(!why.message().empty());
    look_at(why.message(), most_text);
    const api_status* status = why.status();
    if (status == nullptr) return;
    require(status->code >= 100 && status->code <= 599);
    require(status->causes.size() <= 32);
    for (const auto& cause : status->causes) {
        look_at(cause.reason, most_text);
        look_at(cause.message, most_text);
        look_at(cause.field, most_text);
    }
    look_at(status->reason, most_text);
    if (!status->retry_after) return;
    require(status->retry_after->count() >= 0 && *status->retry_after <= api_status::max_retry_after);
}

std::string_view take_line(std::string_view& text) {
    const auto line = text.substr(0, text.find('\n'));
    text.remove_prefix(line.size() == text.size() ? line.size() : line.size() + 1);
    return line;
}

}  // namespace

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
    if (size < 2) return 0;
    http::response answer(100 + (data[0] * 256 + data[1]) % 500);
    std::string_view rest(reinterpret_cast<const char*>(data) + 2, size - 2);
    for (const char* name : {"Content-Type", "Retry-After", "Warning"}) {
        const auto line = take_line(rest);
        if (!line.empty()) answer.headers.add(name, std::string(line));
    }
    answer.body = std::string(rest);

    const auto warnings = detail::warnings_of(answer.headers);
    require(warnings.size() <= 32);
    for (const auto& one : warnings) look_at(one, most_text);
    if (!detail::is_success(answer.status)) return look_at(detail::answer_error(answer)), 0;
    json::document document;
    const auto root = detail::answer_json(answer, document);
    if (!root) look_at(root.error());
    if (detail::refuse_answer(answer)) return require(!root), 0;
    const auto refused = detail::refuse_body(answer);
    if (refused) look_at(*refused);
    if (root) require(root->is_object() && !refused);
    return 0;
}

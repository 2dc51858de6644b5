#include "dataset/version.hpp"

#include <kcontrol/documents/value.hpp>

#include "gang/report.hpp"

#include <algorithm>

namespace training_operator {
namespace {

constexpr std::size_t longest_version = 128;

error wrong(std::string what) { return error(errc::invalid_argument, std::move(what)); }

bool is_version(std::string_view text) {
    const auto is_good = [](char c) {
        return (c >= '0' && c <= '9') || (c >= 'A' && c <= 'Z') || (c >= 'a' && c <= 'z') ||
               std::string_view("._:+-").find(c) != std::string_view::npos;
    };
    return !text.empty() && text.size() <= longest_version && std::ranges::all_of(text, is_good);
}

result<std::string> version_in(const std::string& body) {
    const auto read = json::parse(body);
    if (!read) return wrong("the answer has no header delta-table-version, and is no JSON");
    const auto* found = json::find(*read, {"version"});
    if (found == nullptr) return wrong("the answer has neither the header delta-table-version nor a member version");
    if (found->is_string()) return std::string(found->get_string());
    if (found->is_int64() || found->is_uint64()) return json::serialize(*found);
    return wrong("the version in the answer is neither a text nor a whole number");
}

}  // namespace

result<std::string> version_of(const http::response& answer) {
    if (answer.status != 200) return wrong("the answer is " + std::to_string(answer.status));
    result<std::string> out = std::string(answer.headers.get("delta-table-version"));
    if (out->empty()) out = version_in(answer.body);
    if (out && !is_version(*out)) return wrong("the version in the answer is not of A-Z a-z 0-9 . _ : + - alone");
    return out;
}

result<std::string> hash_of(const http::response& answer) {
    if (answer.status == 404) return std::string();
    if (answer.status != 200) return wrong("the answer is " + std::to_string(answer.status));
    const auto hash = answer.body.substr(0, answer.body.find_first_of(" \t\r\n"));
    if (!is_hash(hash)) return wrong("the answer does not begin with 64 hexadecimal digits");
    return hash;
}

}  // namespace training_operator

#include "haproxy/server.hpp"

#include "messages.hpp"

#include <algorithm>
#include <array>
#include <charconv>

namespace follow::haproxy {
namespace {

using kcontrol::errc;
using kcontrol::error;
using kcontrol::result;

// Bits of srv_admin_state: haproxy/server-t.h, enum srv_admin. 0x20 is maintenance as a name is not resolved.
constexpr unsigned any_maint = 0x01 | 0x02 | 0x04 | 0x20;
constexpr unsigned any_drain = 0x08 | 0x10;

std::vector<std::string_view> words_of(std::string_view line) {
    std::vector<std::string_view> out;
    while (!line.empty()) {
        const auto end = std::min(line.find(' '), line.size());
        if (end > 0) out.push_back(line.substr(0, end));
        line.remove_prefix(std::min(end + 1, line.size()));
    }
    return out;
}

std::string_view next_line(std::string_view& text) {
    const auto end = std::min(text.find('\n'), text.size());
    const auto out = text.substr(0, end);
    text.remove_prefix(std::min(end + 1, text.size()));
    return out;
}

template <class Number>
bool read_number(std::string_view text, Number& out) {
    const auto [end, failed] = std::from_chars(text.data(), text.data() + text.size(), out);
    return failed == std::errc() && end == text.data() + text.size();
}

constexpr std::array<std::string_view, 4> needed{"srv_name", "srv_addr", "srv_admin_state", "srv_port"};

}  // namespace

std::string_view to_string(server_state state) noexcept {
    return state == server_state::ready ? "ready" : state == server_state::drain ? "drain" : "maint";
}

result<std::vector<server>> parse_servers(std::string_view answer) {
    const auto whole = answer;
    next_line(answer);  // the version of the format; its columns have names since the first one
    auto header = next_line(answer);
    if (!header.starts_with("# ")) return error(errc::protocol_error, "HAProxy: " + in_quotes(whole));
    header.remove_prefix(2);
    const auto columns = words_of(header);
    std::array<std::size_t, needed.size()> place{};
    for (std::size_t i = 0; i < needed.size(); ++i) {
        const auto found = std::find(columns.begin(), columns.end(), needed[i]);
        if (found == columns.end()) {
            return error(errc::protocol_error, "HAProxy's table of servers has no column " + std::string(needed[i]) +
                                                   "; HAProxy 2.6 or newer is needed");
        }
        place[i] = static_cast<std::size_t>(found - columns.begin());
    }
    std::vector<server> out;
    while (!answer.empty()) {
        const auto fields = words_of(next_line(answer));
        if (fields.size() < columns.size()) continue;
        if (!fields[place[0]].starts_with(own_prefix)) continue;
        server one;
        unsigned admin = 0;
        one.name = fields[place[0]];
        one.address = fields[place[1]];
        if (!read_number(fields[place[2]], admin) || !read_number(fields[place[3]], one.port)) {
            return error(errc::protocol_error, "HAProxy's table of servers has no numbers for " + in_quotes(one.name));
        }
        one.state = (admin & any_maint) != 0   ? server_state::maint
                    : (admin & any_drain) != 0 ? server_state::drain
                                               : server_state::ready;
        out.push_back(std::move(one));
    }
    std::sort(out.begin(), out.end());
    return out;
}

}  // namespace follow::haproxy

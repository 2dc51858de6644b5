#pragma once

#include <kcontrol/base/ascii.hpp>
#include <kcontrol/base/log.hpp>
#include <kcontrol/model/names.hpp>
#include <kcontrol/service/detail/leader_machine.hpp>
#include <kcontrol/service/leader_follower.hpp>

#include <algorithm>
#include <charconv>
#include <utility>

namespace kcontrol::inline v0_1::service::detail {

// client-go's default, for a Lease that says none.
inline constexpr duration default_lease_duration = std::chrono::seconds(15);

inline bool is_port_number(std::string_view text) {
    std::uint16_t number = 0;
    const auto read = std::from_chars(text.data(), text.data() + text.size(), number);
    return read.ec == std::errc() && read.ptr == text.data() + text.size() && number != 0;
}

KCONTROL_DECL bool is_host_and_port(std::string_view text) {
    const auto colon = text.rfind(':');
    if (colon == std::string_view::npos || !is_port_number(text.substr(colon + 1))) return false;
    const std::string_view host = text.substr(0, colon);
    if (host.starts_with('[')) {
        constexpr std::string_view allowed = "0123456789abcdefABCDEF:.";
        return host.size() > 4 && host.ends_with(']') && host.find(':') != std::string_view::npos &&
               host.substr(1, host.size() - 2).find_first_not_of(allowed) == std::string_view::npos;
    }
    std::string lower = ascii_lower(host);
    if (lower.ends_with('.')) lower.pop_back();
    return check_dns1123_subdomain(lower).empty();
}

// What an annotation may be: the user of the address knows its form. But it is one word.
inline bool is_one_word(std::string_view text) {
    return !text.empty() && text.size() <= 1024 &&
           std::all_of(text.begin(), text.end(), [](char c) { return c > ' ' && c < '\x7f'; });
}

KCONTROL_DECL void leader_machine::loaded(std::string holder, std::string address, duration lasts, time_point now) {
    holder_ = std::move(holder);
    address_ = std::move(address);
    lasts_ = lasts;
    seen_at_ = now;
}

KCONTROL_DECL void leader_machine::observed(const followed_lease& seen, time_point now) {
    known_ = true;
    if (!spec_ || *spec_ != seen.spec) {
        spec_ = seen.spec;
        seen_at_ = now;
        const std::int32_t seconds = seen.spec.lease_duration_seconds.value_or(0);
        lasts_ = seconds > 0 ? duration(std::chrono::seconds(seconds)) : default_lease_duration;
    }
    holder_ = seen.spec.holder_identity.str();
    read_address(seen);
}

KCONTROL_DECL void leader_machine::vanished() {
    known_ = true;
    spec_.reset();
    holder_.clear();
    address_.clear();
    odd_.clear();
}

KCONTROL_DECL void leader_machine::read_address(const followed_lease& seen) {
    address_.clear();
    odd_.clear();
    if (holder_.empty()) return;
    const text* const annotation = seen.metadata.annotations.get(address_annotation);
    if (annotation != nullptr && is_one_word(annotation->view())) {
        address_ = annotation->str();
    } else if (is_host_and_port(holder_)) {
        address_ = holder_;
    } else {
        odd_ = annotation != nullptr ? "its annotation " + std::string(address_annotation) + " is no address"
                                     : "it has no annotation " + std::string(address_annotation);
        odd_ += ", and its holder \"" + escape_control(holder_) + "\" is not of the form HOST:PORT";
    }
}

KCONTROL_DECL std::string_view leader_machine::holder(time_point now) const {
    return due(now) ? std::string_view(holder_) : std::string_view();
}

KCONTROL_DECL std::string_view leader_machine::address(time_point now) const {
    return due(now) ? std::string_view(address_) : std::string_view();
}

KCONTROL_DECL std::optional<time_point> leader_machine::due(time_point now) const {
    if (holder_.empty() || now >= seen_at_ + lasts_) return std::nullopt;
    return seen_at_ + lasts_;
}

KCONTROL_DECL std::optional<error> leader_machine::problem(time_point now) const {
    if (known_ && !spec_) {
        return error(api_errc::not_found, lease_ + ": there is no such Lease; it is followed as soon as it is created");
    }
    if (odd_.empty() || !due(now)) return std::nullopt;
    return error(errc::invalid_argument, lease_ + ": the leader's address is not known: " + odd_);
}

}  // namespace kcontrol::service::detail

#pragma once

#include <kcontrol/client/list_meter.hpp>

#include <functional>
#include <string>

namespace kcontrol::inline v0_1 {
namespace detail {

KCONTROL_DECL error list_without_end(std::string_view bound, const std::string& value) {
    return error(errc::limit_exceeded, "the list goes on beyond " + std::string(bound) + " (" + value +
                                           "); raise that bound if the server is in order");
}

}  // namespace detail

KCONTROL_DECL std::optional<error> list_meter::add(const any_list& page, time_point now) {
    pages_ += 1;
    items_ += page.items.size() + page.invalid.size();
    bytes_ += page.bytes;
    if (auto beyond = check_amount()) return beyond;
    if (page.continue_token.empty()) return std::nullopt;
    if (!tokens_.insert(std::hash<std::string_view>{}(page.continue_token)).second) {
        return error(errc::protocol_error, "the server answers with the same page of a list again and again");
    }
    if (pages_ >= bounds_.max_pages()) {
        return detail::list_without_end("max_pages", std::to_string(bounds_.max_pages()));
    }
    return check_time(now);
}

KCONTROL_DECL std::optional<error> list_meter::add_streamed(std::uint64_t bytes_in_all, time_point now) {
    items_ += 1;
    bytes_ = bytes_in_all;
    if (auto beyond = check_amount()) return beyond;
    return check_time(now);
}

KCONTROL_DECL std::optional<error> list_meter::check_amount() const {
    const auto beyond = [](std::string_view bound, std::uint64_t value) {
        return detail::list_without_end(bound, std::to_string(value));
    };
    if (items_ > bounds_.max_items()) return beyond("max_items", bounds_.max_items());
    if (bytes_ > bounds_.max_bytes()) return beyond("max_bytes", bounds_.max_bytes());
    return std::nullopt;
}

KCONTROL_DECL std::optional<error> list_meter::check_time(time_point now) const {
    if (now - began_ > bounds_.max_time()) {
        const auto seconds = std::chrono::duration_cast<std::chrono::seconds>(bounds_.max_time());
        return detail::list_without_end("max_time", std::to_string(seconds.count()) + " s");
    }
    return std::nullopt;
}

}  // namespace kcontrol

// Holds the pages of a list against its bounds.
#pragma once

#include <kcontrol/base/error.hpp>
#include <kcontrol/client/any_list.hpp>
#include <kcontrol/client/list_bounds.hpp>

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <unordered_set>

namespace kcontrol::inline v0_1 {

namespace detail {
/// The error of a list beyond a bound: limit_exceeded.
KCONTROL_DECL error list_without_end(std::string_view bound, const std::string& value);
}  // namespace detail

/// Counts one list, page by page.
///
/// Thread-safety: distinct objects safe; shared objects unsafe.
class list_meter {
public:
    /// `began`: when the first page was asked for; list_bounds::max_time() counts from there.
    list_meter(list_bounds bounds, time_point began) : bounds_(bounds), began_(began) {}

    /// A page came. An error says which bound it exceeds (limit_exceeded), or that its continue token came before
    /// (protocol_error): such a list has no end.
    KCONTROL_DECL std::optional<error> add(const any_list& page, time_point now);

    /// One object more came of a streamed list, of which so many bytes have come in all. Errors: limit_exceeded.
    KCONTROL_DECL std::optional<error> add_streamed(std::uint64_t bytes_in_all, time_point now);

private:
    KCONTROL_DECL std::optional<error> check_amount() const;
    KCONTROL_DECL std::optional<error> check_time(time_point now) const;

    list_bounds bounds_;
    time_point began_;
    std::uint64_t pages_ = 0;
    std::uint64_t items_ = 0;
    std::uint64_t bytes_ = 0;
    std::unordered_set<std::size_t> tokens_;  // as hashes
};

}  // namespace kcontrol

#ifdef KCONTROL_HEADER_ONLY
#include <kcontrol/client/impl/list_meter.ipp>
#endif

// What the answer to a write says of the object.
#pragma once

#include <kcontrol/base/error.hpp>
#include <kcontrol/scheduling/detail/binding_machine.hpp>

#include <charconv>
#include <cstdint>
#include <string_view>

namespace kcontrol::inline v0_1::scheduling::detail {

// What is known of an answer without a whole answer. A server error may come from what is behind the server, after the
// binding was stored.
inline binding_answer answer_of(const error& why) {
    const auto code = why.code();
    if (code == errc::stopped || code == errc::not_leading) return binding_answer::stopped;
    if (code == condition::not_found) return binding_answer::missing;
    if (code == condition::conflict) return binding_answer::conflict;
    for (const api_errc refused :
         {api_errc::bad_request, api_errc::unauthorized, api_errc::forbidden, api_errc::invalid,
          api_errc::too_many_requests, api_errc::method_not_allowed, api_errc::not_acceptable,
          api_errc::unsupported_media_type, api_errc::request_entity_too_large}) {
        if (code == refused) return binding_answer::failed;
    }
    return code == errc::invalid_argument ? binding_answer::failed : binding_answer::lost;
}

inline bool is_newer_version(std::string_view a, std::string_view than) {
    std::uint64_t x = 0, y = 0;
    std::from_chars(a.data(), a.data() + a.size(), x);
    std::from_chars(than.data(), than.data() + than.size(), y);
    return x > y;
}

}  // namespace kcontrol::scheduling::detail

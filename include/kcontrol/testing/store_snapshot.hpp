// What an api_server held at some time, to be put back later.
#pragma once

#include <cstdint>
#include <memory>

namespace kcontrol::inline v0_1::testing {

namespace detail {
class stored_tables;
}

/// Everything a server held at some time. A copy shares it. One that was made by hand is empty.
///
/// Thread-safety: distinct objects safe; shared objects safe for const access.
class store_snapshot {
public:
    std::uint64_t version = 0;                            ///< of the last change by then
    std::shared_ptr<const detail::stored_tables> tables;  ///< kinds and objects, for servers; null: none
};

}  // namespace kcontrol::testing

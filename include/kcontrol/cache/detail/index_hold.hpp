// What a store_index holds: an index of a store that may have gone.
#pragma once

#include <kcontrol/config.hpp>

#include <cstdint>
#include <memory>
#include <string>
#include <utility>

namespace kcontrol::inline v0_1::detail {

class store_writer;

struct index_hold {
    index_hold(std::weak_ptr<store_writer> w, std::uint64_t i, std::string n)
        : writer(std::move(w)), id(i), name(std::move(n)) {}
    KCONTROL_DECL ~index_hold();
    index_hold(const index_hold&) = delete;
    index_hold& operator=(const index_hold&) = delete;

    std::weak_ptr<store_writer> writer;
    std::uint64_t id;
    std::string name;
};

}  // namespace kcontrol::detail

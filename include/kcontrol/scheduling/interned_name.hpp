// interned_name: a name that occurs in many pods and nodes, kept once and compared by address.
#pragma once

#include <kcontrol/config.hpp>

#include <atomic>
#include <compare>
#include <cstddef>
#include <cstdint>
#include <functional>
#include <string>
#include <string_view>
#include <utility>

namespace kcontrol::inline v0_1::scheduling {

/// One of the names that the process uses now: a resource, an image, the key of a label. All equal names share one
/// copy, which is freed with the last of them. Eight bytes; equality compares addresses.
///
/// Thread-safety: distinct objects safe; shared objects safe for const access.
class interned_name {
public:
    interned_name() noexcept = default;  ///< the empty name
    /// Looks the name up in the process's table, and adds it there if it is new.
    KCONTROL_DECL explicit interned_name(std::string_view name);
    interned_name(const interned_name& other) noexcept : entry_(other.entry_) {
        if (entry_ != nullptr) entry_->uses.fetch_add(1, std::memory_order_relaxed);
    }
    interned_name(interned_name&& other) noexcept : entry_(std::exchange(other.entry_, nullptr)) {}
    /// Takes the name of the other.
    interned_name& operator=(interned_name other) noexcept { return std::swap(entry_, other.entry_), *this; }
    ~interned_name() {
        if (entry_ != nullptr) release();
    }

    /// The name; valid while an equal interned_name exists.
    std::string_view view() const noexcept { return entry_ == nullptr ? std::string_view() : entry_->name; }
    bool empty() const noexcept { return entry_ == nullptr; }
    /// Where the name is kept: the same for equal names, and of no meaning beyond that.
    const void* address() const noexcept { return entry_; }

    friend bool operator==(const interned_name&, const interned_name&) noexcept = default;
    /// By the bytes of the names.
    friend std::strong_ordering operator<=>(const interned_name& a, const interned_name& b) noexcept {
        return a.entry_ == b.entry_ ? std::strong_ordering::equal : a.view() <=> b.view();
    }
    friend bool operator==(const interned_name& a, std::string_view b) noexcept { return a.view() == b; }

private:
    struct entry {
        std::string name;
        std::atomic<std::size_t> uses;
    };
    struct table;
    KCONTROL_DECL void release() noexcept;

    entry* entry_ = nullptr;
};

}  // namespace kcontrol::scheduling

template <>
struct std::hash<kcontrol::scheduling::interned_name> {
    std::size_t operator()(const kcontrol::scheduling::interned_name& name) const noexcept {
        return std::hash<const void*>{}(name.address());
    }
};

#ifdef KCONTROL_HEADER_ONLY
#include <kcontrol/scheduling/impl/interned_name.ipp>
#endif

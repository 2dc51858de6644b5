// Handles: numbers that stand for what a C program may not hold itself.
#pragma once

#include "failure.hpp"

#include <memory>
#include <mutex>
#include <shared_mutex>
#include <unordered_map>
#include <vector>

namespace kcontrol::inline v0_1::service_c {

/// What a handle stands for: a client, a part of one, a snapshot.
class entry {
public:
    virtual ~entry() = default;

    /// What it is called in messages: "a client", "a lead".
    virtual const char* name() const noexcept = 0;
    /// Ends it; the handle is no longer in the table. Failures (KC_EBUSY) come from may_end().
    virtual void end() noexcept = 0;
    /// Whether the calling thread may end it now.
    virtual outcome<void> may_end() const { return {}; }
    /// The client that it ends with, or 0.
    virtual kc_handle owner() const noexcept { return 0; }
};

/// All handles of the process.
///
/// Thread-safety: shared objects safe. It is never destroyed: threads that still run while the process exits may use
/// it.
class handle_table {
public:
    static handle_table& of_process() noexcept;

    /// A number for what is put() later, when it is complete: it was never given before.
    kc_handle reserve() noexcept;
    void put(kc_handle handle, std::shared_ptr<entry> what);

    /// What the handle stands for, if it is a T. Failures: KC_EHANDLE.
    template <class T>
    outcome<std::shared_ptr<T>> find(kc_handle handle) const {
        auto any = look_up(handle);
        if (!any) return any.error();
        auto typed = std::dynamic_pointer_cast<T>(*any);
        if (!typed) return wrong_kind(handle, **any, T::kind_name);
        return typed;
    }
    /// The same for any kind.
    outcome<std::shared_ptr<entry>> look_up(kc_handle handle) const;

    /// Takes the handle out; of two threads one gets it, the other null.
    std::shared_ptr<entry> take(kc_handle handle) noexcept;
    /// Takes out the newest of those whose owner the handle is; null: there is none any more. Takes no memory.
    std::shared_ptr<entry> take_part_of(kc_handle owner) noexcept;
    /// All that are there, for the end of the process.
    std::vector<std::shared_ptr<entry>> all() const;

private:
    static failure wrong_kind(kc_handle handle, const entry& is, const char* wanted);

    mutable std::shared_mutex mutex_;
    struct slot {
        std::uint64_t number;  // later ones are larger
        std::shared_ptr<entry> what;
    };
    std::unordered_map<kc_handle, slot> entries_;
    std::uint64_t given_ = 0, put_ = 0;
};

}  // namespace kcontrol::service_c

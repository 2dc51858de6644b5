// What the plugins of a profile know of one pod: an object of each plugin's `state`, all in one block.
#pragma once

#include <cstddef>
#include <memory>
#include <new>
#include <span>
#include <utility>
#include <vector>

namespace kcontrol::inline v0_1::scheduling::detail {

/// How a state is made, copied and destroyed; size 0: the plugin has none.
struct state_type {
    std::size_t size = 0;
    std::size_t alignment = 1;
    void (*make)(void* at) = nullptr;
    void (*assign)(void* to, const void* from) = nullptr;
    void (*destroy)(void* at) noexcept = nullptr;
};

template <class State>
inline constexpr state_type state_type_of{
    sizeof(State),
    alignof(State),
    [](void* at) { ::new (at) State(); },
    [](void* to, const void* from) { *static_cast<State*>(to) = *static_cast<const State*>(from); },
    [](void* at) noexcept { static_cast<State*>(at)->~State(); },
};

/// One state for each plugin, by its number; null for a plugin without one.
class plugin_states {
public:
    plugin_states() noexcept = default;
    explicit plugin_states(std::span<const state_type* const> types) {
        std::size_t size = 0;
        std::vector<std::size_t> offsets;
        for (const auto* type : types) {
            size = (size + type->alignment - 1) / type->alignment * type->alignment;
            offsets.push_back(size);
            size += type->size;
        }
        // States of a stricter alignment would need more of the block than all that plugins have in practice.
        block_ = std::make_unique<std::max_align_t[]>((size + sizeof(std::max_align_t) - 1) / sizeof(std::max_align_t));
        all_.reserve(types.size());
        for (std::size_t i = 0; i < types.size(); ++i) {
            void* const at = reinterpret_cast<std::byte*>(block_.get()) + offsets[i];
            if (types[i]->size > 0) types[i]->make(at);
            all_.push_back({types[i], types[i]->size > 0 ? at : nullptr});
        }
    }
    plugin_states(plugin_states&& other) noexcept
        : block_(std::move(other.block_)), all_(std::exchange(other.all_, {})) {}
    plugin_states& operator=(plugin_states other) noexcept {
        std::swap(block_, other.block_);
        std::swap(all_, other.all_);
        return *this;
    }
    ~plugin_states() {
        for (const auto& one : all_) {
            if (one.at != nullptr) one.type->destroy(one.at);
        }
    }

    void* at(std::size_t plugin) const noexcept { return plugin < all_.size() ? all_[plugin].at : nullptr; }
    /// Makes the state of a plugin equal to that of `other`, which has the same types.
    void assign(std::size_t plugin, const plugin_states& other) {
        if (void* const to = at(plugin)) all_[plugin].type->assign(to, other.at(plugin));
    }

private:
    struct placed {
        const state_type* type;
        void* at;
    };
    std::unique_ptr<std::max_align_t[]> block_;
    std::vector<placed> all_;
};

}  // namespace kcontrol::scheduling::detail

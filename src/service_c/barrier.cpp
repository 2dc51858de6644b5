#include "barrier.hpp"

#include <atomic>
#include <cstdint>
#include <unistd.h>

namespace kcontrol::inline v0_1::service_c {

namespace {

// The process that has clients, and how many: one word, so that a child reads both or neither.
// A child has neither the threads nor the connections of its parent, but its memory, this word in it.
std::atomic<std::uint64_t> owner_and_clients{0};

std::uint64_t owner_of(std::uint64_t word) noexcept { return word >> 32; }
std::uint64_t clients_of(std::uint64_t word) noexcept { return word & 0xFFFF'FFFFU; }
std::uint64_t self() noexcept { return static_cast<std::uint32_t>(::getpid()); }

}  // namespace

bool is_forked() noexcept {
    const std::uint64_t word = owner_and_clients.load(std::memory_order_acquire);
    return clients_of(word) != 0 && owner_of(word) != self();
}

void client_added() noexcept {
    std::uint64_t word = owner_and_clients.load();
    while (!owner_and_clients.compare_exchange_weak(word, (self() << 32) | (clients_of(word) + 1))) {
    }
}

void client_removed() noexcept { owner_and_clients.fetch_sub(1); }

failure forked_failure() {
    return failure{KC_EFORKED,
                   "this process was forked from one that had a client, whose threads and connections it does not "
                   "have: make the client after the fork"};
}

}  // namespace kcontrol::service_c

// What each C function is wrapped in: nothing that is thrown gets out, and the child of a fork gets no further.
#pragma once

#include "failure.hpp"

namespace kcontrol::inline v0_1::service_c {

/// Whether this process is the child of one that had a client when it forked. Takes no lock, for one may be held for
/// ever in a child.
bool is_forked() noexcept;
/// Called before the first client is there, and after each client.
void client_added() noexcept;
void client_removed() noexcept;

failure forked_failure();

/// Runs `body`, which returns outcome<void>; gives the code that the C function returns.
template <class Body>
int guarded(Body&& body) noexcept {
    try {
        if (is_forked()) return keep(forked_failure());
        outcome<void> out = body();
        if (out) return KC_OK;
        return keep(failure(out.error()));
    } catch (...) {
        return keep_thrown();
    }
}

}  // namespace kcontrol::service_c

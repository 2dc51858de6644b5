// The functions of kcontrol_service.h: each is one call behind the barrier. It is compiled with debug information, for
// the check of the interface's types (tests/service_c/run.py), and so includes little.
#include "barrier.hpp"
#include "calls.hpp"
#include "failure.hpp"

#include <kcontrol_service.h>
#include <string>

namespace {

using namespace kcontrol::service_c;

/// `body` makes a handle for *out, which is 0 if it fails.
template <class Body>
int making(const char* call, kc_handle* out, Body&& body) noexcept {
    if (out != nullptr) *out = 0;
    return guarded([&]() -> outcome<void> {
        if (out == nullptr) return failure{KC_EINVAL, std::string(call) + ": out is NULL"};
        return body();
    });
}

}  // namespace

extern "C" {

uint32_t kc_abi_version(void) { return 1; }

size_t kc_error(char* buffer, size_t size) { return last_text(buffer, size); }

int kc_client_new(const char* options, kc_handle* out) {
    return making("kc_client_new", out, [&] { return new_client(options, out); });
}

int kc_client_fd(kc_handle client, int* fd) {
    return guarded([&] { return client_fd(client, fd); });
}

int kc_client_dispatch(kc_handle client, int timeout_ms) {
    return guarded([&] { return dispatch_client(client, timeout_ms); });
}

int kc_lead(kc_handle client, const char* options, kc_lead_fn fn, void* user, kc_handle* out) {
    return making("kc_lead", out, [&] { return start_lead(client, options, fn, user, out); });
}

int kc_lead_left(kc_handle lead, int64_t* ms, uint64_t* token) {
    return guarded([&] { return read_left(lead, ms, token); });
}

int kc_register(kc_handle client, const char* object, kc_handle* out) {
    return making("kc_register", out, [&] { return start_registration(client, object, out); });
}

int kc_follow(kc_handle client, const char* url, kc_change_fn fn, void* user, kc_handle* out) {
    return making("kc_follow", out, [&] { return start_follow(client, url, fn, user, out); });
}

int kc_follow_get(kc_handle follow, char* address, size_t size, int* state, int64_t* age_ms) {
    return guarded([&] { return read_leader(follow, address, size, state, age_ms); });
}

int kc_endpoints(kc_handle client, const char* target, const char* options, kc_change_fn fn, void* user,
                 kc_handle* out) {
    return making("kc_endpoints", out, [&] { return start_endpoints(client, target, options, fn, user, out); });
}

int kc_snapshot(kc_handle endpoints, kc_handle* out) {
    return making("kc_snapshot", out, [&] { return take_snapshot(endpoints, out); });
}

int kc_snapshot_info(kc_handle snapshot, uint64_t* version, size_t* count, int* state, int64_t* age_ms) {
    return guarded([&] { return read_info(snapshot, version, count, state, age_ms); });
}

int kc_snapshot_at(kc_handle snapshot, size_t i, kc_endpoint* out) {
    return guarded([&] { return read_endpoint(snapshot, i, out); });
}

int kc_free(kc_handle any) {
    return guarded([&] { return free_any(any); });
}

}  // extern "C"

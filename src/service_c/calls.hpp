// What the C functions do behind the barrier.
#pragma once

#include "failure.hpp"

#include <cstddef>
#include <cstdint>
#include <kcontrol_service.h>

namespace kcontrol::inline v0_1::service_c {

outcome<void> new_client(const char* options, kc_handle* out);
outcome<void> client_fd(kc_handle client, int* fd);
outcome<void> dispatch_client(kc_handle client, int timeout_ms);
outcome<void> free_any(kc_handle any);

outcome<void> start_lead(kc_handle client, const char* options, kc_lead_fn fn, void* user, kc_handle* out);
outcome<void> read_left(kc_handle lead, std::int64_t* ms, std::uint64_t* token);

outcome<void> start_registration(kc_handle client, const char* object, kc_handle* out);

outcome<void> start_follow(kc_handle client, const char* url, kc_change_fn fn, void* user, kc_handle* out);
outcome<void> read_leader(kc_handle follow, char* address, std::size_t size, int* state, std::int64_t* age_ms);

outcome<void> start_endpoints(kc_handle client, const char* target, const char* options, kc_change_fn fn, void* user,
                              kc_handle* out);
outcome<void> take_snapshot(kc_handle endpoints, kc_handle* out);
outcome<void> read_info(kc_handle snapshot, std::uint64_t* version, std::size_t* count, int* state,
                        std::int64_t* age_ms);
outcome<void> read_endpoint(kc_handle snapshot, std::size_t i, kc_endpoint* out);

}  // namespace kcontrol::service_c

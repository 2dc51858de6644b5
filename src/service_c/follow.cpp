// kc_follow: the address of whoever leads.
#include <kcontrol/service/leader_follower.hpp>

#include "calls.hpp"
#include "freshness_code.hpp"
#include "part_entry.hpp"

#include <cstddef>
#include <cstdint>
#include <cstring>
#include <memory>
#include <string>

namespace kcontrol::inline v0_1::service_c {

class follow_entry final : public part_entry<service::leader_follower> {
public:
    static constexpr const char* kind_name = "a follow";
    using part_entry::part_entry;
    const char* name() const noexcept override { return kind_name; }
};

namespace {

service::leader_callback callback_of(const follow_entry& entry, kc_handle self, kc_change_fn fn, void* user) {
    if (fn == nullptr) return {};
    return
        [gate = entry.gate(), self, fn, user](const service::leader_change&) { gate->call([&] { fn(user, self); }); };
}

// Why there is no address.
failure no_address(const service::leader_follower& follower) {
    if (const auto problem = follower.problem()) {
        failure why = failure_of(*problem);
        // A holder without an address is no mistake of the caller's.
        if (why.code == KC_EINVAL) why.code = KC_ENOTFOUND;
        return why;
    }
    if (follower.leader()->version == 0) return failure{KC_ENOTFOUND, "kc_follow_get: the server has not answered yet"};
    return failure{KC_ENOTFOUND, "kc_follow_get: nobody leads"};
}

}  // namespace

outcome<void> start_follow(kc_handle client, const char* url, kc_change_fn fn, void* user, kc_handle* out) {
    if (url == nullptr) return failure{KC_EINVAL, "kc_follow: the url is NULL; write k8s://NAMESPACE/LEASE"};
    auto lease = service::parse_leader_url(url);
    if (!lease) return failure_of(lease.error());
    return start_part<follow_entry>(
        "kc_follow", client, out, [&](const follow_entry& entry, kc_handle self, service::connection& c) {
            return std::make_unique<service::leader_follower>(c.env(), c.get_executor(), c.client(), *lease,
                                                              service::leader_follower_options(),
                                                              callback_of(entry, self, fn, user), c.log());
        });
}

outcome<void> read_leader(kc_handle handle, char* address, std::size_t size, int* state, std::int64_t* age_ms) {
    auto entry = handle_table::of_process().find<follow_entry>(handle);
    if (!entry) return entry.error();
    auto part = (*entry)->part();
    if (!part) return part.error();
    const service::leader_follower& follower = **part;
    const auto leader = follower.leader();
    if (state != nullptr) *state = code_of(follower.state());
    if (age_ms != nullptr) *age_ms = ms_of(follower.age());
    if (address != nullptr) {
        const std::size_t needed = leader->address.size() + 1;
        if (size < needed)
            return failure{KC_EINVAL, "kc_follow_get: the address takes " + std::to_string(needed) +
                                          " bytes, and size is " + std::to_string(size)};
        std::memcpy(address, leader->address.c_str(), needed);
    }
    if (leader->address.empty()) return no_address(follower);
    return {};
}

}  // namespace kcontrol::service_c

// kc_lead: a candidate for a Lease.
#include <kcontrol/service/lead.hpp>

#include "calls.hpp"
#include "options.hpp"
#include "part_entry.hpp"

#include <chrono>
#include <memory>

namespace kcontrol::inline v0_1::service_c {

class lead_entry final : public part_entry<service::lead> {
public:
    static constexpr const char* kind_name = "a lead";
    using part_entry::part_entry;
    const char* name() const noexcept override { return kind_name; }
};

namespace {

service::lead_callbacks callbacks_of(const lead_entry& entry, kc_lead_fn fn, void* user) {
    service::lead_callbacks out;
    if (fn == nullptr) return out;
    // The gate is shared: the entry may end before the part does.
    out.on_change([gate = entry.gate(), fn, user](bool leading, std::uint64_t token) {
        gate->call([&] { fn(user, leading ? 1 : 0, token); });
    });
    return out;
}

void read_label(options& given, service::lead_options& into) {
    auto label = given.nested("label", {"key", "value", "pod"});
    if (!label) return;
    service::lead_label wanted;
    if (auto key = label->text("key")) wanted.key(std::move(*key));
    if (auto value = label->text("value")) wanted.value(std::move(*value));
    if (auto pod = label->text("pod")) wanted.pod(std::move(*pod));
    given.merge(*label);
    into.label(std::move(wanted));
}

}  // namespace

outcome<void> start_lead(kc_handle client, const char* text, kc_lead_fn fn, void* user, kc_handle* out) {
    auto given = options::parse("kc_lead", text,
                                {"namespace", "lease", "identity", "address", "leaseDurationSeconds",
                                 "renewDeadlineSeconds", "retryPeriodSeconds", "label", "acceptTokenReset"});
    if (!given) return given.error();
    const std::string name = given->text("lease").value_or("");
    if (name.empty()) given->refuse("lease", "is missing: the name of the Lease that all candidates share");
    service::lead_options wanted({given->text("namespace").value_or(""), name});
    if (auto identity = given->text("identity")) wanted.identity(std::move(*identity));
    if (auto address = given->text("address")) wanted.address(std::move(*address));
    if (const auto s = given->seconds("leaseDurationSeconds")) wanted.lease_duration(*s);
    if (const auto s = given->seconds("renewDeadlineSeconds")) wanted.renew_deadline(*s);
    if (const auto s = given->seconds("retryPeriodSeconds")) wanted.retry_period(*s);
    if (const auto accept = given->boolean("acceptTokenReset")) wanted.accept_token_reset(*accept);
    read_label(*given, wanted);
    if (auto fine = given->check(); !fine) return fine.error();
    return start_part<lead_entry>(
        "kc_lead", client, out, [&](const lead_entry& self, kc_handle, service::connection& c) {
            return std::make_unique<service::lead>(c.env(), c.get_executor(), c.client(), wanted,
                                                   callbacks_of(self, fn, user), c.log());
        });
}

outcome<void> read_left(kc_handle handle, std::int64_t* ms, std::uint64_t* token) {
    auto entry = handle_table::of_process().find<lead_entry>(handle);
    if (!entry) return entry.error();
    auto part = (*entry)->part();
    if (!part) return part.error();
    const service::lead_state state = (*part)->now();
    // Rounded down: what is left of a millisecond is not promised.
    const auto left = std::chrono::duration_cast<std::chrono::milliseconds>(state.left).count();
    if (ms != nullptr) *ms = left > 0 ? left : 0;
    if (token != nullptr) *token = left > 0 ? state.token : 0;
    return {};
}

}  // namespace kcontrol::service_c

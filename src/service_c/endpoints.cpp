// kc_endpoints and the snapshots of it.
#include <kcontrol/service/endpoints.hpp>

#include "calls.hpp"
#include "freshness_code.hpp"
#include "options.hpp"
#include "part_entry.hpp"

#include <cstddef>
#include <cstdint>
#include <cstring>
#include <memory>
#include <string>
#include <string_view>

namespace kcontrol::inline v0_1::service_c {

class endpoints_entry final : public part_entry<service::endpoints> {
public:
    static constexpr const char* kind_name = "endpoints";
    using part_entry::part_entry;
    const char* name() const noexcept override { return kind_name; }
};

/// A value; it belongs to no client.
class snapshot_entry final : public entry {
public:
    static constexpr const char* kind_name = "a snapshot";

    explicit snapshot_entry(const service::endpoints& of);

    const char* name() const noexcept override { return kind_name; }
    void end() noexcept override {}

    const service::endpoints_snapshot& value() const noexcept { return *value_; }
    int state() const noexcept { return state_; }
    std::int64_t age_ms() const noexcept { return age_ms_; }
    const std::optional<error>& problem() const noexcept { return problem_; }

private:
    std::shared_ptr<const service::endpoints_snapshot> value_;
    int state_;
    std::int64_t age_ms_;
    std::optional<error> problem_;
};

namespace {

service::endpoints_callback callback_of(const endpoints_entry& entry, kc_handle self, kc_change_fn fn, void* user) {
    if (fn == nullptr) return {};
    return [gate = entry.gate(), self, fn, user](const service::endpoints_change&) {
        gate->call([&] { fn(user, self); });
    };
}

outcome<service::endpoints_target> target_of(std::string_view text, const std::optional<std::string>& selector) {
    const bool service = text.find('/') != std::string_view::npos;
    if (service && selector)
        return failure{KC_EINVAL,
                       "kc_endpoints: the option \"selector\" selects pods: the target is a namespace alone then, not "
                       "a Service"};
    if (selector) return service::endpoints_target::pods(std::string(text), *selector);
    auto parsed = service::endpoints_target::parse(text);
    if (parsed) return *parsed;
    failure why = failure_of(parsed.error());
    if (!service) why.text += "; for pods: the namespace, and the option \"selector\"";
    return why;
}

}  // namespace

snapshot_entry::snapshot_entry(const service::endpoints& of)
    : value_(of.snapshot()), state_(code_of(of.state())), age_ms_(ms_of(of.age())), problem_(of.problem()) {}

outcome<void> start_endpoints(kc_handle client, const char* target, const char* text, kc_change_fn fn, void* user,
                              kc_handle* out) {
    if (target == nullptr)
        return failure{KC_EINVAL,
                       "kc_endpoints: the target is NULL; write NAMESPACE/SERVICE, or NAMESPACE with the option "
                       "\"selector\""};
    auto given = options::parse("kc_endpoints", text, {"selector", "port", "staleAfterSeconds", "cache"});
    if (!given) return given.error();
    service::endpoints_options wanted;
    if (auto port = given->port("port")) wanted.port(std::move(*port));
    if (auto cache = given->text("cache")) wanted.cache_file(std::move(*cache));
    if (const auto s = given->seconds("staleAfterSeconds")) {
        if (*s < std::chrono::seconds(1)) given->refuse("staleAfterSeconds", "must be at least 1");
        wanted.stale_after(*s);
    }
    const auto selector = given->text("selector");
    if (auto fine = given->check(); !fine) return fine.error();
    auto of = target_of(target, selector);
    if (!of) return of.error();
    return start_part<endpoints_entry>(
        "kc_endpoints", client, out, [&](const endpoints_entry& entry, kc_handle self, service::connection& c) {
            return std::make_unique<service::endpoints>(c.env(), c.get_executor(), c.client(), *of, wanted,
                                                        callback_of(entry, self, fn, user), c.log());
        });
}

outcome<void> take_snapshot(kc_handle handle, kc_handle* out) {
    auto& table = handle_table::of_process();
    auto entry = table.find<endpoints_entry>(handle);
    if (!entry) return entry.error();
    auto part = (*entry)->part();
    if (!part) return part.error();
    auto taken = std::make_shared<snapshot_entry>(**part);
    // Nothing is known, and it is known why: the caller would wait in vain.
    if (taken->value().version == 0 && taken->problem()) return failure_of(*taken->problem());
    const kc_handle made = table.reserve();
    table.put(made, std::move(taken));
    *out = made;
    return {};
}

outcome<void> read_info(kc_handle handle, std::uint64_t* version, std::size_t* count, int* state,
                        std::int64_t* age_ms) {
    auto entry = handle_table::of_process().find<snapshot_entry>(handle);
    if (!entry) return entry.error();
    const snapshot_entry& snapshot = **entry;
    if (version != nullptr) *version = snapshot.value().version;
    if (count != nullptr) *count = snapshot.value().endpoints.size();
    if (state != nullptr) *state = snapshot.state();
    if (age_ms != nullptr) *age_ms = snapshot.age_ms();
    return {};
}

outcome<void> read_endpoint(kc_handle handle, std::size_t i, kc_endpoint* out) {
    if (out == nullptr) return failure{KC_EINVAL, "kc_snapshot_at: out is NULL"};
    if (out->size < sizeof(kc_endpoint))
        return failure{KC_EINVAL, "kc_snapshot_at: out->size is " + std::to_string(out->size) +
                                      "; set it to sizeof(kc_endpoint) before the call"};
    auto entry = handle_table::of_process().find<snapshot_entry>(handle);
    if (!entry) return entry.error();
    const auto& all = (*entry)->value().endpoints;
    if (i >= all.size()) {
        std::string text =
            "kc_snapshot_at: there is no endpoint " + std::to_string(i) + ", but " + std::to_string(all.size());
        if (const auto& problem = (*entry)->problem()) text += ": " + problem->what();
        return failure{KC_ENOTFOUND, std::move(text)};
    }
    const service::endpoint& at = all[i];
    out->address = at.address.c_str();
    out->port = at.port;
    out->ready = at.ready ? 1 : 0;
    out->serving = at.serving ? 1 : 0;
    out->terminating = at.terminating ? 1 : 0;
    out->zone = at.zone.c_str();
    out->node = at.node.c_str();
    out->pod = at.pod.c_str();
    return {};
}

}  // namespace kcontrol::service_c

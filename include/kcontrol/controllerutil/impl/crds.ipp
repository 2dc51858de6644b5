#pragma once

#include <kcontrol/controllerutil/crds.hpp>
#include <kcontrol/controllerutil/detail/crd_progress.hpp>
#include <kcontrol/runtime/backoff.hpp>
#include <kcontrol/runtime/wait.hpp>

#include <algorithm>
#include <optional>

namespace kcontrol::inline v0_1 {
namespace detail {

/// One definition on its way. `step` looks once; nothing: look again later, `why` says what for.
class crd_installation {
public:
    crd_installation(client c, custom_resource_definition crd, const install_options& options)
        : client_(std::move(c)), crd_(std::move(crd)), options_(&options) {}

    awaitable<std::optional<result<void>>> step(duration left);
    const std::string& why() const noexcept { return why_; }
    std::string name() const { return "CustomResourceDefinition " + crd_.name(); }

private:
    using verdict = std::optional<result<void>>;

    awaitable<verdict> apply_it();
    awaitable<verdict> look();
    awaitable<verdict> ask_for_kinds();
    verdict judge_failure(const error& why);
    template <class Options>
    void bound(Options& options) const {
        options.deadline(std::min(left_, http::exchange_options::default_deadline)).stop(options_->stop());
    }

    client client_;
    custom_resource_definition crd_;
    const install_options* options_;
    duration left_{};
    bool applied_ = false;
    std::string why_ = "nothing was heard of it";
};

// What may pass by itself is waited for; anything else is the end.
inline std::optional<result<void>> crd_installation::judge_failure(const error& why) {
    why_ = why.what();
    if (why == condition::retryable || why == condition::unreachable || why == condition::conflict ||
        why == errc::unknown_outcome || why == errc::timeout) {
        return std::nullopt;
    }
    return result<void>(why.with_context(name()));
}

inline awaitable<std::optional<result<void>>> crd_installation::apply_it() {
    apply_options how(options_->field_manager());
    how.force();
    bound(how);
    const namespaced_name key("", crd_.name());
    auto done = co_await client_.apply(resource_of<crd_view>(), key, crd_.to_json(), how);
    if (!done) co_return judge_failure(done.error());
    applied_ = true;
    co_return std::nullopt;
}

inline awaitable<std::optional<result<void>>> crd_installation::look() {
    get_options how;
    bound(how);
    const namespaced_name key("", crd_.name());
    auto found = co_await client_.live().get<crd_view>(key, how);
    if (!found && found.error() == api_errc::not_found) {
        applied_ = false;
        co_return std::nullopt;
    }
    if (!found) co_return judge_failure(found.error());
    why_ = describe_progress(*found);
    switch (progress_of(*found)) {
    case crd_progress::established: break;
    case crd_progress::waiting:
    case crd_progress::terminating:  // until it is gone, and then it is applied anew
        co_return std::nullopt;
    case crd_progress::refused:
        co_return result<void>(
            error(errc::no_such_kind, name() + ": another definition has one of its names: " + why_));
    }
    auto served = co_await ask_for_kinds();
    co_return served;
}

// A server may answer 404 for a kind a moment after its definition is established.
inline awaitable<std::optional<result<void>>> crd_installation::ask_for_kinds() {
    for (const auto& version : crd_.versions()) {
        if (!version.options.is_served()) continue;
        const std::string path = "/apis/" + std::string(version.name.group) + "/" + std::string(version.name.version) +
                                 "/" + std::string(version.name.plural);
        http::exchange_options how;
        bound(how);
        http::request req("GET", path + "?limit=1");
        req.headers.set("Accept", "application/json");
        auto answer = co_await client_.raw(std::move(req), how);
        if (answer || answer.error() == condition::access_denied) continue;
        if (answer.error() != api_errc::not_found) co_return judge_failure(answer.error());
        why_ = path + " is not served yet";
        co_return std::nullopt;
    }
    co_return result<void>();
}

inline awaitable<std::optional<result<void>>> crd_installation::step(duration left) {
    left_ = left;
    if (!applied_) {
        auto ended = co_await apply_it();
        if (ended || !applied_) co_return ended;
    }
    auto seen = co_await look();
    co_return seen;
}

inline awaitable<result<void>> install_one(client c, custom_resource_definition crd, const install_options& options,
                                           time_point end) {
    environment& env = c.env();
    crd_installation installation(c, std::move(crd), options);
    backoff pause(backoff_policy().initial(std::chrono::milliseconds(20)).cap(std::chrono::seconds(1)).jitter(0.1));
    while (env.now() < end) {
        auto outcome = co_await installation.step(end - env.now());
        if (outcome) co_return std::move(*outcome);
        const duration delay = std::min<duration>(pause.next(env.now(), random_unit(env)), end - env.now());
        const wake woken = co_await sleep_for(env, delay, options.stop());
        if (woken == wake::stopped) co_return error(errc::stopped, installation.name());
    }
    const auto given = std::chrono::duration_cast<std::chrono::seconds>(options.deadline());
    co_return error(errc::timeout, installation.name() + " is not served after " + std::to_string(given.count()) +
                                       " s: " + installation.why());
}

KCONTROL_DECL awaitable<result<void>> install_made(client c, std::vector<result<custom_resource_definition>> crds,
                                                   install_options options) {
    const time_point end = c.env().now() + options.deadline();
    for (auto& crd : crds) {
        if (!crd) co_return crd.error();
    }
    for (auto& crd : crds) {
        auto done = co_await install_one(c, std::move(*crd), options, end);
        if (!done) co_return done;
    }
    co_return result<void>();
}

}  // namespace detail

KCONTROL_DECL awaitable<result<void>> install_crds(client c, std::vector<custom_resource_definition> crds,
                                                   install_options options) {
    std::vector<result<custom_resource_definition>> made;
    made.reserve(crds.size());
    for (auto& crd : crds) made.emplace_back(std::move(crd));
    return detail::install_made(std::move(c), std::move(made), std::move(options));
}

}  // namespace kcontrol

// An event source that reports what the test says, for controllers without an informer and a server.
#pragma once

#include <kcontrol/cluster/source.hpp>
#include <kcontrol/runtime/wait.hpp>

#include <map>
#include <memory>
#include <string>
#include <vector>

namespace kcontrol::inline v0_1::testing {

/// The events of an object that appeared, changed, or went.
any_event added(const any_object& object);
any_event updated(const any_object& before, const any_object& after);
any_event deleted(const any_object& last);

/// What an informer is to a controller, with a test in the place of the API server: put() and remove() change its
/// objects and notify the handlers, before they return. Give it to controller::watch().
///
/// Thread-safety: shared objects unsafe; use it on the controller's executor. Object lifetime: the environment outlives
/// it.
class fake_source final : public cached_source {
public:
    /// One that is not `synced` has its controller wait until set_synced().
    explicit fake_source(environment& env, bool synced = true);
    ~fake_source() override;

    [[nodiscard]] subscription subscribe(any_event_handler handler) override;
    awaitable<bool> wait_synced(std::stop_token stop, std::optional<time_point> deadline) override;
    std::string describe() const override;
    std::string kind() const override { return kind_; }
    any_object get(const namespaced_name& key) const override;

    /// Ends the wait for the first list, or makes later ones wait again.
    void set_synced(bool synced = true);
    /// What describe() says.
    void set_description(std::string text) { description_ = std::move(text); }
    /// What kind() says.
    void set_kind(std::string kind) { kind_ = std::move(kind); }

    /// Adds an object, or replaces the one of its name.
    void put(const any_object& object);
    /// Removes an object; nothing happens if it is not there.
    void remove(const namespaced_name& key);
    /// Hands an event to the handlers, whatever the objects are.
    void publish(const any_event& event);

    /// Subscriptions that are alive, and those ever made.
    std::size_t listeners() const;
    std::size_t subscriptions() const noexcept { return subscriptions_; }  ///< how many were ever made

private:
    environment& env_;
    bool synced_;
    std::string description_ = "a fake source";
    std::string kind_;
    std::map<namespaced_name, any_object> objects_;
    std::size_t subscriptions_ = 0;
    async_event changed_;
    std::vector<std::weak_ptr<any_event_handler>> handlers_;
};

}  // namespace kcontrol::testing

// An event source that says what the test tells it to.
#pragma once

#include <kcontrol/cluster/source.hpp>
#include <kcontrol/runtime/wait.hpp>

#include <map>
#include <memory>
#include <string>
#include <utility>
#include <vector>

namespace kcontrol::test {

/// The least an object can be.
struct thing {
    object_meta metadata;
    std::string color;
};

inline any_object make_thing(std::string name, std::string version = "1", std::string color = {}) {
    auto made = std::make_shared<thing>();
    made->metadata.namespace_ = "ns";
    made->metadata.name = std::move(name);
    made->metadata.resource_version = std::move(version);
    made->color = std::move(color);
    return any_object(std::shared_ptr<const thing>(std::move(made)));
}

inline any_event added(const any_object& object) { return any_event(event_type::added, any_object(), object); }
inline any_event updated(const any_object& before, const any_object& after) {
    return any_event(event_type::updated, before, after);
}
inline any_event deleted(const any_object& last) { return any_event(event_type::deleted, last, any_object()); }

class fake_source final : public cached_source {
public:
    explicit fake_source(environment& env, bool is_synced = true) : synced(is_synced), env_(env) {}

    subscription subscribe(any_event_handler handler) override {
        auto kept = std::make_shared<any_event_handler>(std::move(handler));
        handlers_.push_back(kept);
        ++subscriptions;
        for (const auto& [key, object] : objects) (*kept)(added(object));
        return subscription(kept);
    }
    awaitable<bool> wait_synced(std::stop_token stop, std::optional<time_point> deadline) override {
        while (!synced) {
            const wake why = co_await changed_.wait(env_, stop, deadline);
            if (why != wake::notified) co_return false;
        }
        co_return true;
    }
    std::string describe() const override { return "Thing (v1): " + state; }
    any_object get(const namespaced_name& key) const override {
        const auto found = objects.find(key);
        return found == objects.end() ? any_object() : found->second;
    }

    void sync() { synced = true, changed_.notify_all(); }
    void put(const any_object& object) {
        const auto before = get(object.key());
        objects[object.key()] = object;
        tell(before ? updated(before, object) : added(object));
    }
    void remove(const namespaced_name& key) {
        const auto last = get(key);
        objects.erase(key);
        tell(deleted(last));
    }
    void tell(const any_event& e) {
        for (const auto& weak : handlers_) {
            if (const auto handler = weak.lock()) (*handler)(e);
        }
    }
    std::size_t listeners() const {
        std::size_t n = 0;
        for (const auto& weak : handlers_) n += weak.expired() ? 0 : 1;
        return n;
    }

    bool synced;
    std::string state = "listing";
    std::map<namespaced_name, any_object> objects;
    int subscriptions = 0;

private:
    environment& env_;
    async_event changed_;
    std::vector<std::weak_ptr<any_event_handler>> handlers_;
};

}  // namespace kcontrol::test

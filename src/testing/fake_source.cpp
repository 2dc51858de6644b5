#include <kcontrol/testing/fake_source.hpp>

#include <utility>

namespace kcontrol::inline v0_1::testing {

any_event added(const any_object& object) { return any_event(event_type::added, any_object(), object); }

any_event updated(const any_object& before, const any_object& after) {
    return any_event(event_type::updated, before, after);
}

any_event deleted(const any_object& last) { return any_event(event_type::deleted, last, any_object()); }

fake_source::fake_source(environment& env, bool synced) : env_(env), synced_(synced) {}

fake_source::~fake_source() = default;

subscription fake_source::subscribe(any_event_handler handler) {
    auto kept = std::make_shared<any_event_handler>(std::move(handler));
    std::erase_if(handlers_, [](const auto& one) { return one.expired(); });
    handlers_.push_back(kept);
    ++subscriptions_;
    for (const auto& [key, object] : objects_) {
        any_event there = added(object);
        there.initial = true;
        (*kept)(there);
    }
    return subscription(kept);
}

awaitable<bool> fake_source::wait_synced(std::stop_token stop, std::optional<time_point> deadline) {
    while (!synced_) {
        const wake why = co_await changed_.wait(env_, stop, deadline);
        if (why != wake::notified) co_return false;
    }
    co_return true;
}

std::string fake_source::describe() const { return description_; }

any_object fake_source::get(const namespaced_name& key) const {
    const auto found = objects_.find(key);
    return found == objects_.end() ? any_object() : found->second;
}

void fake_source::set_synced(bool synced) {
    synced_ = synced;
    if (synced_) changed_.notify_all();
}

void fake_source::put(const any_object& object) {
    const any_object before = get(object.key());
    objects_[object.key()] = object;
    publish(before ? updated(before, object) : added(object));
}

void fake_source::remove(const namespaced_name& key) {
    const any_object last = get(key);
    if (!last) return;
    objects_.erase(key);
    publish(deleted(last));
}

void fake_source::publish(const any_event& event) {
    // A handler may subscribe another one.
    const auto handlers = handlers_;
    for (const auto& weak : handlers) {
        if (const auto handler = weak.lock()) (*handler)(event);
    }
}

std::size_t fake_source::listeners() const {
    std::size_t n = 0;
    for (const auto& weak : handlers_) n += weak.expired() ? 0 : 1;
    return n;
}

}  // namespace kcontrol::testing

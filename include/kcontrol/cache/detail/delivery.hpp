// Things on their way to those who want to be told of them. Where memory runs out on the way, nobody misses any.
#pragma once

#include <cstddef>
#include <memory>
#include <new>
#include <optional>
#include <utility>
#include <vector>

namespace kcontrol::inline v0_1::detail {

/// How often a call is made for which there is no memory. After that it is the called function's own fault: it may ask
/// for more than there will ever be, and what it wants is not to keep all others waiting.
inline constexpr unsigned most_calls_without_memory = 5;

/// A pure state: which thing is to be told to whom next. It takes no memory but for the list of who is to be told.
template <class Thing, class Entry>
class delivery {
public:
    delivery() = default;
    explicit delivery(std::vector<Thing> things) noexcept : things_(std::move(things)) {}

    bool over() const noexcept { return next_ == things_.size(); }

    /// Goes on where the run before ended. `present()` gives those who are subscribed, once: who subscribes later knows
    /// of these things otherwise. `tell(entry, thing, again)` may throw std::bad_alloc while `again`, which gets out,
    /// and the next run begins with that call. Nothing else may be thrown.
    template <class Present, class Tell>
    void run(Present present, Tell tell) {
        if (over()) return;
        if (!audience_) audience_.emplace(present());
        for (; next_ < things_.size(); ++next_, to_ = 0) {
            for (; to_ < audience_->size(); ++to_, calls_ = 0) {
                const auto entry = (*audience_)[to_].lock();
                if (entry) tell(*entry, things_[next_], ++calls_ < most_calls_without_memory);
            }
        }
    }

private:
    std::vector<Thing> things_;
    std::size_t next_ = 0;  // of the things
    std::optional<std::vector<std::weak_ptr<Entry>>> audience_;
    std::size_t to_ = 0;  // of the audience
    unsigned calls_ = 0;  // of that one with that thing
};

}  // namespace kcontrol::detail

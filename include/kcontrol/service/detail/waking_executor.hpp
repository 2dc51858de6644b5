// An executor that says when it was given work: for a loop that is polled from outside.
#pragma once

#include <boost/asio/prefer.hpp>
#include <boost/asio/query.hpp>
#include <boost/asio/require.hpp>

#include <type_traits>
#include <utility>

namespace kcontrol::inline v0_1::service::detail {

/// Work goes to `Below`; then `target` is told by poke(), from whatever thread it came. Asio's own loop stays silent
/// about work that comes while nothing runs it.
///
/// Thread-safety: shared objects safe. Object lifetime: the target outlives it.
template <class Below, class Target>
class waking_executor {
public:
    waking_executor(Below below, Target& target) noexcept : below_(std::move(below)), target_(&target) {}

    // The properties of Asio's executors are those of the one below.
    template <class Property>
    requires boost::asio::can_query<const Below&, Property>::value auto query(const Property& p) const noexcept
        -> decltype(auto) {
        return boost::asio::query(below_, p);
    }
    template <class Property>
    requires boost::asio::can_require<const Below&, Property>::value auto require(const Property& p) const {
        return over(boost::asio::require(below_, p));
    }
    template <class Property>
    requires boost::asio::can_prefer<const Below&, Property>::value auto prefer(const Property& p) const {
        return over(boost::asio::prefer(below_, p));
    }

    template <class Function>
    void execute(Function&& f) const {
        below_.execute(std::forward<Function>(f));
        target_->poke();
    }

    friend bool operator==(const waking_executor& a, const waking_executor& b) noexcept {
        return a.target_ == b.target_ && a.below_ == b.below_;
    }

private:
    template <class Next>
    auto over(Next next) const noexcept {
        return waking_executor<std::decay_t<Next>, Target>(std::move(next), *target_);
    }

    Below below_;
    Target* target_;
};

}  // namespace kcontrol::service::detail

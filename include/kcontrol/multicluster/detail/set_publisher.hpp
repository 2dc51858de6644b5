// How a source tells its set of clusters: as a whole, when it has changed, and again later where the listener threw.
#pragma once

#include <kcontrol/base/log.hpp>
#include <kcontrol/multicluster/cluster_source.hpp>
#include <kcontrol/multicluster/detail/on_change_backoff.hpp>
#include <kcontrol/runtime/backoff.hpp>
#include <kcontrol/runtime/environment.hpp>
#include <kcontrol/runtime/guarded_calls.hpp>
#include <kcontrol/runtime/timer.hpp>

#include <boost/asio/post.hpp>

#include <functional>
#include <memory>
#include <optional>
#include <string>
#include <utility>
#include <vector>

namespace kcontrol::inline v0_1::detail {

/// Held by a shared pointer, for the listener may destroy the source.
///
/// Thread-safety: shared objects unsafe; use it on the executor.
class set_publisher : public std::enable_shared_from_this<set_publisher> {
public:
    using set = std::vector<desired_cluster>;

    /// `whose` stands in the log where the listener throws: "on_change() of a secret_source".
    set_publisher(environment& env, executor ex, std::string whose, logger log)
        : env_(env), ex_(std::move(ex)), whose_(std::move(whose)), calls_(env, std::move(log)) {}

    /// From here on `on_change` is told what `present` returns, which is nothing while there is nothing to tell.
    void start(std::function<void(set)> on_change, std::function<std::optional<set>()> present) {
        on_change_ = std::move(on_change);
        present_ = std::move(present);
        told_.reset();
        pause_.reset();
    }

    void stop() {
        on_change_ = nullptr;
        present_ = nullptr;
        retry_.reset();
        told_.reset();
    }

    bool runs() const noexcept { return static_cast<bool>(on_change_); }

    /// Many changes come one after another, those of a list for one: what they amount to is told once, never half of
    /// it.
    void publish_soon() {
        if (std::exchange(about_to_publish_, true)) return;
        boost::asio::post(ex_, [weak = weak_from_this()] {
            const auto alive = weak.lock();
            if (!alive) return;
            alive->about_to_publish_ = false;
            alive->publish();
        });
    }

private:
    void publish() {
        if (!on_change_) return;
        auto next = present_();
        if (!next || (told_ && *told_ == *next)) return;
        told_ = *next;
        const auto tell = on_change_;  // it may stop this
        if (calls_.call(whose_, [&] { tell(std::move(*next)); })) return pause_.reset();
        told_.reset();
        retry_ = env_.make_timer(ex_);
        retry_->async_wait(env_.now() + pause_.next(env_.now(), random_unit(env_)),
                           [weak = weak_from_this()](bool expired) {
                               const auto alive = weak.lock();
                               if (alive && expired) alive->publish();
                           });
    }

    environment& env_;
    executor ex_;
    std::string whose_;
    guarded_calls calls_;
    std::function<void(set)> on_change_;
    std::function<std::optional<set>()> present_;
    std::optional<set> told_;
    backoff pause_{on_change_backoff()};
    std::unique_ptr<timer> retry_;
    bool about_to_publish_ = false;
};

}  // namespace kcontrol::detail

// An environment for tests: time stands still until it is advanced, files live in a map, randomness is counted.
#pragma once

#include <kcontrol/runtime/environment.hpp>
#include <kcontrol/runtime/timer.hpp>

#include <boost/asio/append.hpp>
#include <boost/asio/io_context.hpp>
#include <boost/asio/post.hpp>

#include <atomic>
#include <list>
#include <map>
#include <memory>
#include <optional>
#include <string>
#include <utility>

namespace kcontrol::test {

/// Use it with one io_context on one thread: `run_ready` runs what can run now, `advance` moves time on. Other threads
/// may ask what time it is.
class manual_environment final : public environment {
public:
    time_point now() const noexcept override { return now_; }
    wall_time wall_now() const noexcept override { return wall_time(now().time_since_epoch()) + wall_offset; }
    std::uint64_t random() override {
        return random_state_ = random_state_ * 6364136223846793005U + 1442695040888963407U;
    }
    std::unique_ptr<timer> make_timer(const executor& ex) override { return std::make_unique<manual_timer>(*this, ex); }

    result<std::string> read_file(const std::string& path, std::size_t max_bytes) override {
        const auto found = files.find(path);
        if (found == files.end()) return error(errc::file_failed, "can't open " + path + ": No such file or directory");
        if (found->second.size() > max_bytes) return error(errc::too_large, path + " is too large");
        return found->second;
    }

    result<std::vector<std::string>> list_directory(const std::string& path) override {
        std::vector<std::string> names;
        for (const auto& [file, text] : files) {
            const auto slash = file.rfind('/');
            if (slash != std::string::npos && file.substr(0, slash) == path) names.push_back(file.substr(slash + 1));
        }
        return names;
    }

    result<std::unique_ptr<directory_watch>> watch_directory(const executor& ex, const std::string& path) override {
        return std::unique_ptr<directory_watch>(std::make_unique<manual_watch>(*this, ex, path));
    }

    std::optional<std::string> variable(const std::string& name) const override {
        const auto found = variables.find(name);
        if (found == variables.end()) return std::nullopt;
        return found->second;
    }

    /// Runs every handler that is ready, without moving time.
    static void run_ready(boost::asio::io_context& context) {
        context.restart();
        context.poll();
    }

    /// Moves time on by `d`, timer by timer, running what becomes ready at each of them.
    void advance(duration d, boost::asio::io_context& context) {
        const auto target = now() + d;
        run_ready(context);
        for (auto next = pending_.begin(); next != pending_.end() && next->first <= target; next = pending_.begin()) {
            now_ = std::max(now(), next->first);
            next->second->fire(true);
            run_ready(context);
        }
        now_ = target;
        run_ready(context);
    }

    /// When the next timer is due, if there is one.
    std::optional<time_point> next_timer() const {
        if (pending_.empty()) return std::nullopt;
        return pending_.begin()->first;
    }
    std::size_t pending_timers() const noexcept { return pending_.size(); }

    /// Makes the watches of a directory call.
    void touch(const std::string& directory) {
        for (auto* watch : watches_) {
            if (watch->path_ == directory) watch->fire();
        }
    }

    std::map<std::string, std::string> files;
    std::map<std::string, std::string> variables;
    duration wall_offset = std::chrono::seconds(1'700'000'000);

private:
    class manual_timer;
    using timer_map = std::multimap<time_point, manual_timer*>;

    class manual_timer final : public timer {
    public:
        manual_timer(manual_environment& owner, executor ex) : owner_(owner), ex_(std::move(ex)) {}
        ~manual_timer() override { cancel(); }

        void async_wait(time_point when, boost::asio::any_completion_handler<void(bool)> handler) override {
            cancel();
            handler_.emplace(std::move(handler));
            position_ = owner_.pending_.emplace(when, this);
            if (when <= owner_.now()) fire(true);
        }
        void cancel() override {
            if (handler_) fire(false);
        }
        void fire(bool expired) {
            owner_.pending_.erase(position_);
            boost::asio::any_completion_handler<void(bool)> handler(std::move(*handler_));
            handler_.reset();
            boost::asio::post(ex_, boost::asio::append(std::move(handler), expired));
        }

    private:
        manual_environment& owner_;
        executor ex_;
        std::optional<boost::asio::any_completion_handler<void(bool)>> handler_;
        timer_map::iterator position_;
    };

    class manual_watch final : public directory_watch {
    public:
        manual_watch(manual_environment& owner, executor ex, std::string path)
            : path_(std::move(path)), owner_(owner), ex_(std::move(ex)) {
            owner_.watches_.push_back(this);
        }
        ~manual_watch() override { owner_.watches_.remove(this); }
        void start(std::function<void()> on_change) override {
            call_ = std::make_shared<std::function<void()>>(std::move(on_change));
        }
        void stop() override { call_.reset(); }
        void fire() {
            boost::asio::post(ex_, [weak = std::weak_ptr(call_)] {
                if (const auto call = weak.lock()) (*call)();
            });
        }

        std::string path_;

    private:
        manual_environment& owner_;
        executor ex_;
        std::shared_ptr<std::function<void()>> call_;
    };

    std::atomic<time_point> now_{time_point(std::chrono::hours(1))};
    std::uint64_t random_state_ = 1;
    timer_map pending_;
    std::list<manual_watch*> watches_;
};

}  // namespace kcontrol::test

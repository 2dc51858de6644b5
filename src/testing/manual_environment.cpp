#include <kcontrol/runtime/timer.hpp>
#include <kcontrol/testing/manual_environment.hpp>

#include <boost/asio/append.hpp>
#include <boost/asio/post.hpp>

#include <algorithm>
#include <utility>

namespace kcontrol::inline v0_1::testing {

class manual_environment::manual_timer final : public timer {
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
    std::multimap<time_point, manual_timer*>::iterator position_;
};

class manual_environment::manual_watch final : public directory_watch {
public:
    manual_watch(manual_environment& owner, executor ex, std::string path)
        : owner_(owner), ex_(std::move(ex)), path_(std::move(path)) {
        owner_.watches_.push_back(this);
    }
    ~manual_watch() override { owner_.watches_.remove(this); }

    void start(std::function<void()> on_change) override {
        call_ = std::make_shared<std::function<void()>>(std::move(on_change));
    }
    void stop() override { call_.reset(); }
    void notify(const std::string& directory) const {
        if (directory != path_) return;
        boost::asio::post(ex_, [weak = std::weak_ptr(call_)] {
            if (const auto call = weak.lock()) (*call)();
        });
    }

private:
    manual_environment& owner_;
    executor ex_;
    std::string path_;
    std::shared_ptr<std::function<void()>> call_;
};

manual_environment::manual_environment() = default;

manual_environment::~manual_environment() = default;

std::uint64_t manual_environment::random() {
    return random_state_ = random_state_ * 6364136223846793005U + 1442695040888963407U;
}

std::unique_ptr<timer> manual_environment::make_timer(const executor& ex) {
    return std::make_unique<manual_timer>(*this, ex);
}

result<std::string> manual_environment::read_file(const std::string& path, std::size_t max_bytes) {
    const auto found = files.find(path);
    if (found == files.end()) return error(errc::file_failed, "can't open " + path + ": No such file or directory");
    if (found->second.size() > max_bytes) return error(errc::too_large, path + " is too large");
    return found->second;
}

result<std::vector<std::string>> manual_environment::list_directory(const std::string& path) {
    std::vector<std::string> names;
    for (const auto& [file, text] : files) {
        const auto slash = file.rfind('/');
        if (slash != std::string::npos && file.substr(0, slash) == path) names.push_back(file.substr(slash + 1));
    }
    return names;
}

result<std::unique_ptr<directory_watch>> manual_environment::watch_directory(const executor& ex,
                                                                             const std::string& path) {
    return std::unique_ptr<directory_watch>(std::make_unique<manual_watch>(*this, ex, path));
}

std::optional<std::string> manual_environment::variable(const std::string& name) const {
    const auto found = variables.find(name);
    if (found == variables.end()) return std::nullopt;
    return found->second;
}

awaitable<result<process_result>> manual_environment::run_process(process_command command) {
    return run_fake_program(*this, programs, std::move(command));
}

std::string manual_environment::terminal_problem() const {
    return has_terminal ? std::string() : environment::terminal_problem();
}

void manual_environment::run_ready(boost::asio::io_context& context) {
    context.restart();
    context.poll();
}

void manual_environment::advance(duration d, boost::asio::io_context& context) {
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

std::optional<time_point> manual_environment::next_timer() const {
    if (pending_.empty()) return std::nullopt;
    return pending_.begin()->first;
}

void manual_environment::touch(const std::string& directory) {
    for (const auto* watch : watches_) watch->notify(directory);
}

}  // namespace kcontrol::testing

#include <kcontrol/runtime/timer.hpp>
#include <kcontrol/testing/sim_environment.hpp>

#include <boost/asio/post.hpp>

#include <algorithm>
#include <optional>

namespace kcontrol::inline v0_1::testing {
namespace detail {
namespace {

std::string directory_of(const std::string& path) {
    const auto slash = path.rfind('/');
    return slash == std::string::npos ? std::string(".") : path.substr(0, slash);
}

}  // namespace
}  // namespace detail

class sim_environment::sim_timer final : public timer {
public:
    sim_timer(sim_context& context, executor ex) : context_(&context), ex_(std::move(ex)) {}
    ~sim_timer() override { cancel(); }

    void async_wait(time_point when, boost::asio::any_completion_handler<void(bool)> handler) override {
        cancel();
        id_ = context_->add_timer(when, ex_, std::move(handler));
    }
    void cancel() override {
        if (id_) context_->cancel_timer(*id_);
        id_.reset();
    }

private:
    sim_context* context_;
    executor ex_;
    std::optional<sim_context::timer_id> id_;
};

class sim_environment::sim_watch final : public directory_watch {
public:
    sim_watch(sim_environment& owner, executor ex, std::string path)
        : owner_(&owner), ex_(std::move(ex)), path_(std::move(path)) {
        owner_->watches_.push_back(this);
    }
    ~sim_watch() override { std::erase(owner_->watches_, this); }

    void start(std::function<void()> on_change) override {
        on_change_ = std::make_shared<std::function<void()>>(std::move(on_change));
    }
    void stop() override { on_change_.reset(); }

    void notify(const std::string& directory) const {
        if (!on_change_ || directory != path_) return;
        boost::asio::post(ex_, [weak = std::weak_ptr(on_change_)] {
            if (const auto callback = weak.lock()) (*callback)();
        });
    }

private:
    sim_environment* owner_;
    executor ex_;
    std::string path_;
    std::shared_ptr<std::function<void()>> on_change_;
};

wall_time sim_environment::wall_now() const noexcept {
    constexpr std::chrono::seconds start_of_2026(1767225600);
    return wall_time(now().time_since_epoch() + start_of_2026 + wall_set_);
}

std::unique_ptr<timer> sim_environment::make_timer(const executor& ex) {
    return std::make_unique<sim_timer>(*context_, ex);
}

result<std::string> sim_environment::read_file(const std::string& path, std::size_t max_bytes) {
    const auto found = files_.find(path);
    if (found == files_.end()) return error(errc::file_failed, path + ": No such file or directory");
    if (found->second.size() > max_bytes) return error(errc::too_large, path + " is too large");
    return found->second;
}

result<std::vector<std::string>> sim_environment::list_directory(const std::string& path) {
    std::vector<std::string> names;
    for (const auto& [file, text] : files_) {
        if (detail::directory_of(file) == path) names.push_back(file.substr(path.size() + 1));
    }
    return names;
}

result<std::unique_ptr<directory_watch>> sim_environment::watch_directory(const executor& ex, const std::string& path) {
    return std::unique_ptr<directory_watch>(std::make_unique<sim_watch>(*this, ex, path));
}

std::optional<std::string> sim_environment::variable(const std::string& name) const {
    const auto found = variables_.find(name);
    return found == variables_.end() ? std::nullopt : std::optional(found->second);
}

awaitable<result<process_result>> sim_environment::run_process(process_command command) {
    return run_fake_program(*this, programs_, std::move(command));
}

void sim_environment::write_file(const std::string& path, std::string text) {
    files_[path] = std::move(text);
    notify(path);
}

void sim_environment::remove_file(const std::string& path) {
    files_.erase(path);
    notify(path);
}

void sim_environment::notify(const std::string& path) {
    const auto directory = detail::directory_of(path);
    for (const auto* watch : watches_) watch->notify(directory);
}

}  // namespace kcontrol::testing

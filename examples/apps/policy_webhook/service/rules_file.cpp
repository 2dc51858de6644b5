#include "service/rules_file.hpp"

#include <kcontrol/runtime/wait.hpp>

using namespace kcontrol;

namespace policy_webhook {
namespace {

constexpr std::size_t most_bytes = std::size_t{1} << 20;
constexpr duration poll = std::chrono::seconds(10);

std::string folder_of(const std::string& path) {
    const auto slash = path.rfind('/');
    if (slash == std::string::npos) return ".";
    return slash == 0 ? "/" : path.substr(0, slash);
}

}  // namespace

result<void> rules_file::load() {
    auto text = env_.read_regular_file(path_, most_bytes);
    if (!text) return text.error();
    auto read = parse_rules(*text);
    if (!read) return read.error().with_context(path_);
    text_ = std::move(*text);
    current_ = std::make_shared<const rules>(std::move(*read));
    return {};
}

// True if there are other rules now.
bool rules_file::look() {
    const std::string before = text_;
    const auto read = load();
    if (!read) {
        ++errors_;
        if (complaint_ != read.error().what()) {
            complaint_ = read.error().what();
            log_.error("the rules can't be read; those that were read before hold", {{"error", complaint_}});
        }
        return false;
    }
    complaint_.clear();
    if (text_ == before) return false;
    ++reloads_;
    log_.info("the rules have changed", {{"file", path_}});
    return true;
}

awaitable<result<void>> rules_file::follow(std::stop_token stop, std::function<void()> changed) {
    const executor mine = co_await boost::asio::this_coro::executor;
    const auto happened = std::make_shared<async_event>();
    std::unique_ptr<directory_watch> watch;
    if (auto opened = env_.watch_directory(mine, folder_of(path_))) watch = std::move(*opened);
    if (watch) {
        watch->start([weak = std::weak_ptr(happened)] {
            if (const auto event = weak.lock()) event->notify_all();
        });
    }
    while (!stop.stop_requested()) {
        const wake why = co_await happened->wait(env_, stop, env_.now() + poll);
        if (why != wake::stopped && look()) changed();
    }
    if (watch) watch->stop();
    co_return result<void>();
}

}  // namespace policy_webhook

#include "outputs/file_output.hpp"

#include <kcontrol/runtime/staged_file.hpp>

#include "files/hook.hpp"
#include "values/template_values.hpp"

#include <chrono>

namespace follow {
namespace {

using kcontrol::result;
using kcontrol::staged_file;
constexpr std::size_t most_bytes = std::size_t{64} << 20;

}  // namespace

file_output::file_output(kcontrol::environment& env, mustache::document text, std::string path, std::string check,
                         std::string reload, kcontrol::logger log)
    : env_(env),
      text_(std::move(text)),
      path_(std::move(path)),
      check_(std::move(check)),
      reload_(std::move(reload)),
      log_(std::move(log)) {}

kcontrol::duration file_output::gap() const { return std::chrono::milliseconds(200); }

kcontrol::awaitable<result<void>> file_output::put(view now, std::stop_token stop) {
    const std::string text = text_.render(template_values(now));
    const auto there = env_.read_file(path_, most_bytes);
    if (!there || *there != text) {
        auto fresh = staged_file::write(path_, text);
        if (!fresh) co_return fresh.error();
        if (!check_.empty()) {
            const auto fine = co_await run_hook(env_, "--check", check_, fresh->path(), stop);
            if (!fine) co_return fine.error();
        }
        if (const auto done = fresh->commit(); !done) co_return done.error();
        reload_due_ = !reload_.empty();
        log_.info("file replaced", {{"file", path_}, {"bytes", std::to_string(text.size())}});
    }
    if (!reload_due_) co_return result<void>();
    const auto loaded = co_await run_hook(env_, "--reload", reload_, path_, stop);
    if (!loaded) co_return loaded.error();
    reload_due_ = false;
    log_.info("reloaded", {{"file", path_}});
    co_return result<void>();
}

}  // namespace follow

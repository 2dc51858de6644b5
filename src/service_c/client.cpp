#include <kcontrol/logging/log_sink.hpp>
#include <kcontrol/runtime/core_dumps.hpp>
#include <kcontrol/runtime/system_environment.hpp>

#include "barrier.hpp"
#include "calls.hpp"
#include "client_entry.hpp"
#include "options.hpp"
#include "process_end.hpp"

#include <boost/asio/co_spawn.hpp>
#include <boost/asio/post.hpp>

#include <chrono>
#include <condition_variable>
#include <exception>
#include <mutex>
#include <optional>
#include <string>
#include <unistd.h>
#include <utility>

namespace kcontrol::inline v0_1::service_c {

namespace {

// Never destroyed: a loop may log while the process exits.
environment& log_environment() {
    static auto* const env = new system_environment;
    return *env;
}

std::optional<logger> logger_of(std::string_view level) {
    if (level == "off") return logger();
    for (const auto known : {log_level::error, log_level::warning, log_level::info, log_level::debug})
        if (level == to_string(known)) return logger(standard_error_sink(log_environment()), known);
    return std::nullopt;
}

// The library's remedy is a flag, as programs have it.
failure in_words_of_options(failure why) {
    constexpr std::string_view flag = "--kubeconfig FILE";
    const std::size_t at = why.text.find(flag);
    if (at != std::string::npos) why.text.replace(at, flag.size(), "the option \"kubeconfig\"");
    return why;
}

// exit() takes OpenSSL and others down while the loops' threads still use them. Leases are not given up here: that
// takes the server, and exit() would have to wait for it.
void freeze_clients() noexcept {
    if (is_forked()) return;
    try {
        for (const auto& each : handle_table::of_process().all())
            if (const auto client = std::dynamic_pointer_cast<client_entry>(each)) client->freeze();
    } catch (...) {
        // No memory: the loops run on, as they would without this.
        return;
    }
}

}  // namespace

outcome<std::shared_ptr<client_entry>> client_entry::make(kc_handle self, const char* text) {
    auto given = options::parse("kc_client_new", text, {"kubeconfig", "context", "thread", "log", "coreDumps"});
    if (!given) return given.error();
    const bool thread = given->boolean("thread").value_or(true);
    auto log = logger_of(given->text("log").value_or("warning"));
    if (!log) given->refuse("log", "must be off, error, warning, info or debug");
    const bool core_dumps = given->boolean("coreDumps").value_or(false);
    service::connection_options wanted;
    wanted.kubeconfig(given->text("kubeconfig").value_or(""))
        .context(given->text("context").value_or(""))
        .thread(thread);
    if (auto fine = given->check(); !fine) return fine.error();
    wanted.log(std::move(*log));

    if (!core_dumps) forbid_core_dumps();  // before a credential is read
    auto opened = service::connection::open(std::move(wanted));
    if (!opened) return in_words_of_options(failure_of(opened.error()));
    // OpenSSL has registered its own end when the library was loaded, so this runs before it.
    static const bool registered = call_at_exit(freeze_clients);
    if (!registered) return failure{KC_ENOMEM, "out of memory: nothing was changed"};
    std::shared_ptr<client_entry> made(new client_entry(self, std::move(*opened), thread));
    client_added();
    return made;
}

client_entry::~client_entry() { client_removed(); }

outcome<void> client_entry::may_end() const {
    if (!in_loop()) return {};
    return failure{KC_EBUSY,
                   "kc_free: a client can't be freed in a callback of its parts: free it on another thread, or after "
                   "the callback"};
}

void client_entry::end() noexcept {
    ended_ = true;
    auto& table = handle_table::of_process();
    while (const auto part = table.take_part_of(self_)) part->end();
    try {
        static_cast<void>(connection_.run([this] { return wait_ends(); }));
        connection_.stop();
    } catch (...) {
        // No memory to wait with: the loop ends with the connection.
        return;
    }
}

outcome<void> client_entry::on_loop(const std::function<result<void>()>& call) {
    result<void> out;
    if (in_loop()) {
        out = call();
    } else {
        std::exception_ptr thrown;
        const auto step = [&]() -> awaitable<result<void>> {
            try {
                co_return call();
            } catch (...) {
                thrown = std::current_exception();
            }
            co_return result<void>();
        };
        out = connection_.run(step);
        if (thrown) std::rethrow_exception(thrown);
    }
    if (!out) return failure_of(out.error());
    return {};
}

void client_entry::end_part(std::function<awaitable<void>()> step) noexcept {
    try {
        if (in_loop()) {
            auto ending = run_end(std::move(step));
            ++ending_;
            boost::asio::co_spawn(connection_.get_executor(), std::move(ending),
                                  [self = shared_from_this()](std::exception_ptr) {
                                      --self->ending_;
                                      self->ending_changed_.notify_all();
                                  });
            return;
        }
        const auto waited = [&]() -> awaitable<result<void>> {
            co_await run_end(std::move(step));
            co_return result<void>();
        };
        static_cast<void>(connection_.run(waited));
    } catch (...) {
        // No memory to stop it with: it ends with the client.
        return;
    }
}

awaitable<void> client_entry::run_end(std::function<awaitable<void>()> step) {
    auto ending = step();
    co_await std::move(ending);
}

awaitable<result<void>> client_entry::wait_ends() {
    while (ending_ > 0) co_await ending_changed_.wait(connection_.env(), {});
    co_return result<void>();
}

outcome<int> client_entry::fd() const {
    auto fd = connection_.fd();
    if (!fd) return failure_of(fd.error());
    return *fd;
}

outcome<void> client_entry::dispatch(int timeout_ms) {
    if (thread_)
        return failure{KC_EINVAL,
                       "kc_client_dispatch: the client has a thread of its own; make it with {\"thread\":false}"};
    if (in_loop()) return failure{KC_EBUSY, "kc_client_dispatch: not in a callback, which it would call"};
    struct turn {
        std::atomic<bool>& taken;
        ~turn() { taken = false; }
    };
    if (dispatching_.exchange(true))
        return failure{KC_EBUSY, "kc_client_dispatch: another thread dispatches this client"};
    const turn mine{dispatching_};
    std::optional<duration> timeout;
    if (timeout_ms >= 0) timeout = std::chrono::milliseconds(timeout_ms);
    const auto ran = connection_.dispatch(timeout);
    if (!ran) {
        if (ended()) return failure{KC_EHANDLE, "kc_client_dispatch: the client was freed meanwhile"};
        return failure_of(ran.error());
    }
    if (*ran == 0) return failure{KC_ETIMEDOUT, "kc_client_dispatch: there was nothing to do"};
    return {};
}

void client_entry::freeze() noexcept {
    if (!thread_ || in_loop()) return;
    struct meeting {
        std::mutex mutex;
        std::condition_variable changed;
        bool arrived = false;
    };
    try {
        const auto met = std::make_shared<meeting>();
        boost::asio::post(connection_.get_executor(), [met] {
            {
                const std::lock_guard lock(met->mutex);
                met->arrived = true;
            }
            met->changed.notify_all();
            for (;;) ::pause();
        });
        std::unique_lock lock(met->mutex);
        // A callback may run, and wait for what only the end of the process brings: not for ever, then.
        met->changed.wait_for(lock, std::chrono::seconds(1), [&] { return met->arrived; });
    } catch (...) {
        return;
    }
}

outcome<void> new_client(const char* options, kc_handle* out) {
    auto& table = handle_table::of_process();
    const kc_handle handle = table.reserve();
    auto made = client_entry::make(handle, options);
    if (!made) return made.error();
    table.put(handle, *made);
    *out = handle;
    return {};
}

outcome<void> client_fd(kc_handle client, int* fd) {
    if (fd == nullptr) return failure{KC_EINVAL, "kc_client_fd: fd is NULL"};
    auto entry = handle_table::of_process().find<client_entry>(client);
    if (!entry) return entry.error();
    auto got = (*entry)->fd();
    if (!got) return got.error();
    *fd = *got;
    return {};
}

outcome<void> dispatch_client(kc_handle client, int timeout_ms) {
    auto entry = handle_table::of_process().find<client_entry>(client);
    if (!entry) return entry.error();
    return (*entry)->dispatch(timeout_ms);
}

outcome<void> free_any(kc_handle any) {
    auto& table = handle_table::of_process();
    {
        auto entry = table.look_up(any);
        if (!entry) return entry.error();
        if (auto may = (*entry)->may_end(); !may) return may.error();
    }
    const auto taken = table.take(any);
    if (!taken) return failure{KC_EHANDLE, "kc_free: another thread has freed the handle at the same time"};
    taken->end();
    return {};
}

}  // namespace kcontrol::service_c

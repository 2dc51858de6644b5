#include "outputs/line_output.hpp"

#include "values/json_line.hpp"

#include <boost/asio/buffer.hpp>
#include <boost/asio/posix/stream_descriptor.hpp>
#include <boost/asio/redirect_error.hpp>
#include <boost/asio/write.hpp>

#include <cerrno>
#include <cstring>
#include <fcntl.h>
#include <memory>
#include <sys/stat.h>
#include <unistd.h>

namespace follow {
namespace {

namespace asio = boost::asio;
using kcontrol::errc;
using kcontrol::error;
using kcontrol::result;

// A pipe or a socket that the loop can wait for. Its mode belongs to all that have it open, so it is given back.
class waited_for {
public:
    waited_for(const kcontrol::executor& ex, int descriptor)
        : flags_(::fcntl(descriptor, F_GETFL)), stream(ex, ::dup(descriptor)) {}
    ~waited_for() {
        if (flags_ >= 0) ::fcntl(stream.native_handle(), F_SETFL, flags_);
    }
    waited_for(const waited_for&) = delete;
    waited_for& operator=(const waited_for&) = delete;

private:
    int flags_;

public:
    asio::posix::stream_descriptor stream;
};

bool can_wait(int descriptor) {
    struct stat what {};
    return ::fstat(descriptor, &what) == 0 && (S_ISFIFO(what.st_mode) || S_ISSOCK(what.st_mode));
}

error lost(const std::string& why) { return error(errc::connection_lost, "standard output: " + why); }

kcontrol::awaitable<result<void>> write_when_ready(std::shared_ptr<waited_for> to, std::string text,
                                                   std::stop_token stop) {
    // A reader that reads nothing must not keep the program from ending.
    if (stop.stop_requested()) co_return error(errc::stopped, "stopped before a line was written");
    const std::stop_callback end(stop, [&to] {
        kcontrol::error_code ignored;
        to->stream.cancel(ignored);
    });
    kcontrol::error_code failed;
    co_await asio::async_write(to->stream, asio::buffer(text), asio::redirect_error(asio::use_awaitable, failed));
    if (failed == asio::error::operation_aborted) co_return error(errc::stopped, "stopped while a line was written");
    if (failed) co_return lost(failed.message());
    co_return result<void>();
}

kcontrol::awaitable<result<void>> write_now(int descriptor, std::string text) {
    std::string_view rest = text;
    while (!rest.empty()) {
        const auto n = ::write(descriptor, rest.data(), rest.size());
        if (n < 0 && errno == EINTR) continue;
        if (n < 0) co_return lost(std::strerror(errno));
        rest.remove_prefix(static_cast<std::size_t>(n));
    }
    co_return result<void>();
}

}  // namespace

write_function write_to(kcontrol::executor ex, int descriptor) {
    if (!can_wait(descriptor)) {
        return [descriptor](std::string text, std::stop_token) { return write_now(descriptor, std::move(text)); };
    }
    return [to = std::make_shared<waited_for>(ex, descriptor)](std::string text, std::stop_token stop) {
        return write_when_ready(to, std::move(text), std::move(stop));
    };
}

kcontrol::awaitable<result<void>> line_output::put(view now, std::stop_token stop) {
    const std::string line = json_line(now, before_);
    auto done = co_await write_(line, stop);
    if (done) before_ = std::move(now);
    co_return done;
}

bool line_output::is_final(const error& failure) const { return failure == errc::connection_lost; }

}  // namespace follow

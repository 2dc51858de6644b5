#include "output/screen.hpp"

#include <boost/asio/posix/stream_descriptor.hpp>

#include <cerrno>
#include <climits>
#include <poll.h>
#include <string_view>
#include <sys/ioctl.h>
#include <unistd.h>
#include <utility>

namespace training_monitor {
namespace {

using descriptor = boost::asio::posix::stream_descriptor;

class descriptor_screen final : public screen {
public:
    descriptor_screen(kcontrol::executor ex, int fd, kcontrol::logger log)
        : fd_(fd), log_(std::move(log)), ready_(std::move(ex)) {
        // One of its own to wait on; that of a file can't be waited on, and need not be.
        boost::system::error_code ignored;
        ready_.assign(::dup(fd), ignored);
    }
    descriptor_screen(const descriptor_screen&) = delete;
    descriptor_screen& operator=(const descriptor_screen&) = delete;
    ~descriptor_screen() override {
        constexpr int patience_ms = 1000;
        finish(patience_ms);
    }

    bool is_terminal() const override { return ::isatty(fd_) == 1; }
    std::size_t columns() const override { return size().ws_col; }
    std::size_t rows() const override { return size().ws_row; }
    bool behind() const override { return written_ < waiting_.size(); }
    void flush() override { finish(-1); }

    void write(const std::string& text) override {
        if (behind() && waiting_.size() - written_ + text.size() > most_output_behind) {
            if (left_out_++ == 0) log_.warning("nobody reads the standard output: what comes now is left out");
            return;
        }
        waiting_ += text;
        drain();
    }

private:
    winsize size() const {
        winsize out{};
        if (::ioctl(fd_, TIOCGWINSZ, &out) != 0) out = winsize{};
        return out;
    }

    bool writable(int wait_ms) const {
        pollfd one{fd_, POLLOUT, 0};
        return ::poll(&one, 1, wait_ms) == 1;
    }

    void finish(int patience_ms) {
        while (behind() && (writable(patience_ms) || patience_ms < 0)) write_some();
    }

    // A descriptor that is ready takes as much as PIPE_BUF at once; more might wait. Source: pipe(7).
    void write_some() {
        const auto next = std::string_view(waiting_).substr(written_, PIPE_BUF);
        const auto done = ::write(fd_, next.data(), next.size());
        if (done < 0 && (errno == EINTR || errno == EAGAIN)) return;
        written_ +=
            done < 0 ? waiting_.size() - written_ : static_cast<std::size_t>(done);  // a broken pipe reads nothing
        if (behind()) return;
        waiting_.clear();
        written_ = 0;
        if (const auto missing = std::exchange(left_out_, 0); missing != 0) {
            log_.warning("the standard output is read again", {{"missing_writes", std::to_string(missing)}});
        }
    }

    void drain() {
        while (behind() && writable(0)) write_some();
        if (!behind() || waits_ || !ready_.is_open()) return;
        waits_ = true;
        ready_.async_wait(descriptor::wait_write, [this](const boost::system::error_code& failed) {
            if (failed == boost::asio::error::operation_aborted) return;  // this is gone
            waits_ = false;
            if (!failed) drain();
        });
    }

    int fd_;
    kcontrol::logger log_;
    descriptor ready_;
    std::string waiting_;
    std::size_t written_ = 0;  // of what waits
    std::size_t left_out_ = 0;
    bool waits_ = false;
};

}  // namespace

std::unique_ptr<screen> make_screen(kcontrol::executor ex, int descriptor, kcontrol::logger log) {
    return std::make_unique<descriptor_screen>(std::move(ex), descriptor, std::move(log));
}

}  // namespace training_monitor

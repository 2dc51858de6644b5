#include "output/terminal.hpp"

#include <boost/asio/io_context.hpp>
#include <doctest/doctest.h>

#include <chrono>
#include <csignal>
#include <cstdlib>
#include <fcntl.h>
#include <string>
#include <termios.h>
#include <unistd.h>
#include <utility>

using namespace training_monitor;

namespace {

// A pseudo terminal: what is written to `master` are its keys.
class pseudo_terminal {
public:
    pseudo_terminal() : master_(::posix_openpt(O_RDWR | O_NOCTTY)) {
        REQUIRE(master_ >= 0);
        REQUIRE(::grantpt(master_) == 0);
        REQUIRE(::unlockpt(master_) == 0);
        char name[128] = {};
        REQUIRE(::ptsname_r(master_, name, sizeof name) == 0);
        slave_ = ::open(name, O_RDWR | O_NOCTTY);
        REQUIRE(slave_ >= 0);
    }
    pseudo_terminal(const pseudo_terminal&) = delete;
    pseudo_terminal& operator=(const pseudo_terminal&) = delete;
    ~pseudo_terminal() {
        ::close(slave_);
        hang_up();
    }
    int slave() const { return slave_; }
    void type(std::string_view bytes) const {
        REQUIRE(::write(master_, bytes.data(), bytes.size()) == static_cast<ssize_t>(bytes.size()));
    }
    void hang_up() {
        if (master_ >= 0) ::close(master_);
        master_ = -1;
    }
    tcflag_t modes() const {
        termios out{};
        REQUIRE(::tcgetattr(slave_, &out) == 0);
        return out.c_lflag;
    }

private:
    int master_, slave_ = -1;
};

struct fixture {
    pseudo_terminal pty;
    boost::asio::io_context context;
    std::string keys, told;

    std::unique_ptr<terminal> make() {
        return make_terminal(context.get_executor(), pty.slave(), pty.slave(),
                             {[this](std::string_view bytes) { keys += bytes; }, [this] { told += "redraw "; },
                              [this] { told += "leave "; }, [this] { told += "hung up "; }});
    }
    // Until something is told, or no more can come.
    void until_told() {
        context.restart();
        while (keys.empty() && told.empty() && context.run_one_for(std::chrono::minutes(1)) != 0) {
        }
    }
};

bool is_caught(int number) {
    struct sigaction now {};
    ::sigaction(number, nullptr, &now);
    return now.sa_handler != SIG_DFL;
}

}  // namespace

TEST_CASE("terminal: while it is taken keys come one by one and unseen, and signals stay signals") {
    fixture f;
    const auto before = f.pty.modes();
    CHECK((before & ICANON) != 0);
    const auto held = f.make();
    CHECK(held->has_keys());
    CHECK(held->has_foreground());  // it does not control this process
    CHECK(f.pty.modes() == before);
    held->take();
    held->take();
    CHECK((f.pty.modes() & (ICANON | ECHO)) == 0);
    CHECK((f.pty.modes() & ISIG) != 0);
    f.pty.type("j");
    f.until_told();
    CHECK(f.keys == "j");
    held->give_back();
    held->give_back();
    CHECK(f.pty.modes() == before);
}

TEST_CASE(
    "terminal: it is given back as it is destroyed, and takes no signal that ends programs but while it is taken") {
    fixture f;
    const auto before = f.pty.modes();
    const bool caught_before = is_caught(SIGQUIT);
    {
        const auto held = f.make();
        CHECK(is_caught(SIGQUIT) == caught_before);
        held->take();
        CHECK(is_caught(SIGQUIT));
    }
    CHECK(f.pty.modes() == before);
    CHECK(is_caught(SIGQUIT) == caught_before);
}

TEST_CASE("terminal: a new size and the end of the terminal are told; one that hangs up is read no more") {
    fixture f;
    const auto held = f.make();
    ::raise(SIGWINCH);
    f.until_told();
    CHECK(std::exchange(f.told, {}) == "redraw ");
    ::raise(SIGHUP);
    f.until_told();
    CHECK(std::exchange(f.told, {}) == "hung up ");
    f.pty.hang_up();
    f.context.restart();
    f.context.poll();
    CHECK(f.keys.empty());
}

TEST_CASE("terminal: without a descriptor for keys there are none") {
    fixture f;
    const auto held = make_terminal(f.context.get_executor(), -1, f.pty.slave(), {});
    CHECK_FALSE(held->has_keys());
    const auto before = f.pty.modes();
    held->take();
    CHECK(f.pty.modes() == before);
}

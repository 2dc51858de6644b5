#include "outputs/line_output.hpp"

#include <kcontrol/testing/run.hpp>
#include <kcontrol/testing/temporary_directory.hpp>

#include "views.hpp"

#include <doctest/doctest.h>

#include <array>
#include <csignal>
#include <cstdio>
#include <fcntl.h>
#include <unistd.h>

using namespace follow;
using namespace follow::tests;

namespace {

struct fixture {
    boost::asio::io_context context;
    std::string written;
    line_output out{[this](std::string text, std::stop_token) { return keep(std::move(text)); }};
    bool fails = false;

    kcontrol::awaitable<kcontrol::result<void>> keep(std::string text) {
        if (fails) co_return kcontrol::error(kcontrol::errc::connection_lost, "standard output: Broken pipe");
        written += text;
        co_return kcontrol::result<void>();
    }
    kcontrol::result<void> put(view v) { return kcontrol::testing::run(context, out.put(std::move(v), {})); }
};

struct descriptors {
    std::array<int, 2> ends{};
    descriptors() { REQUIRE(::pipe(ends.data()) == 0); }
    ~descriptors() {
        for (const int each : ends) ::close(each);
    }
};

}  // namespace

TEST_CASE_FIXTURE(fixture, "line_output: a change is told against the last line that was written") {
    REQUIRE(put(of({ready("10.0.0.1")}, 1)));
    fails = true;
    const auto lost = put(of({ready("10.0.0.1"), ready("10.0.0.2")}, 2));
    REQUIRE(!lost);
    CHECK(out.is_final(lost.error()));
    CHECK(!out.is_final(kcontrol::error(kcontrol::errc::stopped)));
    fails = false;
    written.clear();
    REQUIRE(put(of({ready("10.0.0.2")}, 3)));
    CHECK(written.find("\"added\":[{\"address\":\"10.0.0.2\"") != std::string::npos);
    CHECK(written.find("\"removed\":[{\"address\":\"10.0.0.1\"") != std::string::npos);
}

TEST_CASE("write_to: a pipe whose reader is slow does not block the loop, and is given back as it was") {
    boost::asio::io_context context;
    descriptors pipe;
    const int before = ::fcntl(pipe.ends[1], F_GETFL);
    std::size_t got = 0;
    const std::size_t size = std::size_t{1} << 20;  // more than a pipe holds
    {
        auto write = write_to(context.get_executor(), pipe.ends[1]);
        bool done = false;
        auto work = [&]() -> kcontrol::awaitable<void> {
            const std::stop_token never;
            const auto ended = co_await write(std::string(size, 'x'), never);
            done = ended.has_value();
        };
        kcontrol::testing::start(context, work());
        context.poll();
        CHECK(!done);  // and yet it is here
        std::array<char, 65536> buffer{};
        while (got < size) {
            const auto n = ::read(pipe.ends[0], buffer.data(), buffer.size());
            REQUIRE(n > 0);
            got += static_cast<std::size_t>(n);
            context.restart();
            context.poll();
        }
        CHECK(done);
    }
    CHECK(::fcntl(pipe.ends[1], F_GETFL) == before);
}

TEST_CASE("write_to: a stop ends a write that nobody reads; one without a reader is lost") {
    std::signal(SIGPIPE, SIG_IGN);
    boost::asio::io_context context;
    descriptors pipe;
    auto write = write_to(context.get_executor(), pipe.ends[1]);
    std::stop_source stop;
    std::optional<kcontrol::result<void>> ended;
    auto work = [&]() -> kcontrol::awaitable<void> {
        ended = co_await write(std::string(1 << 20, 'x'), stop.get_token());
    };
    kcontrol::testing::start(context, work());
    context.poll();
    CHECK(!ended);
    stop.request_stop();
    context.restart();
    context.run();
    REQUIRE(ended);
    CHECK(ended->error() == kcontrol::errc::stopped);
    ::close(pipe.ends[0]);
    pipe.ends[0] = ::dup(pipe.ends[1]);
    const auto lost = kcontrol::testing::run(context, write("x", {}));
    REQUIRE(!lost);
    CHECK(lost.error() == kcontrol::errc::connection_lost);
    CHECK(lost.error().message() == "standard output: Broken pipe");
}

TEST_CASE("write_to: a file") {
    boost::asio::io_context context;
    kcontrol::testing::temporary_directory folder;
    std::FILE* file = std::fopen(folder.path("lines").c_str(), "w+");
    REQUIRE(file);
    const auto write = write_to(context.get_executor(), ::fileno(file));
    CHECK(kcontrol::testing::run(context, write("one\n", {})));
    std::array<char, 16> text{};
    CHECK(std::fread(text.data(), 1, text.size(), file) == 0);
    std::rewind(file);
    CHECK(std::fread(text.data(), 1, text.size(), file) == 4);
    std::fclose(file);
    const auto lost = kcontrol::testing::run(context, write_to(context.get_executor(), -1)("x", {}));
    REQUIRE(!lost);
    CHECK(lost.error().message() == "standard output: Bad file descriptor");
}

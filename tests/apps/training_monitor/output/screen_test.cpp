#include "output/screen.hpp"

#include <boost/asio/io_context.hpp>
#include <doctest/doctest.h>

#include <array>
#include <csignal>
#include <thread>
#include <unistd.h>
#include <vector>

using namespace training_monitor;

namespace {

// A pipe, whose reader reads when it likes.
class pipe_ends {
public:
    pipe_ends() { REQUIRE(::pipe(ends_.data()) == 0); }
    ~pipe_ends() { close(0), close(1); }
    int in() const { return ends_[1]; }
    std::string read_some() {
        std::string out(65536, 0);
        const auto got = ::read(ends_[0], out.data(), out.size());
        out.resize(got > 0 ? static_cast<std::size_t>(got) : 0);
        return out;
    }
    void close(std::size_t end) {
        if (ends_[end] >= 0) ::close(ends_[end]);
        ends_[end] = -1;
    }

private:
    std::array<int, 2> ends_{-1, -1};
};

struct fixture {
    boost::asio::io_context context;
    pipe_ends pipe;
    std::vector<std::string> logged;
    kcontrol::logger log{[this](const kcontrol::log_record& r) { logged.emplace_back(r.message); }};

    std::unique_ptr<screen> make() { return make_screen(context.get_executor(), pipe.in(), log); }
    // Reads until `size` bytes are there; the screen writes on as its turn comes.
    std::string read(std::size_t size) {
        std::string out;
        while (out.size() < size) {
            out += pipe.read_some();
            context.restart();
            context.poll();
        }
        return out;
    }
};

std::string lines(std::size_t bytes) {
    std::string out;
    for (std::size_t i = 0; out.size() < bytes; ++i) out += "line " + std::to_string(i) + "\n";
    return out;
}

}  // namespace

TEST_CASE("screen: nobody reads, and nobody waits; then everything comes, in order") {
    fixture f;
    const auto out = f.make();
    const auto text = lines(1 << 20);
    out->write(text);
    CHECK(out->behind());
    out->write("last\n");
    CHECK(f.read(text.size() + 5) == text + "last\n");
    CHECK_FALSE(out->behind());
    CHECK(f.logged.empty());
}

TEST_CASE("screen: what nobody reads for long is left out, whole writes at a time, and told") {
    fixture f;
    const auto out = f.make();
    const auto text = lines(most_output_behind);
    out->write(text);
    out->write(std::string(200000, 'x'));
    out->write(std::string(200000, 'y'));
    CHECK(f.logged == std::vector<std::string>{"nobody reads the standard output: what comes now is left out"});
    CHECK(f.read(text.size()) == text);
    CHECK(f.logged.back() == "the standard output is read again");
    out->write("and on\n");
    CHECK(f.read(7) == "and on\n");
    CHECK(f.logged.size() == 2);
}

TEST_CASE("screen: a text of any size goes out, and flush waits for its reader") {
    fixture f;
    const auto text = lines(most_output_behind + (1 << 20));
    std::string read;
    std::thread reader([&] {  // seam: ok, flush waits in this one
        while (read.size() < text.size()) read += f.pipe.read_some();
    });
    const auto out = f.make();
    out->write(text);
    out->flush();
    reader.join();
    CHECK(read == text);
    CHECK_FALSE(out->behind());
}

TEST_CASE("screen: a reader that is gone, and a descriptor that is closed, hold up nothing") {
    fixture f;
    const auto before = std::signal(SIGPIPE, SIG_IGN);  // as main does
    const auto out = f.make();
    out->write(lines(1 << 20));
    f.pipe.close(0);
    f.context.poll();
    CHECK_FALSE(out->behind());
    out->write("more");
    CHECK_FALSE(out->behind());
    const int gone = ::dup(f.pipe.in());
    ::close(gone);
    const auto closed = make_screen(f.context.get_executor(), gone, f.log);
    closed->write("x");
    closed->flush();
    CHECK_FALSE(closed->is_terminal());
    CHECK(closed->columns() == 0);
    std::signal(SIGPIPE, before);
}

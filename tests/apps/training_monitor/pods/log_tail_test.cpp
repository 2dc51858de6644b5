// The last lines of a container: what is asked for, what is hidden, what an error says.
#include "pods/log_tail.hpp"

#include "client/fixture.hpp"

#include <string>
#include <vector>

using namespace training_monitor;

namespace {

const std::string target = "GET /api/v1/namespaces/ml/pods/bert-worker-1/log";

class log_fixture : public kcontrol::test::client_fixture {
public:
    kcontrol::result<log_tail> read(bool previous = false, std::int64_t lines = usual_log_lines) {
        return await(read_log_tail(connect(), {"ml", "bert-worker-1"}, "pytorch", previous, {}, lines));
    }
};

}  // namespace

TEST_CASE_FIXTURE(log_fixture, "log tail: the last lines are asked for, masked, and have an end") {
    net->expect(target + "?container=pytorch&tailLines=100&limitBytes=262144")
        .reply(200, "Traceback\n  HF_TOKEN=hf_abcdefghijklmnop\nRuntimeError: CUDA", "text/plain");
    const auto tail = read();
    REQUIRE(tail);
    CHECK(tail->lines == std::vector<std::string>{"Traceback", "  HF_TOKEN=[masked]", "RuntimeError: CUDA"});
    CHECK_FALSE(tail->cut);
    CHECK(net->verify());
}

TEST_CASE_FIXTURE(log_fixture, "log tail: of the run before, and that there was more is said") {
    net->expect(target + "?container=pytorch&previous=true&tailLines=100&limitBytes=262144")
        .reply(200, std::string(262144, 'x'), "text/plain");
    const auto tail = read(true);
    REQUIRE(tail);
    CHECK(tail->cut);
    for (const auto& line : tail->lines) CHECK(line.size() <= 4096);
}

TEST_CASE_FIXTURE(log_fixture, "log tail: a thousand lines have more room") {
    net->expect(target + "?container=pytorch&tailLines=1000&limitBytes=1048576").reply(200, "a\nb\n", "text/plain");
    const auto tail = read(false, most_log_lines);
    REQUIRE(tail);
    CHECK(tail->lines == std::vector<std::string>{"a", "b"});
}

TEST_CASE_FIXTURE(log_fixture, "log tail: the server's word is the error") {
    net->expect(target + "?container=pytorch&tailLines=100&limitBytes=262144")
        .reply(403, R"({"kind":"Status","code":403,"reason":"Forbidden","message":"cannot get resource pods/log"})");
    const auto tail = read();
    REQUIRE_FALSE(tail);
    CHECK(tail.error().code() == kcontrol::api_errc::forbidden);
}

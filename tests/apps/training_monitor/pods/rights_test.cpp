// Rights that the API server is asked about, and what follows from the answers.
#include "pods/rights.hpp"

#include "client/fixture.hpp"

using namespace training_monitor;

namespace {

constexpr std::string_view review_target = "POST /apis/authorization.k8s.io/v1/selfsubjectaccessreviews";

}  // namespace

TEST_CASE("rights: an answer says yes or no, or nothing") {
    struct row {
        int status;
        const char* answer;
        right_state want;
    };
    const row rows[] = {
        {201, R"({"status":{"allowed":true}})", right_state::given},
        {201, R"({"status":{"allowed":false,"denied":true}})", right_state::missing},
        {201, R"({"status":{"allowed":"yes"}})", right_state::unknown},
        {201, R"({"status":[]})", right_state::unknown},
        {201, "not JSON", right_state::unknown},
        {403, R"({"status":{"allowed":true}})", right_state::unknown},
    };
    for (const auto& each : rows) {
        const auto& [status, answer, want] = each;
        CAPTURE(each.answer);
        CHECK(reviewed(status, answer) == want);
    }
    CHECK(access_review({"ml", "", "pods", "log"}) ==
          R"({"apiVersion":"authorization.k8s.io/v1","kind":"SelfSubjectAccessReview","spec":{"resourceAttributes":)"
          R"({"namespace":"ml","verb":"get","group":"","resource":"pods","subresource":"log"}}})");
}

TEST_CASE_FIXTURE(kcontrol::test::client_fixture,
                  "rights: what the server says, and unknown where it does not answer") {
    net->expect(std::string(review_target)).reply(201, R"({"status":{"allowed":false}})");
    CHECK(await(ask_right(connect(), {"ml", "", "pods", "log"}, {})) == right_state::missing);
    net->expect(std::string(review_target)).reply(404, "{}");
    CHECK(await(ask_right(connect(), {"ml", "", "pods", "log"}, {})) == right_state::unknown);
    CHECK(net->verify());
}

TEST_CASE("rights: each that is missing is a sentence") {
    cluster_rights none;
    CHECK(missing_rights(none).empty());
    none.logs = none.yaml = right_state::missing;
    const auto told = missing_rights(none);
    REQUIRE(told.size() == 2);
    CHECK(told[0] == "grant get on pods/log in the namespace of the job to see the last lines of its pods' logs");
    CHECK(told[1] == "grant get on its kind in the namespace of the job to see it as YAML");
}

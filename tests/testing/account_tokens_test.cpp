// Tokens of TokenRequest: who logs in with them, and when they end. Answers as of kube-apiserver 1.36.
#include "testing/api_server_fixture.hpp"

using namespace kcontrol;
using namespace std::chrono_literals;

namespace {

const std::string accounts = "/api/v1/namespaces/default/serviceaccounts", pods = "/api/v1/namespaces/default/pods",
                  secrets = "/api/v1/namespaces/default/secrets";

class fixture : public test::api_server_fixture {
public:
    fixture() {
        post(accounts, R"({"metadata":{"name":"sa"}})");
        post(accounts, R"({"metadata":{"name":"sb"}})");
        post(pods,
             R"({"metadata":{"name":"p"},"spec":{"serviceAccountName":"sa","containers":[{"name":"c","image":"i"}]}})");
        post(secrets, R"({"metadata":{"name":"s"}})");
    }
    std::string request(const std::string& spec, const std::string& account = "sa") {
        return said("POST", accounts + "/" + account + "/token", R"({"spec":{)" + spec + "}}");
    }
    std::string token(const std::string& spec = {}) {
        const auto answer = client.call("POST", accounts + "/sa/token", R"({"spec":{)" + spec + "}}");
        INFO(answer->body);
        REQUIRE(answer->head.status == 201);
        return std::string(json::get_string(answer->json(), {"status", "token"}));
    }
    /// The name of whom the token is, or the code of the refusal.
    std::string login(const std::string& token) {
        auto request =
            client.make("POST", "/apis/authentication.k8s.io/v1/selfsubjectreviews", "{}", "application/json");
        request.headers.set("Authorization", "Bearer " + token);
        const auto answer = client.start(request);
        if (answer->head.status != 201) return std::to_string(answer->head.status);
        return std::string(json::get_string(answer->json(), {"status", "userInfo", "username"}));
    }
    json::value review(const std::string& token, const std::string& audiences = {}) {
        const auto answer = client.call("POST", "/apis/authentication.k8s.io/v1/tokenreviews",
                                        R"({"spec":{"token":")" + token + "\"" + audiences + "}}");
        REQUIRE(answer->head.status == 201);
        return answer->json().at("status");
    }
    std::string problem(const std::string& token, const std::string& audiences = {}) {
        return std::string(json::get_string(review(token, audiences), {"error"}));
    }
};

const std::string account_name = "system:serviceaccount:default:sa";
const std::string bound_to_pod = R"("boundObjectRef":{"kind":"Pod","apiVersion":"v1","name":"p"})";

}  // namespace

TEST_CASE("a token of TokenRequest logs in as its service account, with or without other tokens") {
    fixture f;
    const std::string token = f.token();
    CHECK(f.login(token) == account_name);
    CHECK(f.login("garbage") == "system:anonymous");
    f.server.access().set_tokens({{"old", "robot"}});
    CHECK(f.login(token) == account_name);
    CHECK(f.login("old") == "robot");
    CHECK(f.login("garbage") == "401");
    f.client.headers.set("Authorization", "Bearer old");
    const auto review = f.review(token);
    CHECK(review.at("authenticated") == true);
    CHECK(json::serialize(review.at("user").at("groups")) ==
          R"(["system:serviceaccounts","system:serviceaccounts:default","system:authenticated"])");
    CHECK(json::get_string(review, {"user", "uid"}) ==
          json::get_string(f.json_of(accounts + "/sa"), {"metadata", "uid"}));
    CHECK(json::serialize(review.at("audiences")) == R"(["https://kubernetes.default.svc.cluster.local"])");
    CHECK(f.problem("garbage") == "invalid bearer token");
}

TEST_CASE("roles of a service account count for its tokens") {
    test::api_server_fixture f(testing::api_server_options().default_and_validate(true).enforce_rbac(true));
    f.server.access().set_groups("admin", {"system:masters"});
    f.server.access().set_tokens({{"root", "admin"}});
    f.client.headers.set("Authorization", "Bearer root");
    f.post(accounts, R"({"metadata":{"name":"sa"}})");
    f.post("/apis/rbac.authorization.k8s.io/v1/namespaces/default/roles",
           R"({"metadata":{"name":"r"},"rules":[{"verbs":["list"],"apiGroups":[""],"resources":["secrets"]}]})");
    f.post("/apis/rbac.authorization.k8s.io/v1/namespaces/default/rolebindings",
           R"({"metadata":{"name":"b"},"roleRef":{"apiGroup":"rbac.authorization.k8s.io","kind":"Role","name":"r"},
               "subjects":[{"kind":"ServiceAccount","name":"sa","namespace":"default"}]})");
    const auto answer = f.client.call("POST", accounts + "/sa/token", "{}");
    REQUIRE(answer->head.status == 201);
    f.client.headers.set("Authorization",
                         "Bearer " + std::string(json::get_string(answer->json(), {"status", "token"})));
    CHECK(f.said("GET", secrets) == "200");
    CHECK(f.said("GET", "/api/v1/namespaces") ==
          "403 namespaces is forbidden: User \"system:serviceaccount:default:sa\" cannot list resource \"namespaces\" "
          "in API group \"\" at the cluster scope");
}

TEST_CASE("a token ends with its time, its account, and what it is bound to") {
    fixture f;
    const std::string plain = f.token(), brief = f.token(R"("expirationSeconds":600)"), of_pod = f.token(bound_to_pod),
                      of_secret = f.token(R"("boundObjectRef":{"kind":"Secret","apiVersion":"v1","name":"s"})");
    CHECK(f.login(of_pod) == account_name);
    CHECK(f.login(of_secret) == account_name);
    const auto extra = f.review(of_pod).at("user").at("extra");
    CHECK(json::serialize(extra.at("authentication.kubernetes.io/pod-name")) == R"(["p"])");
    CHECK(extra.as_object().contains("authentication.kubernetes.io/credential-id"));
    REQUIRE(f.client.call("DELETE", pods + "/p")->head.status == 200);
    CHECK(f.login(of_pod) == "401");
    CHECK(f.problem(of_pod) == "invalid bearer token");
    f.post(pods,
           R"({"metadata":{"name":"p"},"spec":{"serviceAccountName":"sa","containers":[{"name":"c","image":"i"}]}})");
    CHECK(f.login(of_pod) == "401");  // another pod of that name
    REQUIRE(f.client.call("DELETE", secrets + "/s")->head.status == 200);
    CHECK(f.login(of_secret) == "401");
    f.run_for(9min);
    CHECK(f.login(brief) == account_name);
    f.run_for(3min);
    CHECK(f.login(brief) == "401");
    CHECK(f.problem(brief) == "[invalid bearer token, service account token has expired]");
    CHECK(f.login(plain) == account_name);
    REQUIRE(f.client.call("DELETE", accounts + "/sa")->head.status == 200);
    CHECK(f.login(plain) == "401");
    CHECK(f.problem(plain) == R"([invalid bearer token, serviceaccounts "sa" not found])");
    f.post(accounts, R"({"metadata":{"name":"sa"}})");
    CHECK(f.login(plain) == "401");
    CHECK(f.problem(plain).find("does not match claim") != std::string::npos);
}

TEST_CASE("a token for others does not log in here, and a review for them takes it") {
    fixture f;
    const std::string vault = f.token(R"("audiences":["vault"])");
    CHECK(f.login(vault) == "401");
    CHECK(f.problem(vault) ==
          "[invalid bearer token, token audiences [\"vault\"] is invalid for the target audiences "
          "[\"https://kubernetes.default.svc.cluster.local\"]]");
    const auto review = f.review(vault, R"(,"audiences":["vault","x"])");
    CHECK(review.at("authenticated") == true);
    CHECK(json::serialize(review.at("audiences")) == R"(["vault"])");
    CHECK(f.problem(f.token(), R"(,"audiences":["vault"])").find("is invalid for the target") != std::string::npos);
}

TEST_CASE("TokenRequests that are refused") {
    fixture f;
    const auto bound = [](const std::string& reference) { return "\"boundObjectRef\":{" + reference + "}"; };
    CHECK(f.request("", "none") == R"(404 serviceaccounts "none" not found)");
    CHECK(f.request(R"("expirationSeconds":599)") ==
          "422 TokenRequest.authentication.k8s.io \"\" is invalid: spec.expirationSeconds: Invalid value: 599: may not "
          "specify a duration less than 10 minutes");
    CHECK(f.request(R"("expirationSeconds":8589934592)") ==
          "422 TokenRequest.authentication.k8s.io \"\" is invalid: spec.expirationSeconds: Invalid value: 8589934592: "
          "may not specify a duration larger than 2^32 seconds");
    CHECK(f.request(bound(R"("kind":"Pod","apiVersion":"v1","name":"none")")) == R"(404 pods "none" not found)");
    CHECK(f.request(bound(R"("kind":"Secret","apiVersion":"v1","name":"none")")) == R"(404 secrets "none" not found)");
    CHECK(f.request(bound(R"("kind":"Node","apiVersion":"v1","name":"none")")) == R"(404 nodes "none" not found)");
    CHECK(f.request(bound(R"("kind":"ConfigMap","apiVersion":"v1","name":"x")")) ==
          "400 cannot bind token to object of type /v1, Kind=ConfigMap");
    CHECK(f.request(bound(R"("name":"p")")) == "400 cannot bind token to object of type /, Kind=");
    CHECK(
        f.request(bound(R"("kind":"Pod","apiVersion":"v1","name":"p","uid":"wrong")")) ==
        "409 Operation cannot be fulfilled on Pod \"p\": the UID in the bound object reference (wrong) does not match "
        "the UID in record. The object might have been deleted and then recreated");
    CHECK(f.request(bound_to_pod, "sb") ==
          "400 cannot bind token for serviceaccount \"sb\" to pod running with different "
          "serviceaccount name.");
}

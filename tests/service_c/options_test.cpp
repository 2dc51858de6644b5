// Options that are wrong: each is KC_EINVAL, and the text names the key and the remedy.
#include "service_c/stage.hpp"

using namespace kcontrol::test;

namespace {

struct wrong_options {
    const char* text;
    const char* part;  // of the message
};

}  // namespace

TEST_CASE("options of a client") {
    const wrong_options table[] = {
        {"", "can't be read"},
        {"{", "can't be read"},
        {"[]", "no JSON object"},
        {R"({"thread":true,"thread":false})", "twice"},
        {R"({"Thread":true})",
         "\"Thread\" is no option of this function; there are: kubeconfig, context, thread, log, coreDumps"},
        {R"({"coreDumps":0})", "\"coreDumps\" must be true or false"},
        {R"({"thread":1})", "\"thread\" must be true or false"},
        {R"({"kubeconfig":1})", "\"kubeconfig\" must be a string"},
        {R"({"log":"loud"})", "\"log\" must be off"},
        {R"({"kubeconfig":"/nowhere/config"})", "/nowhere/config"},
    };
    for (const auto& row : table) {
        CAPTURE(row.text);
        kc_handle out = 1;
        CHECK(kc_client_new(row.text, &out) == KC_EINVAL);
        CHECK(out == 0);
        CAPTURE(last_error());
        CHECK(last_error().find(row.part) != std::string::npos);
    }
}

TEST_CASE("a context that the kubeconfig does not have") {
    server_stage stage;
    kc_handle out = 1;
    CHECK(kc_client_new(stage.options(R"(,"context":"other")").c_str(), &out) == KC_EINVAL);
    CHECK(last_error().find("other") != std::string::npos);
    const kc_handle client = stage.client(R"(,"context":"local","thread":null)");
    CHECK(kc_free(client) == KC_OK);
}

TEST_CASE("options of a lead") {
    server_stage stage;
    const kc_handle client = stage.client(R"(,"thread":false)");
    const wrong_options table[] = {
        {R"({})", "\"lease\" is missing"},
        {R"({"lease":"a","namespace":"default","color":1})", "\"color\" is no option"},
        {R"({"lease":7})", "\"lease\" must be a string"},
        {R"({"lease":"A b","namespace":"default"})", "A b"},
        {R"({"lease":"a","namespace":"default","leaseDurationSeconds":"15"})",
         "\"leaseDurationSeconds\" must be a number"},
        {R"({"lease":"a","namespace":"default","leaseDurationSeconds":0})",
         "\"leaseDurationSeconds\" must be a number"},
        {R"({"lease":"a","namespace":"default","leaseDurationSeconds":1e300})",
         "\"leaseDurationSeconds\" must be a number"},
        {R"({"lease":"a","namespace":"default","leaseDurationSeconds":5})", "kc_lead: "},
        {R"({"lease":"a","namespace":"default","label":"role"})", "\"label\" must be an object"},
        {R"({"lease":"a","namespace":"default","label":{"name":"x"}})", "\"label.name\" is no option"},
        {R"({"lease":"a","namespace":"default","label":{"key":1}})", "\"label.key\" must be a string"},
        {R"({"lease":"a","namespace":"default","label":{"key":"no key"}})", "no key"},
        {R"({"lease":"a","namespace":"default","acceptTokenReset":"yes"})",
         "\"acceptTokenReset\" must be true or false"},
    };
    for (const auto& row : table) {
        CAPTURE(row.text);
        kc_handle out = 1;
        CHECK(kc_lead(client, row.text, nullptr, nullptr, &out) == KC_EINVAL);
        CHECK(out == 0);
        CAPTURE(last_error());
        CHECK(last_error().find(row.part) != std::string::npos);
    }
    CHECK(kc_free(client) == KC_OK);
}

TEST_CASE("targets and options of endpoints, objects and urls") {
    server_stage stage;
    const kc_handle client = stage.client(R"(,"thread":false)");
    struct row {
        const char *target, *options, *part;
    };
    const row table[] = {
        {"", nullptr, ""},
        {"default", nullptr, "\"selector\""},
        {"default/web/x", nullptr, "service \"web/x\""},
        {"default/Web", nullptr, "Web"},
        {"default/web", R"({"selector":"app=web"})", "\"selector\" selects pods"},
        {"default", R"({"selector":"app in"})", ""},
        {"default/web", R"({"port":0})", "\"port\" must be"},
        {"default/web", R"({"port":65536})", "\"port\" must be"},
        {"default/web", R"({"port":""})", "\"port\" must be"},
        {"default/web", R"({"staleAfterSeconds":0.5})", "must be at least 1"},
        {"default/web", R"({"stale":1})", "\"stale\" is no option"},
    };
    for (const auto& at : table) {
        CAPTURE(at.target);
        kc_handle out = 1;
        CHECK(kc_endpoints(client, at.target, at.options, nullptr, nullptr, &out) == KC_EINVAL);
        CHECK(out == 0);
        CAPTURE(last_error());
        CHECK(last_error().find(at.part) != std::string::npos);
    }
    for (const char* const url :
         {"", "k8s://", "k8s://default", "k8s://default/a/b", "http://default/a", "k8s://default/A b"}) {
        CAPTURE(url);
        kc_handle out = 1;
        CHECK(kc_follow(client, url, nullptr, nullptr, &out) == KC_EINVAL);
        CHECK(out == 0);
    }
    for (const char* const object : {"", "[]", "{}", R"({"apiVersion":"v1","kind":"ConfigMap"})",
                                     R"({"kind":"ConfigMap","metadata":{"name":"a"}})"}) {
        CAPTURE(object);
        kc_handle out = 1;
        CHECK(kc_register(client, object, &out) == KC_EINVAL);
        CHECK(out == 0);
    }
    CHECK(kc_free(client) == KC_OK);
}

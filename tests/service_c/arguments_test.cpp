// Every call with handles that are none, freed, foreign or of another kind, and with null pointers.
#include "service_c/stage.hpp"

#include <functional>
#include <map>

using namespace kcontrol::test;

namespace {

struct handle_call {
    std::string name;   // also of the kind that it takes
    std::string takes;  // "client", "lead", "follow", "endpoints", "snapshot", "any"
    std::function<int(kc_handle)> call;
};

void no_change(void*, kc_handle) {}
void no_lead(void*, int, std::uint64_t) {}

kc_handle made;
int number;
std::int64_t ms;
std::uint64_t token;
std::size_t count;
char text[256];

kc_endpoint sized_endpoint() {
    kc_endpoint out{};
    out.size = sizeof out;
    return out;
}

std::vector<handle_call> handle_calls() {
    return {
        {"kc_client_fd", "client", [](kc_handle h) { return kc_client_fd(h, &number); }},
        {"kc_client_dispatch", "client", [](kc_handle h) { return kc_client_dispatch(h, 0); }},
        {"kc_lead", "client",
         [](kc_handle h) { return kc_lead(h, R"({"lease":"a","namespace":"default"})", no_lead, nullptr, &made); }},
        {"kc_lead_left", "lead", [](kc_handle h) { return kc_lead_left(h, &ms, &token); }},
        {"kc_register", "client",
         [](kc_handle h) {
             return kc_register(h, R"({"apiVersion":"v1","kind":"ConfigMap","metadata":{"name":"a"}})", &made);
         }},
        {"kc_follow", "client", [](kc_handle h) { return kc_follow(h, "k8s://default/a", no_change, nullptr, &made); }},
        {"kc_follow_get", "follow", [](kc_handle h) { return kc_follow_get(h, text, sizeof text, &number, &ms); }},
        {"kc_endpoints", "client",
         [](kc_handle h) { return kc_endpoints(h, "default/web", nullptr, no_change, nullptr, &made); }},
        {"kc_snapshot", "endpoints", [](kc_handle h) { return kc_snapshot(h, &made); }},
        {"kc_snapshot_info", "snapshot", [](kc_handle h) { return kc_snapshot_info(h, &token, &count, &number, &ms); }},
        {"kc_snapshot_at", "snapshot",
         [](kc_handle h) {
             kc_endpoint at = sized_endpoint();
             return kc_snapshot_at(h, 0, &at);
         }},
        {"kc_free", "any", [](kc_handle h) { return kc_free(h); }},
    };
}

/// One handle of each kind.
std::map<std::string, kc_handle> one_of_each(const server_stage& stage) {
    std::map<std::string, kc_handle> out;
    out["client"] = stage.client();
    REQUIRE(kc_lead(out["client"], R"({"lease":"a","namespace":"default"})", nullptr, nullptr, &out["lead"]) == KC_OK);
    REQUIRE(kc_register(out["client"],
                        R"({"apiVersion":"v1","kind":"ConfigMap","metadata":{"name":"r","namespace":"default"}})",
                        &out["registration"]) == KC_OK);
    REQUIRE(kc_follow(out["client"], "k8s://default/a", nullptr, nullptr, &out["follow"]) == KC_OK);
    REQUIRE(kc_endpoints(out["client"], "default/web", nullptr, nullptr, nullptr, &out["endpoints"]) == KC_OK);
    REQUIRE(kc_snapshot(out["endpoints"], &out["snapshot"]) == KC_OK);
    return out;
}

void expect(const handle_call& at, kc_handle handle, int code) {
    CAPTURE(at.name);
    CHECK(at.call(handle) == code);
    CHECK(last_error().size() > 10);
}

}  // namespace

TEST_CASE("handles that stand for nothing") {
    for (const auto& at : handle_calls())
        for (const kc_handle none : {kc_handle(0), kc_handle(1), kc_handle(12345), ~kc_handle(0)})
            expect(at, none, KC_EHANDLE);
}

TEST_CASE("handles of another kind, and freed ones") {
    server_stage stage;
    stage.create(service_web);
    stage.create(slice_of_web({"10.77.0.1"}));
    auto handles = one_of_each(stage);
    for (const auto& at : handle_calls()) {
        for (const auto& each : handles) {
            const auto& [kind, handle] = each;
            if (at.takes == "any" || at.takes == kind) continue;
            CAPTURE(each.first);
            expect(at, handle, KC_EHANDLE);
            CHECK(last_error().find(", not ") != std::string::npos);
        }
    }
    std::map<std::string, kc_handle> freed;
    for (const char* const kind : {"snapshot", "endpoints", "follow", "registration", "lead", "client"}) {
        CHECK(kc_free(handles[kind]) == KC_OK);
        for (const auto& at : handle_calls()) expect(at, handles[kind], KC_EHANDLE);
    }
}

TEST_CASE("freeing a client ends its parts' handles, but no snapshot") {
    server_stage stage;
    stage.create(service_web);
    stage.create(slice_of_web({"10.77.0.1"}));
    auto handles = one_of_each(stage);
    CHECK(kc_free(handles["client"]) == KC_OK);
    for (const char* const kind : {"endpoints", "follow", "registration", "lead", "client"})
        CHECK(kc_free(handles[kind]) == KC_EHANDLE);
    CHECK(kc_snapshot_info(handles["snapshot"], nullptr, nullptr, nullptr, nullptr) == KC_OK);
    CHECK(kc_free(handles["snapshot"]) == KC_OK);
}

TEST_CASE("a handle is never given twice") {
    server_stage stage;
    std::map<kc_handle, int> times;
    const kc_handle client = stage.client();
    ++times[client];
    for (int i = 0; i < 20; ++i) {
        kc_handle one = 0;
        REQUIRE(kc_follow(client, "k8s://default/a", nullptr, nullptr, &one) == KC_OK);
        ++times[one];
        CHECK(kc_free(one) == KC_OK);
    }
    CHECK(times.size() == 21);
    CHECK(kc_free(client) == KC_OK);
}

TEST_CASE("null pointers") {
    server_stage stage;
    const kc_handle client = stage.client(R"(,"thread":false)");
    kc_handle out = 7;
    const auto wrong = [](int code, const char* part) {
        CHECK(code == KC_EINVAL);
        CAPTURE(last_error());
        CHECK(last_error().find(part) != std::string::npos);
    };
    wrong(kc_client_new(nullptr, nullptr), "kc_client_new: out is NULL");
    wrong(kc_client_fd(client, nullptr), "kc_client_fd: fd is NULL");
    wrong(kc_lead(client, R"({"lease":"a"})", nullptr, nullptr, nullptr), "kc_lead: out is NULL");
    wrong(kc_lead(client, nullptr, nullptr, nullptr, &out), "\"lease\" is missing");
    CHECK(out == 0);
    wrong(kc_register(client, nullptr, &out), "the object is NULL");
    wrong(kc_register(client, "{}", nullptr), "kc_register: out is NULL");
    wrong(kc_follow(client, nullptr, nullptr, nullptr, &out), "k8s://NAMESPACE/LEASE");
    wrong(kc_follow(client, "k8s://default/a", nullptr, nullptr, nullptr), "kc_follow: out is NULL");
    wrong(kc_endpoints(client, nullptr, nullptr, nullptr, nullptr, &out), "NAMESPACE/SERVICE");
    wrong(kc_endpoints(client, "default/web", nullptr, nullptr, nullptr, nullptr), "kc_endpoints: out is NULL");

    kc_handle endpoints = 0, snapshot = 0, lead = 0, follow = 0;
    REQUIRE(kc_endpoints(client, "default/web", nullptr, nullptr, nullptr, &endpoints) == KC_OK);
    REQUIRE(kc_follow(client, "k8s://default/a", nullptr, nullptr, &follow) == KC_OK);
    REQUIRE(kc_lead(client, R"({"lease":"a","namespace":"default"})", nullptr, nullptr, &lead) == KC_OK);
    wrong(kc_snapshot(endpoints, nullptr), "kc_snapshot: out is NULL");
    REQUIRE(kc_snapshot(endpoints, &snapshot) == KC_OK);
    CHECK(kc_snapshot_info(snapshot, nullptr, nullptr, nullptr, nullptr) == KC_OK);
    wrong(kc_snapshot_at(snapshot, 0, nullptr), "out is NULL");
    kc_endpoint at{};
    wrong(kc_snapshot_at(snapshot, 0, &at), "sizeof(kc_endpoint)");
    at.size = sizeof at;
    CHECK(kc_snapshot_at(snapshot, 0, &at) == KC_ENOTFOUND);
    CHECK(kc_lead_left(lead, nullptr, nullptr) == KC_OK);
    CHECK(kc_follow_get(follow, nullptr, 0, nullptr, nullptr) == KC_ENOTFOUND);
    char byte = 'x';
    wrong(kc_follow_get(follow, &byte, 0, nullptr, nullptr), "takes 1 bytes");
    CHECK(byte == 'x');
    CHECK(kc_free(snapshot) == KC_OK);
    CHECK(kc_free(client) == KC_OK);
}

TEST_CASE("the text of a failure is its thread's own, and is cut to the buffer") {
    CHECK(kc_free(0) == KC_EHANDLE);
    const std::string whole = last_error();
    CHECK(whole == "the handle is 0, which stands for none");
    char small[5] = "....";
    CHECK(kc_error(small, sizeof small) == whole.size());
    CHECK(std::string(small) == "the ");
    CHECK(kc_error(nullptr, 5) == whole.size());
    std::size_t elsewhere = 1;
    std::thread([&] { elsewhere = kc_error(nullptr, 0); }).join();  // seam: ok, the text is thread-local
    CHECK(elsewhere == 0);
    CHECK(kc_abi_version() == 1);
    CHECK(last_error() == whole);
}

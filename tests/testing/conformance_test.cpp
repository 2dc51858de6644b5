// Runs tests/conformance/cases.json against the in-process API server. tests/conformance/run.py runs them on any other.
#include <kcontrol/runtime/system_environment.hpp>
#include <kcontrol/testing/api_server.hpp>

#include "support/print.hpp"
#include "testing/memory_responder.hpp"

#include <doctest/doctest.h>

#include <map>

using namespace kcontrol;

namespace {

json::value load(const std::string& name) {
    system_environment env;
    const auto text = env.read_file(KCONTROL_TESTS_DIR "/conformance/" + name, 1 << 20);
    REQUIRE(text);
    return json::parse(*text).value();
}

// ${name} stands for a value saved before.
std::string fill(std::string text, const std::map<std::string, std::string>& saved) {
    for (const auto& [name, value] : saved) {
        const std::string mark = "${" + name + "}";
        for (auto at = text.find(mark); at != std::string::npos; at = text.find(mark)) {
            text.replace(at, mark.size(), value);
        }
    }
    return text;
}

const json::value* at(const json::value& document, std::string_view pointer) {
    boost::system::error_code problem;
    return document.find_pointer(pointer, problem);
}

void check(const json::value& expect, const test::memory_responder& answer) {
    CHECK(answer.head.status == expect.at("code").as_int64());
    if (const json::value* text = json::find(expect, {"text"})) {
        CHECK(answer.body.find(std::string(text->as_string())) != std::string::npos);
    }
    if (const json::value* events = json::find(expect, {"events"})) {
        std::vector<std::string> wanted;
        for (const auto& event : events->as_array()) wanted.emplace_back(event.as_string());
        CHECK(answer.events() == wanted);
    }
    if (const json::value* fields = json::find(expect, {"fields"})) {
        const json::value document = answer.json();
        for (const auto& field : fields->as_object()) {
            CAPTURE(std::string(field.key()));
            const json::value* found = at(document, field.key());
            CHECK(json::serialize(found == nullptr ? json::value() : *found) == json::serialize(field.value()));
        }
    }
    if (const json::value* absent = json::find(expect, {"absent"})) {
        const json::value document = answer.json();
        for (const auto& pointer : absent->as_array()) CHECK(at(document, pointer.as_string()) == nullptr);
    }
}

}  // namespace

TEST_CASE("the in-process API server answers as a real one does") {
    boost::asio::io_context context;
    testing::manual_environment env;
    kcontrol::testing::api_server server(env, context.get_executor());
    test::memory_client client(context, server.handler());
    REQUIRE(server.create(load("crd.json")));
    std::map<std::string, std::string> saved = {{"ns", "conformance"}};
    REQUIRE(server.create(
        json::parse(R"({"apiVersion":"v1","kind":"Namespace","metadata":{"name":"conformance"}})").value()));

    const json::value document = load("cases.json");
    for (const auto& original : document.at("cases").as_array()) {
        const json::value one = json::parse(fill(json::serialize(original), saved)).value();
        CAPTURE(std::string(one.at("name").as_string()));
        std::string body(json::get_string(one, {"raw"}));
        if (const json::value* given = json::find(one, {"body"})) body = json::serialize(*given);
        std::string type(json::get_string(one, {"content_type"}));
        if (type.empty()) type = "application/json";
        auto request = client.make(std::string(one.at("method").as_string()), std::string(one.at("path").as_string()),
                                   std::move(body), std::move(type));
        request.headers.set("Accept", std::string(json::get_string(one, {"accept"})));
        const auto answer = client.start(std::move(request));
        env.advance(std::chrono::seconds(2), context);  // watches of the cases last a second
        REQUIRE(answer->done);
        check(one.at("expect"), *answer);
        const json::value* saves = json::find(one, {"save"});
        if (saves == nullptr) continue;
        const json::value shown = answer->json();
        for (const auto& save : saves->as_object()) {
            const json::value* found = at(shown, save.value().as_string());
            REQUIRE(found != nullptr);
            saved[save.key()] = std::string(found->as_string());
        }
    }
}

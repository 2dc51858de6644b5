// Runs tests/conformance/*.json against the in-process API server. tests/conformance/run.py runs them on any other.
#include <kcontrol/runtime/system_environment.hpp>
#include <kcontrol/testing/api_server.hpp>

#include "support/folders.hpp"
#include "support/print.hpp"
#include "testing/memory_responder.hpp"

#include <doctest/doctest.h>

#include <map>
#include <optional>
#include <set>
#include <string>
#include <string_view>
#include <vector>

using namespace kcontrol;

namespace {

json::value load(const std::string& name) {
    system_environment env;
    const auto text = env.read_file(test::tests_file("conformance/" + name), 1 << 20);
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

// The first difference from a recorded answer, in which "*" is any value; null is as good as nothing (recorded.py).
std::string difference(const json::value& expected, const json::value& found, const std::string& path = {}) {
    if (expected.is_string() && expected.get_string() == "*" && !found.is_null()) return {};
    if (expected.is_object() && found.is_object()) {
        std::set<std::string> keys;
        for (const auto& member : expected.get_object()) keys.emplace(member.key());
        for (const auto& member : found.get_object()) keys.emplace(member.key());
        for (const auto& key : keys) {
            const json::value nothing;
            const json::value* const wanted = expected.get_object().if_contains(key);
            const json::value* const there = found.get_object().if_contains(key);
            std::string below = difference(wanted == nullptr ? nothing : *wanted, there == nullptr ? nothing : *there,
                                           path + "/" + key);
            if (!below.empty()) return below;
        }
        return {};
    }
    if (expected.is_array() && found.is_array() && expected.get_array().size() == found.get_array().size()) {
        for (std::size_t i = 0; i < expected.get_array().size(); ++i) {
            std::string below =
                difference(expected.get_array()[i], found.get_array()[i], path + "/" + std::to_string(i));
            if (!below.empty()) return below;
        }
        return {};
    }
    if (expected == found) return {};
    return path + " is " + json::serialize(found) + ", not " + json::serialize(expected) + "\n";
}

// The headers and the text.
std::string what_is_wrong_around(const json::value& expect, const test::memory_responder& answer) {
    std::string out;
    if (const json::value* text = json::find(expect, {"text"})) {
        if (answer.body.find(std::string(text->as_string())) == std::string::npos) out += "text " + answer.body + "\n";
    }
    if (const json::value* type = json::find(expect, {"type"})) {
        const std::string_view given = answer.head.headers.get("Content-Type");
        if (given != std::string_view(type->as_string())) out += "Content-Type " + std::string(given) + "\n";
    }
    if (const json::value* warnings = json::find(expect, {"warnings"})) {
        json::array shown;
        for (const auto& [name, value] : answer.head.headers) {
            if (name == "Warning") shown.push_back(json::value(value));
        }
        if (json::value(shown) != *warnings) out += "warnings " + json::serialize(shown) + "\n";
    }
    return out;
}

// Nothing, or a line for each part of an answer that is not as expected.
std::string what_is_wrong(const json::value& expect, const test::memory_responder& answer) {
    if (answer.head.status != expect.at("code").as_int64()) {
        return "code " + std::to_string(answer.head.status) + ": " + answer.body.substr(0, 300) + "\n";
    }
    std::string out = what_is_wrong_around(expect, answer);
    if (const json::value* events = json::find(expect, {"events"})) {
        std::vector<std::string> wanted;
        for (const auto& event : events->as_array()) wanted.emplace_back(event.as_string());
        if (answer.events() != wanted) out += "events of " + answer.body + "\n";
    }
    if (const json::value* whole = json::find(expect, {"answer"})) {
        out += difference(*whole, whole->is_string() ? json::value(answer.body) : answer.json());
    }
    if (const json::value* fields = json::find(expect, {"fields"})) {
        const json::value document = answer.json();
        for (const auto& field : fields->as_object()) {
            const json::value* found = at(document, field.key());
            if ((found == nullptr ? json::value() : *found) == field.value()) continue;
            out += std::string(field.key()) + " is " + (found == nullptr ? "nothing" : json::serialize(*found)) + "\n";
        }
    }
    if (const json::value* absent = json::find(expect, {"absent"})) {
        const json::value document = answer.json();
        for (const auto& pointer : absent->as_array()) {
            const json::value* found = at(document, pointer.as_string());
            if (found == nullptr || found->is_null()) continue;
            out += std::string(pointer.as_string()) + " is " + json::serialize(*found) + "\n";
        }
    }
    return out;
}

}  // namespace

namespace {

// A server, and the cases of one file before it.
class conformance {
public:
    explicit conformance(const kcontrol::testing::api_server_options& options = {})
        : server_(std::in_place, env_, context_.get_executor(), options), client_(context_, server_->handler()) {
        server_->access().set_groups("admin", {"system:masters"});
        REQUIRE(server_->create(load("crd.json")));
        REQUIRE(server_->create(
            json::parse(R"({"apiVersion":"v1","kind":"Namespace","metadata":{"name":"conformance"}})").value()));
    }

    // What the server has still to do hears that it is gone; a context that dies before would leak that.
    ~conformance() {
        server_.reset();
        testing::manual_environment::run_ready(context_);
    }

    void run(const std::string& file) {
        const json::value document = load(file);
        for (const auto& original : document.at("cases").as_array()) {
            const json::value one = json::parse(fill(json::serialize(original), saved_)).value();
            CAPTURE(std::string(one.at("name").as_string()));
            const auto answer = ask(one);
            // What this server answers otherwise is said with the case.
            const bool differs = json::find(one, {"differs"}) != nullptr;
            const std::string wrong = what_is_wrong(one.at(differs ? "ours" : "expect"), *answer);
            CHECK_MESSAGE(wrong.empty(), wrong);
            if (differs) {
                CHECK_MESSAGE(!what_is_wrong(one.at("expect"), *answer).empty(), "it answers as a real server does");
                continue;
            }
            const json::value* saves = json::find(one, {"save"});
            if (saves != nullptr) save(saves->as_object(), answer->json());
        }
    }

private:
    std::shared_ptr<test::memory_responder> ask(const json::value& one) {
        std::string body(json::get_string(one, {"raw"}));
        if (const json::value* given = json::find(one, {"body"})) body = json::serialize(*given);
        std::string type(json::get_string(one, {"content_type"}));
        if (type.empty()) type = "application/json";
        auto request = client_.make(std::string(one.at("method").as_string()), std::string(one.at("path").as_string()),
                                    std::move(body), std::move(type));
        request.headers.set("Accept", std::string(json::get_string(one, {"accept"})));
        request.headers.set("User-Agent", "conformance/1");
        if (const json::value* as = json::find(one, {"as"})) {
            request.headers.set("Impersonate-User", std::string(json::get_string(*as, {"user"})));
            const json::value* groups = json::find(*as, {"groups"});
            for (const auto& group : groups == nullptr ? json::array() : groups->as_array()) {
                request.headers.add("Impersonate-Group", std::string(group.as_string()));
            }
        }
        request.client_subject = "admin";
        auto answer = client_.start(std::move(request));
        // Watches of the cases last a second; what comes about eventually has half a minute.
        const bool eventually = json::find(one, {"eventually"}) != nullptr;
        env_.advance(std::chrono::seconds(2), context_);
        REQUIRE(answer->done);
        if (!eventually || answer->head.status == one.at("expect").at("code").as_int64()) return answer;
        env_.advance(std::chrono::seconds(40), context_);
        request =
            client_.make(std::string(one.at("method").as_string()), std::string(one.at("path").as_string()), "", "");
        answer = client_.start(std::move(request));
        env_.advance(std::chrono::seconds(1), context_);
        return answer;
    }
    void save(const json::object& saves, const json::value& shown) {
        for (const auto& entry : saves) {
            const json::value* found = at(shown, entry.value().as_string());
            REQUIRE(found != nullptr);
            saved_[entry.key()] = std::string(found->as_string());
        }
    }

    boost::asio::io_context context_;
    testing::manual_environment env_;
    std::optional<kcontrol::testing::api_server> server_;
    test::memory_client client_;
    std::map<std::string, std::string> saved_ = {{"ns", "conformance"}};
};

}  // namespace

namespace {

kcontrol::testing::api_server_options complete() {
    kcontrol::testing::api_server_options options;
    return options.default_and_validate(true);
}

}  // namespace

TEST_CASE("the in-process API server answers as a real one does") { conformance().run("cases.json"); }

TEST_CASE("the in-process API server says that it serves what a real one serves") {
    conformance().run("discovery.json");
}

TEST_CASE("the in-process API server makes, changes and deletes every kind as a real one does") {
    conformance(complete()).run("kinds.json");
}

TEST_CASE("the in-process API server deletes as a real one does") {
    auto options = complete();
    options.collect_garbage(true).collection_delay(std::chrono::hours(1));  // as if nobody collected
    conformance(options).run("deletion.json");
}

TEST_CASE("the in-process API server collects garbage as a cluster does") {
    auto options = complete();
    options.collect_garbage(true);
    conformance(options).run("collection.json");
}

TEST_CASE("the in-process API server takes the bodies that a real one takes") { conformance().run("bodies.json"); }

TEST_CASE("the in-process API server completes and refuses what is written as a real one does") {
    conformance(complete()).run("writes.json");
}

TEST_CASE("the in-process API server reads values and refuses what is there twice as a real one does") {
    conformance(complete()).run("values.json");
}

TEST_CASE("the in-process API server prunes, completes and refuses custom objects as a real one does") {
    conformance(complete()).run("custom.json");
}

TEST_CASE("the in-process API server holds custom objects to their rules as a real one does") {
    conformance(complete()).run("rules.json");
}

TEST_CASE("the in-process API server has the OpenAPI documents of a real one") {
    conformance(complete()).run("openapi.json");
}

TEST_CASE("the in-process API server evaluates CEL as a real one does") { conformance(complete()).run("cel.json"); }

TEST_CASE("the in-process API server refuses and serves definitions as a real one does") {
    conformance(complete()).run("definitions.json");
}

TEST_CASE("the in-process API server scales, binds, evicts and reviews as a real one does") {
    conformance(complete()).run("subresources.json");
}

TEST_CASE("the in-process API server shows tables as a real one does") { conformance(complete()).run("tables.json"); }

TEST_CASE("the in-process API server allows what Roles allow, as a real one does") {
    conformance(complete().enforce_rbac(true)).run("access.json");
}

TEST_CASE("the in-process API server answers in YAML as a real one does") { conformance(complete()).run("yaml.json"); }

namespace {

// The network of a machine on which nobody listens.
class nobody_there final : public http::transport {
public:
    awaitable<result<http::opened_exchange>> open(http::request, http::exchange_options) override {
        co_return error(errc::connection_refused);
    }
    void close() override {}
};

}  // namespace

TEST_CASE("the in-process API server takes and heeds webhook configurations as a real one does") {
    const auto nobody = [](executor, const http::endpoint&, const http::tls_options&) {
        return result<std::shared_ptr<http::transport>>(std::make_shared<nobody_there>());
    };
    conformance(complete().webhook_transport(nobody)).run("webhooks.json");
}

// The same object written again in other words, through every verb: what that changes, as recorded from a real server
// (conformance/noop.json, which conformance/noop.py writes). Property: the in-process server changes what a real one
// changes, for every kind of Kubernetes; where nothing changes, resourceVersion, generation and managedFields stay.
#include <kcontrol/runtime/system_environment.hpp>
#include <kcontrol/testing/api_server.hpp>

#include "support/folders.hpp"
#include "support/print.hpp"
#include "testing/memory_responder.hpp"

#include <doctest/doctest.h>

#include <optional>

using namespace kcontrol;

namespace {

json::value load_records() {
    system_environment env;
    const auto text = env.read_file(test::tests_file("conformance/noop.json"), 4 << 20);
    REQUIRE(text);
    std::string filled = *text;
    const std::string mark = "${ns}";
    for (auto at = filled.find(mark); at != std::string::npos; at = filled.find(mark)) {
        filled.replace(at, mark.size(), "noop");
    }
    return json::parse(filled).value();
}

// What a write that changes nothing leaves as it is.
class object_state {
public:
    explicit object_state(const json::value& shown) {
        const json::value* metadata = json::find(shown, {"metadata"});
        if (metadata == nullptr) return;
        for (const std::string_view name : {"resourceVersion", "generation", "managedFields"}) {
            const json::value* found = json::find(*metadata, {name});
            values_.push_back(found == nullptr ? std::string() : json::serialize(*found));
        }
    }

    // In the words of the records.
    std::string change_to(const object_state& after) const {
        if (values_ == after.values_) return "same";
        return values_.size() == 3 && after.values_.size() == 3 && values_[1] == after.values_[1]
                   ? "changed"
                   : "changed generation";
    }

private:
    std::vector<std::string> values_;
};

// A server, and the writes of one kind.
class kind_replay {
public:
    kind_replay()
        : server_(std::in_place, env_, context_.get_executor(), options()), client_(context_, server_->handler()) {
        REQUIRE(server_->create(
            json::parse(R"({"apiVersion":"v1","kind":"Namespace","metadata":{"name":"noop"}})").value()));
    }
    ~kind_replay() {
        server_.reset();
        testing::manual_environment::run_ready(context_);
    }

    void run(const json::value& kind) {
        const json::object& bodies = kind.at("bodies").as_object();
        const json::value& base = bodies.at("base");
        const std::string path(kind.at("path").as_string());
        at_ = path + "/" + std::string(json::get_string(base, {"metadata", "name"}));
        wanted_ = &kind.at("outcomes");
        const auto made = call("POST", path, base, "application/json");
        if (!is_outcome("create", std::to_string(made->head.status), *made)) return;
        if (made->head.status >= 300) return;
        check_shown(kind.at("shown"), made->json());
        for (const auto& [name, body] : bodies) write_all(std::string(name), body);
        write("update shown", "PUT", at_, shown(), "application/json");
        write("update status", "PUT", at_ + "/status", shown(), "application/json");
        remove();
        apply_all(bodies);
    }

    std::size_t writes = 0;

private:
    static kcontrol::testing::api_server_options options() {
        kcontrol::testing::api_server_options out;
        return out.default_and_validate(true);
    }

    std::shared_ptr<test::memory_responder> call(const std::string& method, const std::string& path,
                                                 const json::value& body, const std::string& type) {
        auto request = client_.make(method, path, json::serialize(body), type);
        request.headers.set("User-Agent", "noop/1");
        auto answer = client_.start(std::move(request));
        REQUIRE(answer->done);
        env_.advance(std::chrono::seconds(1), context_);  // so that a new time of managedFields shows
        return answer;
    }
    json::value shown() { return client_.get(at_)->json(); }

    bool is_outcome(const std::string& what, const std::string& found, const test::memory_responder& answer) {
        const json::value* wanted = json::find(*wanted_, {what});
        if (wanted == nullptr) return true;  // the records end here
        const std::string text = wanted->is_string() ? std::string(wanted->get_string()) : json::serialize(*wanted);
        CHECK_MESSAGE(found == text, at_, ": ", what, ": ", answer.body.substr(0, 600));
        return found == text;
    }

    static void check_shown(const json::value& wanted, const json::value& made) {
        for (const auto& each : wanted.as_object()) {
            const auto& name = each.key();
            const auto& value = each.value();
            const json::value* found = json::find(made, {name});
            // What a server chooses.
            if (name == "spec" && json::find(value, {"clusterIP"}) != nullptr) continue;
            if (name == "status" ||
                json::find(value, {"selector", "matchLabels", "batch.kubernetes.io/controller-uid"}))
                continue;
            REQUIRE(found != nullptr);
            CHECK_MESSAGE(json::equal(*found, value), std::string(name), ": ", json::serialize(*found), "\n",
                          json::serialize(value));
        }
    }

    void write(const std::string& what, const std::string& method, const std::string& path, const json::value& body,
               const std::string& type) {
        const json::value before = shown();
        const auto answer = call(method, path, body, type);
        const int status = answer->head.status;
        const std::string found =
            status >= 300 ? std::to_string(status) : object_state(before).change_to(object_state(shown()));
        is_outcome(what, found, *answer);
        ++writes;
    }
    void write_all(const std::string& name, const json::value& body) {
        json::value put = body;
        put.as_object()["metadata"].as_object()["resourceVersion"] =
            json::get_string(shown(), {"metadata", "resourceVersion"});
        write("update " + name, "PUT", at_, put, "application/json");
        write("merge patch " + name, "PATCH", at_, body, "application/merge-patch+json");
        write("strategic patch " + name, "PATCH", at_, body, "application/strategic-merge-patch+json");
        json::array steps;
        for (const auto& [member, value] : body.as_object()) {
            if (member == "apiVersion" || member == "kind" || member == "metadata" || member == "status") continue;
            json::object step;
            step["op"] = "add";
            step["path"] = "/" + std::string(member);
            step["value"] = value;
            steps.push_back(std::move(step));
        }
        write("json patch " + name, "PATCH", at_, steps, "application/json-patch+json");
    }
    void apply_all(const json::object& bodies) {
        const std::string path = at_ + "?fieldManager=applier&force=true";
        const std::string type = "application/apply-patch+yaml";
        const auto made = call("PATCH", path, bodies.at("base"), type);
        if (!is_outcome("apply", std::to_string(made->head.status), *made) || made->head.status >= 300) return;
        for (const auto& [name, body] : bodies) {
            if (name == "nulls") continue;  // a real server records who said null
            write("apply " + std::string(name), "PATCH", path, body, type);
            write("apply " + std::string(name) + " again", "PATCH", path, body, type);
        }
    }
    void remove() {
        client_.call("DELETE", at_, "", "");
        client_.merge(at_, R"({"metadata":{"finalizers":null}})");
    }

    boost::asio::io_context context_;
    testing::manual_environment env_;
    std::optional<kcontrol::testing::api_server> server_;
    test::memory_client client_;
    std::string at_;
    const json::value* wanted_ = nullptr;
};

}  // namespace

TEST_CASE("a write in other words changes what it changes on a real server, for every kind and verb") {
    const json::value records = load_records();
    std::size_t writes = 0;
    for (const auto& kind : records.at("kinds").as_array()) {
        kind_replay replay;
        replay.run(kind);
        writes += replay.writes;
    }
    MESSAGE(writes, " writes");
    CHECK(writes > 1000);
}

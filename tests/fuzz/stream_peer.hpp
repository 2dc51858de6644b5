// A server for the stream fuzzer: first it answers whatever the fuzzer wrote, then as a proper one.
#pragma once

#include <kcontrol/http/transport.hpp>
#include <kcontrol/http/url.hpp>
#include <kcontrol/model/resource_version.hpp>
#include <kcontrol/runtime/wait.hpp>
#include <kcontrol/testing/sim_context.hpp>

#include <algorithm>
#include <deque>
#include <memory>
#include <string>
#include <string_view>
#include <utility>

namespace kcontrol::fuzz {

/// One answer of the script. Its text is `HOW END BODY`: 'a' answers 200, 'e' and a digit an error status, 'x' and a
/// digit no answer at all; the body ends properly ('c'), in the middle ('t'), by a lost connection ('l') or not ('o').
class peer_answer {
public:
    int status = 200;  ///< 0: none
    int failure = 0;
    char end = 'c';
    std::string body;

    static peer_answer from(std::string_view text) {
        static constexpr int statuses[] = {400, 401, 403, 404, 409, 410, 422, 429, 500, 504};
        peer_answer out;
        const auto take = [&text](char otherwise) {
            if (text.empty()) return otherwise;
            const char c = text.front();
            text.remove_prefix(1);
            return c;
        };
        const char how = take('a');
        if (how == 'e') out.status = statuses[static_cast<unsigned char>(take('0')) % 10];
        if (how == 'x') out.status = 0, out.failure = static_cast<unsigned char>(take('0')) % 4;
        out.end = take('c');
        out.body = text;
        return out;
    }
};

/// A body that arrives in pieces, some of them late.
class peer_body final : public http::body_stream {
public:
    /// `ends` is when a body without an end is ended properly after all.
    peer_body(environment& env, std::string text, char end, std::uint64_t seed, time_point ends)
        : env_(env), text_(std::move(text)), end_(end), random_(seed), ends_(ends) {}

    awaitable<result<std::size_t>> read_some(std::span<char> into, duration idle, std::stop_token stop) override {
        if (stop.stop_requested()) co_return error(errc::stopped);
        const bool at_end = at_ == text_.size();
        if (at_end && end_ == 'c') co_return std::size_t{0};
        if (at_end && end_ == 't') co_return error(errc::truncated, "cut");
        if (at_end && end_ == 'l') co_return error(errc::connection_lost, "lost");
        duration pause = random_.chance(10) ? random_.between({}, std::chrono::seconds(3)) : duration::zero();
        if (at_end) pause = std::max(ends_ - env_.now(), duration::zero());
        if (pause > duration::zero() || at_end) {
            const bool late = pause > idle;
            const wake why = co_await sleep_for(env_, std::min(pause, idle), stop);
            if (why == wake::stopped) co_return error(errc::stopped);
            if (late) co_return error(errc::timeout, "silent");
            if (at_end) co_return std::size_t{0};
        }
        static constexpr std::size_t sizes[] = {1, 7, 64, 1000, 100000};
        const std::size_t n = std::min({sizes[random_.below(5)], into.size(), text_.size() - at_});
        std::copy_n(text_.data() + at_, n, into.data());
        at_ += n;
        co_return n;
    }

private:
    environment& env_;
    std::string text_;
    std::size_t at_ = 0;
    char end_;
    testing::sim_random random_;
    time_point ends_;
};

/// Answers request after request from the script. After the last it breaks one connection, as a server that is replaced
/// does, and is a proper server of two things from then on. Its version is none that the script could have told: a
/// server that tells the same version and hides which one it is can't be told from the one before.
class peer final : public http::transport {
public:
    peer(environment& env, std::uint64_t seed, bool tells_identity, std::uint64_t version)
        : env_(env), random_(seed), tells_identity_(tells_identity), version_(std::to_string(version)) {}

    std::deque<peer_answer> script;
    bool proper() const { return broken_; }

    static constexpr std::string_view first =
        R"({"metadata":{"name":"x","namespace":"d","uid":"proper-1","resourceVersion":"7"},"a":"q"})";
    static constexpr std::string_view second =
        R"({"metadata":{"name":"y","namespace":"d","uid":"proper-2","resourceVersion":"9"}})";

    awaitable<result<http::opened_exchange>> open(http::request req, http::exchange_options options) override {
        const time_point deadline = env_.now() + options.deadline();
        if (options.stop().stop_requested()) co_return error(errc::stopped);
        peer_answer answer = script.empty() ? proper_answer(req) : std::move(script.front());
        if (!script.empty()) script.pop_front();
        if (answer.status == 0) {
            static constexpr errc failures[] = {errc::unavailable, errc::connection_lost, errc::truncated,
                                                errc::timeout};
            co_return error(failures[answer.failure], "no answer");
        }
        http::opened_exchange out(http::response_head(answer.status));
        out.headers.set("Content-Type", "application/json");
        const auto ends = env_.now() + (proper() ? watch_seconds(req) : std::chrono::hours(1));
        auto body = std::make_unique<peer_body>(env_, std::move(answer.body), answer.end, random_.next(), ends);
        if (options.form() == http::exchange_form::streamed) {
            out.stream = std::move(body);
            co_return out;
        }
        char chunk[512];
        for (;;) {
            const std::span<char> into(chunk);
            const auto n = co_await body->read_some(into, deadline - env_.now(), options.stop());
            if (!n) co_return n.error();
            if (*n == 0) co_return out;
            out.body.append(chunk, *n);
            if (out.body.size() > options.max_body()) co_return error(errc::too_large, "too large");
        }
    }

    void close() override {}

private:
    static std::string parameter(const std::string& target, std::string_view name) {
        for (auto at = target.find('?'); at != std::string::npos; at = target.find('&', at)) {
            ++at;
            if (target.compare(at, name.size(), name) != 0 || target[at + name.size()] != '=') continue;
            at += name.size() + 1;
            return target.substr(at, target.find('&', at) - at);
        }
        return {};
    }
    static std::chrono::seconds watch_seconds(const http::request& req) {
        return std::chrono::seconds(std::strtol(parameter(req.target, "timeoutSeconds").c_str(), nullptr, 10));
    }
    static peer_answer failed(int code, const std::string& reason) {
        peer_answer out;
        out.status = code;
        out.body = R"({"kind":"Status","apiVersion":"v1","metadata":{},"status":"Failure","message":"no","reason":")" +
                   reason + R"(","code":)" + std::to_string(code) + "}";
        return out;
    }

    peer_answer proper_answer(const http::request& req) {
        peer_answer out;
        if (!std::exchange(broken_, true)) {
            out.status = 0;
            out.failure = 1;
            return out;
        }
        if (req.target.starts_with("/api/v1/namespaces")) {
            if (!tells_identity_) return failed(403, "Forbidden");
            out.body = R"({"kind":"NamespaceList","metadata":{"resourceVersion":")" + version_ +
                       R"("},"items":[)"
                       R"({"metadata":{"name":"kube-system","uid":"proper","resourceVersion":"3"}}]})";
            return out;
        }
        const std::string asked = parameter(req.target, "resourceVersion");
        const auto order = compare_resource_version(asked.empty() || asked == "0" ? version_ : asked, version_);
        if (!order) return failed(400, "BadRequest");
        if (parameter(req.target, "watch").empty()) {
            if (!parameter(req.target, "continue").empty()) return failed(410, "Expired");
            if (*order > 0) {
                out = failed(504, "Timeout");
                out.body.replace(out.body.find("\"no\""), 4, "\"Too large resource version\"");
                return out;
            }
            out.body = R"({"kind":"ThingList","apiVersion":"example.com/v1","metadata":{"resourceVersion":")" +
                       version_ + R"("},"items":[)";
            out.body.append(first).append(",").append(second).append("]}");
            return out;
        }
        if (*order < 0) return failed(410, "Expired");
        if (asked.empty() || asked == "0") {
            for (const auto object : {first, second})
                out.body.append(R"({"type":"ADDED","object":)").append(object).append("}\n");
        }
        out.end = 'o';  // nothing happens; a version of the future is waited for
        return out;
    }

    environment& env_;
    testing::sim_random random_;
    bool tells_identity_;
    std::string version_;
    bool broken_ = false;
};

}  // namespace kcontrol::fuzz

#include <kcontrol/service/detail/grpc_call.hpp>

#include "service/fake_kubelet.hpp"

#include <doctest/doctest.h>

#include <algorithm>

using namespace kcontrol::service::detail;
using kcontrol::errc;
using kcontrol::test::fake_kubelet;
using kcontrol::test::framed;
using kcontrol::test::grpc_answer;

namespace {

// Bytes go to and fro, at most `piece` at a time, until neither has any.
kcontrol::result<std::string> call(grpc_answer answer, std::size_t most = 1 << 20, std::size_t piece = 1 << 20) {
    grpc_call client("/v1.PodResourcesLister/List", "question", most);
    fake_kubelet server(std::move(answer));
    std::string there = client.send();
    std::string back = server.send();
    while (!client.outcome() && !(there.empty() && back.empty())) {
        server.receive(there.substr(0, piece));
        there.erase(0, piece);
        client.receive(std::string_view(back).substr(0, piece));
        back.erase(0, piece);
        there += client.send();
        back += server.send();
    }
    if (!client.outcome()) client.closed();
    REQUIRE(client.outcome());
    return *client.outcome();
}

grpc_answer with_body(std::string body) {
    grpc_answer answer;
    answer.body = std::move(body);
    return answer;
}

}  // namespace

TEST_CASE("gRPC: a question and its answer") {
    grpc_call client("/v1.PodResourcesLister/List", "question", 100);
    fake_kubelet server(with_body(framed("answer")));
    client.receive(server.send());
    server.receive(client.send());
    client.receive(server.send());
    REQUIRE(client.outcome());
    REQUIRE(*client.outcome());
    CHECK(**client.outcome() == "answer");
    CHECK(server.request_body == framed("question"));
    using header = std::pair<std::string, std::string>;
    for (const auto& expected : {header{":method", "POST"}, header{":path", "/v1.PodResourcesLister/List"},
                                 header{"content-type", "application/grpc"}, header{"te", "trailers"}}) {
        CAPTURE(expected.first);
        CHECK(std::count(server.request_headers.begin(), server.request_headers.end(), expected) == 1);
    }
}

TEST_CASE("gRPC: answers of every size, in pieces of every size") {
    for (const std::size_t size : {std::size_t(0), std::size_t(1), std::size_t(16384), std::size_t(300000)}) {
        for (const std::size_t piece : {std::size_t(1), std::size_t(7), std::size_t(65536)}) {
            if (size / piece > 100000) continue;
            CAPTURE(size);
            CAPTURE(piece);
            const auto answer = call(with_body(framed(std::string(size, 'x'))), 1 << 20, piece);
            REQUIRE(answer);
            CHECK(*answer == std::string(size, 'x'));
        }
    }
}

TEST_CASE("gRPC: errors say what the server said") {
    grpc_answer refused;
    refused.headers = {{":status", "200"}, {"grpc-status", "12"}, {"grpc-message", "unknown\tservice"}};
    refused.trailers.clear();
    const auto unimplemented = call(refused);
    REQUIRE_FALSE(unimplemented);
    CHECK(unimplemented.error() == errc::unavailable);
    CHECK(unimplemented.error().message() == "the kubelet's pod-resources service: status 12: unknown\\x09service");

    auto late = with_body(framed("half"));
    late.trailers = {{"grpc-status", "13"}};
    CHECK(call(late).error() == errc::unavailable);
}

TEST_CASE("gRPC: answers that are none") {
    auto other = with_body("<html>");
    other.headers = {{":status", "404"}};
    other.trailers.clear();
    auto no_status = with_body(framed("answer"));
    no_status.trailers.clear();
    auto reset = with_body(framed("answer"));
    reset.reset = true;
    const std::tuple<grpc_answer, errc, const char*> table[] = {
        {other, errc::protocol_error, "404"},
        {no_status, errc::truncated, "before the status"},
        {reset, errc::connection_lost, "INTERNAL_ERROR"},
        {with_body(""), errc::truncated, "no message"},
        {with_body("abc"), errc::truncated, "no message"},
        {with_body(framed("answer", 1)), errc::protocol_error, "compressed"},
        {with_body(framed("answer").substr(0, 8)), errc::truncated, "3 bytes, not 6"},
        {with_body(framed("answer") + "more"), errc::truncated, "10 bytes, not 6"},
        {with_body(std::string("\0\xff\xff\xff\xff", 5)), errc::truncated, "not 4294967295"},
    };
    for (const auto& one : table) {
        const auto& answer = std::get<0>(one);
        const auto& code = std::get<1>(one);
        const auto& message = std::get<2>(one);
        const auto got = call(answer);
        CAPTURE(message);
        REQUIRE_FALSE(got);
        CHECK(got.error() == code);
        CHECK(got.error().message().find(message) != std::string::npos);
    }
}

TEST_CASE("gRPC: an answer that is too large is cut off where it is") {
    CHECK(call(with_body(framed(std::string(100, 'x'))), 100));
    const auto huge = call(with_body(framed(std::string(1 << 20, 'x'))), 100);
    REQUIRE_FALSE(huge);
    CHECK(huge.error() == errc::too_large);
}

TEST_CASE("gRPC: a peer that speaks something else, or goes") {
    grpc_call web("/x", "", 100);
    (void)web.send();
    web.receive("HTTP/1.1 400 Bad Request\r\n\r\n");
    CHECK_FALSE(web.send().empty());  // goodbye
    REQUIRE(web.outcome());
    CHECK(web.outcome()->error() == errc::protocol_error);
    web.receive("more");
    web.closed();
    CHECK(web.outcome()->error() == errc::protocol_error);

    grpc_call gone("/x", "", 100);
    gone.closed();
    REQUIRE(gone.outcome());
    CHECK(gone.outcome()->error() == errc::connection_lost);
}

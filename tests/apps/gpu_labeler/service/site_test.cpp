#include "service/site.hpp"

#include <kcontrol/testing/manual_environment.hpp>
#include <kcontrol/testing/run.hpp>

#include "support/fake_responder.hpp"

#include <boost/asio/io_context.hpp>
#include <doctest/doctest.h>

using namespace gpu_labeler;
using kcontrol::http::request;

TEST_CASE("site: what is whose") {
    labeler_status status;
    const web_handlers gpus("n");
    site pages(status, gpus);
    pages.add_metrics([] { return std::string("a 1\n"); });
    pages.add_metrics([] { return std::string("b 2\n"); });
    const auto get = [&](const char* target) { return pages.answer(request("GET", target)); };
    CHECK(get("/metrics").body == "a 1\nb 2\n");
    CHECK(get("/healthz").body == "ok");
    CHECK(get("/healthz/ping").status == 200);
    CHECK(get("/healthzz").status == 404);
    CHECK(get("/readyz").status == 500);
    CHECK(get("/readyz?verbose").body.find("[-]gpus failed: not read yet") == 0);
    CHECK(get("/readyz/labels").status == 500);
    status.reads = 1;
    CHECK(get("/readyz/gpus").status == 200);
    status.settled = true;
    CHECK(get("/readyz").status == 200);
    CHECK(get("/api/v1/gpus").status == 200);
    CHECK(get("/").status == 200);
    CHECK(get("/nothing").status == 404);
    const auto refused = pages.answer(request("POST", "/metrics"));
    CHECK(refused.status == 405);
    CHECK(refused.headers.get("Allow") == "GET, HEAD");
    CHECK(pages.answer(request("DELETE", "/readyz")).status == 405);
    for (const auto* target : {"/metrics", "/readyz", "/", "/nothing", "/api/v1/gpus"}) {
        CAPTURE(target);
        CHECK(get(target).headers.get("X-Content-Type-Options") == "nosniff");
        CHECK(get(target).headers.contains("Content-Security-Policy"));
    }
}

TEST_CASE("site: the port for health answers that to anybody, and nothing else") {
    labeler_status status;
    const web_handlers gpus("n");
    site pages(status, gpus);
    boost::asio::io_context context;
    const auto ask = [&](const char* target) {
        kcontrol::testing::manual_environment env;
        kcontrol::test::fake_responder out(env);
        kcontrol::http::server_request asked(request("GET", target));
        asked.headers.set("Host", "10.0.0.1:8081");
        const auto handler = pages.probe_handler();
        kcontrol::testing::run(context, handler(std::move(asked), out));
        return out.head.status;
    };
    CHECK(ask("/healthz") == 200);
    CHECK(ask("/readyz") == 500);
    status.reads = 1;
    status.settled = true;
    CHECK(ask("/readyz?verbose") == 200);
    for (const auto* target : {"/", "/metrics", "/api/v1/gpus"}) CHECK(ask(target) == 404);
}

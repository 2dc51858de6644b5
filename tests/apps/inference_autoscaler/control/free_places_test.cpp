// What the GPU scheduler is asked, and what is made of its answers.
#include "control/free_places.hpp"

#include "metric_servers.hpp"

#include <doctest/doctest.h>

using namespace inference_autoscaler;

namespace {

struct asking_places {
    testing::sim_world world{1};
    tests::metric_servers scheduler{world};
    free_places places{world.get_executor(), world.network().factory()};
    target_pod pod;

    asking_places() { add_container("2", ""); }
    void add_container(const char* limit, const char* request) {
        auto& each = pod.spec.containers.emplace_back();
        if (*limit != 0) each.resources.limits["nvidia.com/gpu"] = limit;
        if (*request != 0) each.resources.requests["nvidia.com/gpu"] = request;
    }
    std::optional<std::int32_t> ask(const std::string& url = "http://metrics") {
        return world.run(places.ask(url, std::make_shared<target_pod>(pod), 3, {}));
    }
};

}  // namespace

TEST_CASE_FIXTURE(asking_places, "GPUs of all containers, and the product that the pod selects") {
    add_container("", "1");
    add_container("1", "1");
    add_container("", "");
    CHECK(gpus_of(pod) == 4);
    CHECK(fits_query(pod, 3) == "/api/v1/fits?pods=3&gpus=4");
    pod.spec.node_selector["nvidia.com/gpu.product"] = "NVIDIA H100 80GB";
    CHECK(fits_query(pod, 1) == "/api/v1/fits?pods=1&gpus=4&product=NVIDIA%20H100%2080GB");
}

TEST_CASE_FIXTURE(asking_places, "the largest gang is what has places; anything else is no answer") {
    CHECK(ask() == 5);
    CHECK(scheduler.fits == std::vector<std::string>{"pods=3&gpus=2"});
    scheduler.places = R"({"now":false,"largestGang":0})";
    CHECK(ask() == 0);
    for (const char* bad : {R"({"now":true})", R"({"largestGang":"5"})", "{", "[]", R"({"largestGang":null})"}) {
        CAPTURE(bad);
        scheduler.places = bad;
        CHECK_FALSE(ask().has_value());
    }
    scheduler.places = R"({"now":true,"largestGang":1e300})";
    CHECK(ask() == 1000000);
    scheduler.status = 503;  // it does not lead
    CHECK_FALSE(ask().has_value());
    CHECK_FALSE(ask("http://nobody").has_value());
    CHECK_FALSE(ask("ftp://metrics").has_value());
    pod.spec.containers.clear();
    const auto before = scheduler.fits.size();
    CHECK_FALSE(ask().has_value());  // it knows of GPUs alone
    CHECK(scheduler.fits.size() == before);
}

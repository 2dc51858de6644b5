// Links from a job to other programs: what a template may say, and the URLs that come of it.
#include "jobs/link_template.hpp"

#include <doctest/doctest.h>

#include <map>
#include <string>
#include <utility>

using namespace training_monitor;

namespace {

job_view bert() {
    job_view out;
    out.cluster = "fra h100";
    out.namespace_ = "ml";
    out.kind = "PyTorchJob";
    out.name = "bert";
    out.uid = "u-1";
    out.start_time = 1'700'000'000;
    out.labels = job_labels::from(std::map<std::string, std::string>{{"run", "a/b&c=d"}});
    return out;
}

std::string url(std::string_view text, const job_view& job = bert()) {
    const auto parsed = link_template::parse(text);
    REQUIRE_MESSAGE(parsed.has_value(), parsed.error().message());
    return parsed->url_of(job).value_or("none");
}

std::string refusal(std::string_view text) {
    const auto parsed = link_template::parse(text);
    return parsed ? "taken" : parsed.error().message();
}

}  // namespace

TEST_CASE("link template: words of the job, escaped") {
    CHECK(url("Grafana=https://g.example/d/x?var-job={name}&var-ns={namespace}&from={from}&to={to}") ==
          "https://g.example/d/x?var-job=bert&var-ns=ml&from=1700000000000&to=now");
    CHECK(url("Logs=http://logs:3100/{cluster}/{kind}/{uid}#top") == "http://logs:3100/fra%20h100/PyTorchJob/u-1#top");
    CHECK(url("W&B=https://wandb.example/runs/{label:run}") == "https://wandb.example/runs/a%2Fb%26c%3Dd");
    CHECK(url("Plain=https://host") == "https://host");
    auto ended = bert();
    ended.completion_time = 1'700'000'060;
    CHECK(url("x=https://h/{to}", ended) == "https://h/1700000060000");
}

TEST_CASE("link template: there is no link of another kind, or of a job that lacks a word") {
    CHECK(url("pytorchjobs/MLflow=https://h/{name}") == "https://h/bert");
    CHECK(url("job/MLflow=https://h/{name}") == "none");
    CHECK(url("x=https://h/{label:wandb}") == "none");
    auto waits = bert();
    waits.start_time.reset();
    CHECK(url("x=https://h/{from}", waits) == "none");
    std::vector<link_template> all;
    for (const auto* text : {"a=https://h/1", "job/b=https://h/2", "c=https://h/{name}"}) {
        all.push_back(*link_template::parse(text));
    }
    CHECK(links_of(all, bert()) == std::vector<job_link>{{"a", "https://h/1"}, {"c", "https://h/bert"}});
}

TEST_CASE("link template: what is refused") {
    for (const auto& each : {std::pair{"https://h", "a name and a URL"},
                             {"=https://h", "a name and a URL"},
                             {"Spark/x=https://h", "is not a kind"},
                             {"job/=https://h", "1 to 40"},
                             {"x=javascript:alert(1)", "http or https"},
                             {"x=ftp://h/{name}", "http or https"},
                             {"x=https://{cluster}.example/", "without words"},
                             {"x=https://h{cluster}/", "without words"},
                             {"x=https:///path", "http or https"},
                             {"x=https://user:password@h/", "http or https"},
                             {"x=https://h/{name", "without its"},
                             {"x=https://h/name}", "does not stand in a URL"},
                             {"x=https://h/a b", "does not stand in a URL"},
                             {"x=https://h/<b>", "does not stand in a URL"},
                             {"x=https://h/{pod}", "{pod} is not one of"},
                             {"x=https://h/{label:}", "is not one of"}}) {
        const auto& [text, part] = each;
        CAPTURE(each.first);
        CHECK(refusal(text).find(part) != std::string::npos);
    }
}

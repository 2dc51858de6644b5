// Snapshots of a cluster: what they keep, what they hide, and that they decide alike.
#include <kcontrol/codec/codec.hpp>
#include <kcontrol/runtime/system_environment.hpp>
#include <kcontrol/testing/local_api_server.hpp>
#include <kcontrol/testing/temporary_directory.hpp>

#include "recorded/commands.hpp"
#include "recorded/recorded_view.hpp"
#include "web/answers.hpp"

#include <boost/asio/io_context.hpp>
#include <boost/asio/post.hpp>
#include <doctest/doctest.h>

#include <algorithm>
#include <optional>
#include <string>
#include <thread>

using namespace kcontrol;
using gpu_scheduler::recording;

namespace {

namespace core = api::core::v1;

template <class T>
void add(recording& to, const std::string& text) {
    auto read = from_json<T>(text);
    REQUIRE_MESSAGE(read.has_value(), read.error().what());
    to.all<T>().push_back(std::make_shared<const T>(std::move(*read)));
}

std::string node(const std::string& name, int gpus, const std::string& links = "") {
    const auto amount = std::to_string(gpus);
    const auto annotation = links.empty() ? "" : R"(,"annotations":{"kcontrol.dev/gpu-topology":")" + links + "\"}";
    return R"({"metadata":{"name":")" + name + R"(","labels":{"team":"secret-lab","nvidia.com/gpu.memory":"81920"})" +
           annotation + R"(},"status":{"allocatable":{"cpu":"64","memory":"512Gi","pods":"110","nvidia.com/gpu":")" +
           amount + R"("}}})";
}

std::string pod(const std::string& ns, const std::string& name, int gpus, const std::string& on = "",
                const std::string& meta = "", const std::string& spec = "") {
    const auto record =
        on.empty() ? ""
                   : R"(,"annotations":{"scheduling.kcontrol.dev/allocation":"{\"v\":1,\"devices\":[{\"uuid\":\")" +
                         on + R"(/0\"}]}"})";
    return R"({"metadata":{"name":")" + name + R"(","namespace":")" + ns + R"(","uid":"uid-)" + name +
           R"(","creationTimestamp":"2026-11-29T12:00:00Z")" + record + meta +
           R"(},"spec":{"schedulerName":"gpu-scheduler",)" + (on.empty() ? "" : R"("nodeName":")" + on + "\",") + spec +
           R"("containers":[{"name":"c","image":"registry.secret/train:1","env":[{"name":"TOKEN","value":"s3cr3t"}],)" +
           R"("resources":{"limits":{"nvidia.com/gpu":")" + std::to_string(gpus) + R"("}}}]},"status":{"phase":")" +
           (on.empty() ? "Pending" : "Running") + R"("}})";
}

const std::string gang_meta =
    R"(,"labels":{"scheduling.kcontrol.dev/gang":"ring"},"annotations":{"scheduling.kcontrol.dev/gang-size":"2"})";

recording cluster() {
    recording out;
    out.time = wall_time(std::chrono::seconds(1'796'000'000));
    add<core::node>(out, node("gpu-secret-1", 2));
    add<core::node>(out, node("gpu-secret-2", 4));
    for (const char* name : {"vision", "nlp"})
        add<core::namespace_>(out, R"({"metadata":{"name":")" + std::string(name) + "\"}}");
    add<gpu_scheduler::tenant>(
        out,
        R"({"metadata":{"name":"nlp"},"spec":{"namespaces":["nlp"],"quotas":[{"product":"*","gpus":1,"limit":3}]}})");
    add<core::pod>(out, pod("vision", "runs", 1, "gpu-secret-1"));
    add<core::pod>(out, pod("nlp", "wants-4", 4));
    add<core::pod>(out, pod("nlp", "wants-8", 8));
    add<core::pod>(out, pod("nlp", "wants-1", 1, "", "", R"("nodeSelector":{"team":"secret-lab"},)"));
    add<core::pod>(out, pod("vision", "rank-0", 2, "", gang_meta));
    add<core::pod>(out, pod("vision", "rank-1", 1, "", gang_meta));
    return out;
}

std::vector<gpu_scheduler::recorded_decision> decide(const recording& of) {
    auto view = gpu_scheduler::recorded_view::make(of);
    REQUIRE_MESSAGE(view.has_value(), view.error().what());
    return (*view)->decide();
}

const gpu_scheduler::recorded_decision& of_pod(const std::vector<gpu_scheduler::recorded_decision>& all,
                                               const std::string& pod) {
    const auto found = std::ranges::find(all, pod, &gpu_scheduler::recorded_decision::pod);
    REQUIRE(found != all.end());
    return *found;
}

// A node of which claims take the GPUs, and pods that want two of its three.
recording claims() {
    namespace dra = api::resource::v1;
    recording out;
    add<core::node>(out, node("gpu-secret-1", 0));
    add<dra::device_class>(
        out,
        R"({"metadata":{"name":"secret-class"},"spec":{"selectors":[{"cel":{"expression":"device.attributes['gpu.nvidia.com'].model == 'A100'"}}]}})");
    const auto device = [](const char* name) {
        return R"({"name":")" + std::string(name) + R"(","attributes":{"uuid":{"string":"GPU-secret-)" + name +
               R"("},"model":{"string":"A100"}}})";
    };
    add<dra::resource_slice>(
        out, R"({"metadata":{"name":"s"},"spec":{"driver":"gpu.nvidia.com","nodeName":"gpu-secret-1","pool":{)"
             R"("name":"gpu-secret-1","generation":1,"resourceSliceCount":1},"devices":[)" +
                 device("a") + "," + device("b") + "," + device("c") + "]}}");
    for (const char* name : {"first", "second"}) {
        add<dra::resource_claim>(out, R"({"metadata":{"namespace":"nlp","name":")" + std::string(name) +
                                          R"(","uid":"uid-)" + name +
                                          R"("},"spec":{"devices":{"requests":[{"name":"r","exactly":{)"
                                          R"("deviceClassName":"secret-class","allocationMode":"ExactCount",)"
                                          R"("count":2}}]}}})");
        add<core::pod>(out, R"({"metadata":{"namespace":"nlp","name":"p-)" + std::string(name) + R"(","uid":"uid-p-)" +
                                name +
                                R"("},"spec":{"schedulerName":"gpu-scheduler","containers":[],"resourceClaims":)"
                                R"([{"name":"c","resourceClaimName":")" +
                                name + R"("}]},"status":{"phase":"Pending"}})");
    }
    return out;
}

// The cluster at an API server on a thread of its own.
class served {
public:
    served() : server_(env_, context_.get_executor(), {}, false) {
        const auto of = cluster();
        const auto create_all = [this](const auto& all) {
            for (const auto& each : all) {
                auto made = server_.api().create(*json::parse(to_json(*each)));
                REQUIRE_MESSAGE(made.has_value(), made.error().what());
            }
        };
        create_all(of.all<core::node>());
        create_all(of.all<core::namespace_>());
        create_all(of.all<core::pod>());
        REQUIRE(server_.start().has_value());
        kubeconfig = server_.kubeconfig();
        thread_.emplace([this] { context_.run(); });  // seam: ok, the server's side
    }
    ~served() {
        boost::asio::post(context_, [this] { context_.stop(); });
        thread_->join();
    }
    served(const served&) = delete;
    served& operator=(const served&) = delete;

    std::string kubeconfig;

private:
    system_environment env_;
    boost::asio::io_context context_;
    testing::local_api_server server_;
    std::optional<std::thread> thread_;  // seam: ok, the server's side
};

}  // namespace

TEST_CASE("recorded: claims are decided as well, also with other names") {
    const auto all = decide(claims());
    REQUIRE(all.size() == 2);
    CHECK(all[0].node == "gpu-secret-1");
    CHECK(all[1].message ==
          "0/1 nodes are available: 1 cannot allocate all claims: claim nlp/second, request r: 2 "
          "devices are needed, 1 of 3 is free.");
    const auto hidden = gpu_scheduler::anonymize(claims());
    REQUIRE_MESSAGE(hidden.has_value(), hidden.error().what());
    const auto text = gpu_scheduler::write_recording(*hidden);
    CHECK(text.find("secret") == std::string::npos);
    CHECK(text.find("A100") != std::string::npos);  // selectors compare it
    const auto others = decide(*hidden);
    REQUIRE(others.size() == 2);
    CHECK_FALSE(others[0].node.empty());
    CHECK(others[1].node.empty());
}

TEST_CASE("recorded: the queue is decided one after the other, gangs as a whole") {
    const auto all = decide(cluster());
    REQUIRE(all.size() == 5);
    CHECK(of_pod(all, "nlp/wants-4").node.empty());
    CHECK(of_pod(all, "nlp/wants-4").message.find("tenant nlp is at its limit of 3 GPUs") != std::string::npos);
    CHECK_FALSE(of_pod(all, "nlp/wants-1").node.empty());
    CHECK_FALSE(of_pod(all, "vision/rank-0").node.empty());
    CHECK(of_pod(all, "vision/rank-1").allocation.starts_with(R"({"v":1,"devices":[{"uuid":")"));
    // Nothing is given twice.
    std::vector<std::string> given{"gpu-secret-1/0"};
    for (const auto& each : all) {
        for (auto at = each.allocation.find("gpu-"); at != std::string::npos;
             at = each.allocation.find("gpu-", at + 1)) {
            given.push_back(each.allocation.substr(at, each.allocation.find('"', at) - at));
        }
    }
    CHECK(given.size() == 5);
    std::ranges::sort(given);
    CHECK(std::ranges::adjacent_find(given) == given.end());
    auto short_of_one = cluster();
    short_of_one.all<core::pod>().pop_back();
    CHECK(of_pod(decide(short_of_one), "vision/rank-0").message.find("1 of 2 members exist") != std::string::npos);
}

TEST_CASE("recorded: what is written is read again, and decides alike") {
    auto of = cluster();
    of.decisions = decide(of);
    const auto text = gpu_scheduler::write_recording(of);
    auto read = gpu_scheduler::read_recording("f", text);
    REQUIRE_MESSAGE(read.has_value(), read.error().what());
    CHECK(gpu_scheduler::write_recording(*read) == text);
    CHECK(decide(*read) == read->decisions);
    const std::pair<const char*, const char*> wrong[] = {
        {"{", "f: "},
        {R"({"v":2,"objects":[],"decisions":[]})", "f: this is no file of gpu_scheduler snapshot"},
        {R"({"v":1,"objects":[],"decisions":[],"time":"noon"})", "f: time: \"noon\" is no time"},
        {R"({"v":1,"objects":[{"kind":"Secret"}],"decisions":[],"time":"2026-11-29T12:00:00Z","tenants":true})",
         "f: kind \"Secret\" is not known"},
    };
    for (const auto& [bad, why] : wrong) {
        const auto answer = gpu_scheduler::read_recording("f", bad);
        REQUIRE_FALSE(answer.has_value());
        CHECK(answer.error().code() == errc::invalid_argument);
        CHECK(answer.error().message().starts_with(why));
    }
}

TEST_CASE("recorded: other names decide alike, and say nothing") {
    const auto of = cluster();
    auto hidden = gpu_scheduler::anonymize(of);
    REQUIRE_MESSAGE(hidden.has_value(), hidden.error().what());
    const auto text = gpu_scheduler::write_recording(*hidden);
    for (const char* name : {"secret", "vision", "nlp", "wants", "rank-", "ring", "uid-", "train"}) {
        CAPTURE(name);
        CHECK(text.find(name) == std::string::npos);
    }
    const auto before = decide(of), after = decide(*hidden);
    REQUIRE(before.size() == after.size());
    const auto placed = [](const auto& all) {
        return std::ranges::count_if(all, [](const auto& each) { return !each.node.empty(); });
    };
    CHECK(placed(before) == placed(after));
    auto with_selector = of;
    with_selector.flags.node_selector = "team=secret-lab,gpu=true";
    auto selected = gpu_scheduler::anonymize(with_selector);
    REQUIRE(selected.has_value());
    CHECK(selected->flags.node_selector.ends_with(",gpu=true"));
    CHECK(placed(decide(*selected)) == 0);  // no node has gpu=true
    with_selector.flags.node_selector = "team in (secret-lab)";
    CHECK_FALSE(gpu_scheduler::anonymize(with_selector).has_value());
}

TEST_CASE("recorded: why names the largest free set of one NVLink domain") {
    // Four GPUs, each connected with one other.
    const std::string links =
        R"({\"gpus\":[{\"index\":0,\"uuid\":\"GPU-0\"},{\"index\":1,\"uuid\":\"GPU-1\"},{\"index\":2,\"uuid\":\"GPU-2\"},{\"index\":3,\"uuid\":\"GPU-3\"}],\"nvlinks\":[[0,4,0,0],[4,0,0,0],[0,0,0,4],[0,0,4,0]],)"
        R"(\"pcie\":[[\"X\",\"SYS\",\"SYS\",\"SYS\"],[\"SYS\",\"X\",\"SYS\",\"SYS\"],[\"SYS\",\"SYS\",\"X\",\"SYS\"],[\"SYS\",\"SYS\",\"SYS\",\"X\"]]})";
    recording of;
    add<core::node>(of, node("n", 4, links));
    add<core::pod>(of, pod("nlp", "wants-8", 8));
    auto view = gpu_scheduler::recorded_view::make(of);
    REQUIRE(view.has_value());
    const auto said = gpu_scheduler::answers(*view, (*view)->known()).why("nlp/wants-8");
    REQUIRE_MESSAGE(said.has_value(), said.error().what());
    CHECK(said->find(R"("would":["no node has 8 GPUs of one NVLink domain; the largest free set is 2"])") !=
          std::string::npos);
}

TEST_CASE("recorded: explain, snapshot and replay of a cluster that is served") {
    system_environment env;
    served server;
    const testing::temporary_directory folder;
    const std::string kubeconfig = folder.path("config"), file = folder.path("out.json");
    folder.write("config", server.kubeconfig);
    const std::vector<std::string_view> access{"--kubeconfig", kubeconfig};
    auto words = access;
    words.push_back("nlp/wants-8");
    const auto why = gpu_scheduler::explain_command(words, env);
    REQUIRE_MESSAGE(why.has_value(), why.error().what());
    CHECK(why->starts_with(R"({"state":"waiting","sentence":"0/2 nodes are available)"));
    words.back() = "nlp/nobody";
    CHECK(gpu_scheduler::explain_command(words, env).error() == api_errc::not_found);
    for (const char* anonymize : {"--tenants=on", "--anonymize"}) {
        words = access;
        words.insert(words.end(), {"--out", file, anonymize});
        const auto done = gpu_scheduler::snapshot_command(words, env);
        REQUIRE_MESSAGE(done.has_value(), done.error().what());
        CHECK(*done == file + ": 5 decisions\n");
        auto text = *env.read_file(file, 1 << 20);
        CHECK(text.find("s3cr3t") == std::string::npos);
        CHECK((text.find("gpu-secret-1") == std::string::npos) == (std::string_view(anonymize) == "--anonymize"));
        const auto same = gpu_scheduler::replay_command({file}, env);
        REQUIRE_MESSAGE(same.has_value(), same.error().what());
        CHECK(*same == file + ": 5 decisions, all the same\n");
        const auto at = text.rfind("\"message\":\"0/2 nodes");
        REQUIRE(at != std::string::npos);
        folder.write("out.json", text.replace(at + 11, 3, "1/2"));
        const auto other = gpu_scheduler::replay_command({file}, env);
        REQUIRE_FALSE(other.has_value());
        CHECK(other.error().code() != errc::invalid_argument);  // status 1
        CHECK(other.error().message().find(" differs: it was pod ") != std::string::npos);
    }
    for (const auto& [words_of, why_not] :
         {std::pair(std::vector<std::string_view>{}, "NAMESPACE/NAME of a pod is missing"),
          std::pair(std::vector<std::string_view>{"a/b", "c"}, "\"c\" belongs to no flag"),
          std::pair(std::vector<std::string_view>{"a/b", "--tenants=so"}, "--tenants: one of on, off")}) {
        const auto answer = gpu_scheduler::explain_command(words_of, env);
        REQUIRE_FALSE(answer.has_value());
        CHECK(answer.error().message().starts_with(why_not));
    }
    CHECK(gpu_scheduler::snapshot_command({}, env).error().message() == "--out FILE is missing");
    CHECK(gpu_scheduler::replay_command({}, env).error().code() == errc::invalid_argument);
    CHECK(gpu_scheduler::replay_command({"/nowhere/file"}, env).error().code() == errc::file_failed);
}

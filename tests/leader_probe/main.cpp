// For tests/e2e/test_leadership.py: a candidate for the Lease default/l at a real API server.
//     leader_probe KUBECONFIG IDENTITY LEASE_MS RENEW_MS RETRY_MS
// While it leads it writes who it is into the ConfigMap default/written, through its fence, and prints "leading"; at
// the end of that "stopped". SIGTERM ends it in good order.
#include <kcontrol/api/core/v1.hpp>
#include <kcontrol/codec/resource_of.hpp>
#include <kcontrol/leader/leader_elector.hpp>
#include <kcontrol/manager/find_config.hpp>
#include <kcontrol/runtime/signals.hpp>
#include <kcontrol/runtime/system_environment.hpp>
#include <kcontrol/runtime/wait.hpp>
#include <kcontrol/transport/client.hpp>

#include <boost/asio/co_spawn.hpp>
#include <boost/asio/detached.hpp>
#include <boost/asio/io_context.hpp>

#include <cstdlib>
#include <iostream>
#include <optional>
#include <string>

using namespace kcontrol;

namespace {

class candidate {
public:
    candidate(environment& env, const executor& ex, const client& cl, leader_options options, logger log)
        : env_(env), identity_(options.identity()) {
        leader_callbacks calls;
        calls.on_started_leading([this](std::stop_token stop) { return write(std::move(stop)); });
        calls.on_stopped_leading([] { std::cout << "stopped" << std::endl; });
        elector.emplace(env, ex, cl, std::move(options), calls, std::move(log));
        fenced_.emplace(cl.guarded(elector->fence().guard()));
    }

    std::optional<leader_elector> elector;

private:
    awaitable<void> write(std::stop_token stop) {
        std::cout << "leading" << std::endl;
        const std::string by = identity_ + "/" + std::to_string(++terms_);
        const namespaced_name key("default", "written");
        client to = *fenced_;
        for (int n = 1; !stop.stop_requested(); ++n) {
            const std::string patch = R"({"data":{"by":")" + by + R"(","n":")" + std::to_string(n) + R"("}})";
            const auto written = co_await to.patch(resource_of<api::core::v1::config_map>(), key,
                                                   "application/merge-patch+json", patch, write_options());
            static_cast<void>(written);
            co_await sleep_for(env_, std::chrono::milliseconds(20), stop);
        }
    }

    environment& env_;
    std::string identity_;
    std::optional<client> fenced_;
    int terms_ = 0;
};

awaitable<void> leave(environment& env, candidate& of, std::stop_token stop, boost::asio::io_context& context) {
    async_event never;
    co_await never.wait(env, stop);
    co_await of.elector->stop();
    context.stop();
}

}  // namespace

int main(int argc, char** argv) {
    if (argc != 6) return std::cerr << "usage: leader_probe KUBECONFIG IDENTITY LEASE_MS RENEW_MS RETRY_MS\n", 2;
    system_environment env;
    boost::asio::io_context context(1);
    const auto config = find_cluster_config(env, argv[1]);
    if (!config) return std::cerr << config.error().what() << "\n", 1;
    auto cl = client::connect(env, context.get_executor(), *config, http::make_transport_factory(env));
    if (!cl) return std::cerr << cl.error().what() << "\n", 1;
    const auto time = [&](int i) { return std::chrono::milliseconds(std::atoi(argv[i])); };
    leader_options options({"default", "l"});
    options.identity(argv[2]).lease_duration(time(3)).renew_deadline(time(4)).retry_period(time(5));
    const logger log([](const log_record& r) {
        std::cerr << r.message;
        for (const auto& field : r.fields) std::cerr << " " << field.name << "=" << field.value;
        std::cerr << "\n";
    });
    candidate me(env, context.get_executor(), *cl, options, log);
    const auto started = me.elector->start();
    if (!started) return std::cerr << started.error().what() << "\n", 1;
    std::stop_source stop;
    signal_stop signals(context.get_executor(), stop, {});
    boost::asio::co_spawn(context, leave(env, me, stop.get_token(), context), boost::asio::detached);
    context.run();
}

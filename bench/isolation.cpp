// What a cluster in trouble costs the others on the real processor: three quiet clusters beside a fourth, a controller
// over all of them, in one process of one thread, over TLS at loopback. From the time that the quiet ones' server
// writes into an object to the beginning of its reconcile, as PB-6 has it.
//
// usage: isolation URL CA_FILE LOUD_URL LOUD_CA_FILE
// Two of the peers' replay servers. For each trouble "latency beside TROUBLE TAB value TAB unit".
#include <kcontrol/api/core/v1.hpp>
#include <kcontrol/multicluster/multicluster_controller.hpp>
#include <kcontrol/multicluster/multicluster_manager.hpp>
#include <kcontrol/runtime/wait.hpp>

#include "measure.hpp"

#include <boost/asio/co_spawn.hpp>
#include <boost/asio/detached.hpp>
#include <boost/asio/ip/tcp.hpp>

#include <algorithm>
#include <exception>
#include <memory>
#include <optional>
#include <stdexcept>
#include <string>
#include <utility>
#include <vector>

namespace {

using namespace kcontrol_bench;
using boost::asio::ip::tcp;
using pod = kcontrol::api::core::v1::pod;

constexpr int pending = 100'000;
constexpr int events = 2000;  // of each quiet cluster, in ten seconds

enum class trouble { none, crowd, silence };

// Takes connections, and answers nothing.
class silent_server {
public:
    explicit silent_server(boost::asio::io_context& context)
        : accepting_(context, tcp::endpoint(boost::asio::ip::address_v4::loopback(), 0)) {
        accept();
    }
    kcontrol::auth::cluster_config config() const {
        kcontrol::auth::cluster_config out;
        out.server(kcontrol::http::endpoint("http", "127.0.0.1", accepting_.local_endpoint().port()));
        return out;
    }
    void close() {
        accepting_.close();
        taken_.clear();
    }

private:
    void accept() {
        accepting_.async_accept([this](const boost::system::error_code& failed, tcp::socket one) {
            if (failed) return;
            taken_.push_back(std::move(one));
            accept();
        });
    }

    tcp::acceptor accepting_;
    std::vector<tcp::socket> taken_;
};

class session {
public:
    session(replay_server& server, kcontrol::auth::cluster_config quiet, kcontrol::auth::cluster_config loud,
            trouble what)
        : server_(server), env_(server.env), quiet_(std::move(quiet)), loud_(std::move(loud)), what_(what) {
        m_.emplace(env_, server.context.get_executor(),
                   kcontrol::multicluster_options().transport(kcontrol::http::make_transport_factory(env_)));
        const auto work = [this](kcontrol::reconcile_context ctx, kcontrol::request req,
                                 std::shared_ptr<const pod> seen) {
            return reconcile(std::move(ctx), std::move(req), std::move(seen));
        };
        all_ = kcontrol::multicluster_controller(*m_, "latency").for_<pod>().complete(work).value();
    }

    kcontrol::awaitable<void> run() {
        try {
            co_await measure();
        } catch (const std::exception& failed) {
            failure = failed.what();
        }
        co_await m_->stop();
        finished = true;
    }

    std::string failure;
    bool finished = false;
    std::vector<double> us;
    std::size_t loud_reconciles = 0;

private:
    // Of the loud cluster: asks its server once. What it asks for is not there, which is an answer, too.
    kcontrol::reconciliation reconcile(kcontrol::reconcile_context ctx, kcontrol::request req,
                                       std::shared_ptr<const pod> seen) {
        if (req.cluster == "loud") {
            kcontrol::client c = ctx.get_cluster().get_client().live();
            const kcontrol::namespaced_name key("default", "none");
            const auto options = kcontrol::get_options().stop(ctx.stop());
            const auto answer = co_await c.get<pod>(key, options);
            static_cast<void>(answer);
            ++loud_reconciles;
            co_return kcontrol::reconcile_result::done();
        }
        ++reconciled_;
        if (!seen) co_return kcontrol::reconcile_result::done();
        const auto stamp = seen->metadata.annotations.find("replay/sent");
        if (stamp == seen->metadata.annotations.end()) co_return kcontrol::reconcile_result::done();
        const auto now = env_.wall_now().time_since_epoch();
        const auto sent = std::chrono::nanoseconds(std::stoll(stamp->second.str()));
        us.push_back(std::chrono::duration<double, std::micro>(now - sent).count());
        co_return kcontrol::reconcile_result::done();
    }

    kcontrol::awaitable<void> measure() {
        std::vector<kcontrol::desired_cluster> desired;
        for (const char* name : {"a", "b", "c"}) desired.emplace_back(name, quiet_);
        desired.emplace_back("loud", loud_);
        m_->set_desired(std::move(desired));
        co_await rest();
        for (int i = 0; what_ == trouble::crowd && i < pending; ++i) {
            all_->enqueue(kcontrol::request("loud", "default", "x" + std::to_string(i)));
            if (i % 5000 == 4999) co_await pause(std::chrono::milliseconds(10));
        }
        us.clear();
        loud_reconciles = 0;
        co_await server_.order("/replay/events?count=" + std::to_string(events) + "&rate=200");
        co_await pause(std::chrono::seconds(10));
        co_await rest();
        if (us.empty()) throw std::runtime_error("no event was reconciled");
    }

    // Until nothing has been reconciled in the quiet clusters for a while.
    kcontrol::awaitable<void> rest() {
        std::size_t before = 0;
        do {
            before = reconciled_;
            co_await pause(std::chrono::milliseconds(1000));
        } while (before != reconciled_ || reconciled_ == 0);
    }
    kcontrol::awaitable<void> pause(kcontrol::duration time) {
        const std::stop_token never;
        co_await kcontrol::sleep_for(env_, time, never);
    }

    replay_server& server_;
    kcontrol::environment& env_;
    kcontrol::auth::cluster_config quiet_, loud_;
    trouble what_;
    std::optional<kcontrol::multicluster_manager> m_;
    std::shared_ptr<kcontrol::cluster_controllers> all_;
    std::size_t reconciled_ = 0;
};

void measure(char** argv, trouble what, const std::string& name) {
    replay_server server(argv[1], argv[2]);
    silent_server silent(server.context);
    session one(server, cluster(argv[1], argv[2]),
                what == trouble::silence ? silent.config() : cluster(argv[3], argv[4]), what);
    boost::asio::co_spawn(server.context, one.run(), boost::asio::detached);
    while (!one.finished) server.context.run_one();
    silent.close();
    server.close();
    if (!one.failure.empty()) throw std::runtime_error(one.failure);
    std::sort(one.us.begin(), one.us.end());
    const auto at = [&](double q) {
        return one.us[static_cast<std::size_t>(q * static_cast<double>(one.us.size() - 1))];
    };
    const std::string phase = "latency beside " + name;
    print(phase.c_str(), static_cast<double>(one.us.size()), "reconciles of the quiet ones");
    print(phase.c_str(), at(0.50), "us p50");
    print(phase.c_str(), at(0.99), "us p99");
    print(phase.c_str(), static_cast<double>(one.loud_reconciles), "reconciles of the fourth");
}

}  // namespace

int main(int argc, char** argv) {
    if (argc != 5) return std::fprintf(stderr, "usage: isolation URL CA_FILE LOUD_URL LOUD_CA_FILE\n"), 2;
    try {
        measure(argv, trouble::none, "a cluster that is well");
        measure(argv, trouble::crowd, "100,000 requests that wait");
        measure(argv, trouble::silence, "a server that does not answer");
    } catch (const std::exception& failed) {
        return std::fprintf(stderr, "isolation: %s\n", failed.what()), 1;
    }
    return 0;
}

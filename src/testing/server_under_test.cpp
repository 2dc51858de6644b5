#include <kcontrol/runtime/wait.hpp>
#include <kcontrol/testing/local_api_server.hpp>
#include <kcontrol/testing/server_under_test.hpp>
#include <kcontrol/testing/temporary_directory.hpp>
#include <kcontrol/transport/client.hpp>
#include <kcontrol/transport/self_signed.hpp>
#include <kcontrol/transport/server.hpp>

#include "testing/kubeconfig_text.hpp"

#include <boost/asio/co_spawn.hpp>

#include <algorithm>
#include <exception>
#include <stop_token>
#include <string_view>
#include <vector>

namespace kcontrol::inline v0_1::testing {
namespace detail {
namespace {

class fake_under_test final : public server_under_test {
public:
    fake_under_test(environment& env, executor ex, api_server_options options)
        : server_(env, std::move(ex), std::move(options)) {
        server_.api().access().set_groups("system:anonymous", {"system:masters"});
    }
    awaitable<result<void>> start() override { co_return server_.start(); }
    awaitable<void> stop() override { return server_.stop(); }
    auth::cluster_config config() const override { return server_.config(); }
    std::string kubeconfig() const override { return server_.kubeconfig(); }

private:
    local_api_server server_;
};

/// A program that runs until it is stopped.
class background_program {
public:
    bool ended = false;
    std::string said;  ///< the beginning of what it wrote to standard error, once it has ended
};

awaitable<void> run_in_background(environment& env, process_command command, std::shared_ptr<background_program> state,
                                  std::shared_ptr<async_event> done) {
    const auto run = co_await env.run_process(std::move(command));
    state->said = run ? run->errors : run.error().what();
    state->ended = true;
    done->notify_all();
}

class real_under_test final : public server_under_test {
public:
    real_under_test(environment& env, executor ex, std::string assets)
        : env_(env), executor_(std::move(ex)), assets_(std::move(assets)) {}

    awaitable<result<void>> start() override {
        stop_ = std::stop_source();
        auto prepared = prepare();
        if (!prepared) co_return prepared;
        const auto client_port = free_port(), peer_port = free_port(), port = free_port();
        if (!client_port) co_return client_port.error();
        if (!peer_port) co_return peer_port.error();
        if (!port) co_return port.error();
        const std::string etcd = "http://127.0.0.1:" + std::to_string(*client_port);
        const std::string peer = "http://127.0.0.1:" + std::to_string(*peer_port);
        port_ = *port;
        run({"/etcd", "--data-dir", directory_->path("etcd"), "--unsafe-no-fsync", "--listen-client-urls", etcd,
             "--advertise-client-urls", etcd, "--listen-peer-urls", peer, "--initial-advertise-peer-urls", peer,
             "--initial-cluster", "default=" + peer, "--log-level", "error"});
        const auto in = [this](const char* name) { return directory_->path(name); };
        run({"/kube-apiserver",
             "--etcd-servers",
             etcd,
             "--bind-address",
             "127.0.0.1",
             "--advertise-address",
             "127.0.0.1",
             "--secure-port",
             std::to_string(port_),
             "--tls-cert-file",
             in("server.crt"),
             "--tls-private-key-file",
             in("server.key"),
             "--client-ca-file",
             in("ca.crt"),
             "--authorization-mode",
             "RBAC",
             "--service-cluster-ip-range",
             "10.0.0.0/24",
             "--allow-privileged",
             "--disable-admission-plugins",
             "ServiceAccount",
             "--endpoint-reconciler-type",
             "none",
             "--service-account-issuer",
             "https://localhost",
             "--service-account-key-file",
             in("sa.crt"),
             "--service-account-signing-key-file",
             in("sa.key"),
             "--cert-dir",
             in("certs")});
        auto ready = co_await wait_until_ready();
        if (!ready) co_await stop();
        co_return ready;
    }

    awaitable<void> stop() override {
        stop_.request_stop();
        for (const auto& program : programs_) {
            while (!program->ended) co_await done_->wait(env_, std::stop_token());
        }
        programs_.clear();
        directory_.reset();
    }

    auth::cluster_config config() const override {
        auth::cluster_config out;
        out.server(http::endpoint("https", "127.0.0.1", port_));
        out.tls(http::tls_options().ca_pem(ca_pem_).client_certificate(admin_.cert_pem, admin_.key_pem));
        out.default_namespace("default");
        return out;
    }
    std::string kubeconfig() const override {
        return kubeconfig_text(config(), "real",
                               "{client-certificate-data: " + base64(admin_.cert_pem) +
                                   ", client-key-data: " + base64(admin_.key_pem.reveal()) + "}");
    }

private:
    // Certificates, and a key for the tokens of service accounts.
    result<void> prepare() {
        directory_.emplace();
        const auto now = env_.wall_now();
        auto authority = http::certificate_authority::create(http::certificate_options(now).common_name("test-ca"));
        if (!authority) return authority.error();
        http::certificate_options of_server(now), of_admin(now), of_accounts(now);
        of_server.common_name("kube-apiserver").dns("localhost").dns("kubernetes.default.svc");
        of_server.ip("127.0.0.1").ip("10.0.0.1");
        const auto server = authority->issue(of_server);
        const auto admin = authority->issue(of_admin.common_name("admin").organization("system:masters").for_client());
        const auto accounts = authority->issue(of_accounts.common_name("service-accounts"));
        if (!server) return server.error();
        if (!admin) return admin.error();
        if (!accounts) return accounts.error();
        ca_pem_ = authority->cert_pem();
        admin_ = *admin;
        directory_->write("ca.crt", ca_pem_);
        directory_->write("server.crt", server->cert_pem);
        directory_->write("server.key", server->key_pem.reveal());
        directory_->write("sa.crt", accounts->cert_pem);
        directory_->write("sa.key", accounts->key_pem.reveal());
        return {};
    }

    // Nobody has it now; who takes it meanwhile makes the start fail.
    result<std::uint16_t> free_port() {
        http::server look(env_, executor_, {});
        const auto listening = look.listen(http::listen_address("127.0.0.1", 0));
        if (!listening) return listening.error();
        return look.local_port();
    }

    void run(std::vector<std::string> arguments) {
        arguments.front() = assets_ + arguments.front();
        process_command command(std::move(arguments));
        command.deadline(std::chrono::hours(24)).max_output(std::size_t{16} << 10).stop(stop_.get_token());
        command.variable("HOME", directory_->path()).variable("TMPDIR", directory_->path());
        programs_.push_back(std::make_shared<background_program>());
        boost::asio::co_spawn(executor_, run_in_background(env_, std::move(command), programs_.back(), done_),
                              [](std::exception_ptr failure) {
                                  if (failure) std::rethrow_exception(failure);
                              });
    }

    awaitable<result<void>> wait_until_ready() {
        const auto patience = std::chrono::seconds(60);
        const auto factory = http::make_transport_factory(env_);
        const auth::cluster_config at = config();
        const time_point until = env_.now() + patience;
        while (env_.now() < until) {
            for (const auto& program : programs_) {
                if (program->ended) co_return error(errc::unavailable, "a program has ended: " + program->said);
            }
            auto transport = factory(executor_, at.server(), at.tls());
            if (!transport) co_return transport.error();
            bool ready = true;
            // The namespace comes a moment after the server says that it is ready.
            for (const std::string path : {"/readyz", "/api/v1/namespaces/default"}) {
                http::request request("GET", path);
                http::exchange_options options;
                const auto answer = co_await (*transport)->round_trip(std::move(request), std::move(options));
                ready = ready && answer && answer->status == 200;
            }
            (*transport)->close();
            if (ready) co_return result<void>();
            co_await sleep_for(env_, std::chrono::milliseconds(100), std::stop_token());
        }
        co_return error(errc::timeout, "kube-apiserver was not ready within 60 s");
    }

    environment& env_;
    executor executor_;
    std::string assets_;
    std::optional<temporary_directory> directory_;
    std::string ca_pem_;
    http::key_and_certificate admin_;
    std::uint16_t port_ = 0;
    std::stop_source stop_;
    std::vector<std::shared_ptr<background_program>> programs_;
    std::shared_ptr<async_event> done_ = std::make_shared<async_event>();
};

bool has_programs(environment& env, const std::string& directory) {
    if (directory.empty() || directory.front() != '/') return false;
    const auto names = env.list_directory(directory);
    if (!names) return false;
    const auto has = [&names](std::string_view name) {
        return std::find(names->begin(), names->end(), name) != names->end();
    };
    return has("kube-apiserver") && has("etcd");
}

}  // namespace
}  // namespace detail

std::unique_ptr<server_under_test> fake_apiserver(environment& env, executor ex, api_server_options options) {
    return std::make_unique<detail::fake_under_test>(env, std::move(ex), std::move(options));
}

std::optional<std::string> find_apiserver_assets(environment& env) {
    const std::string given = env.variable("KUBEBUILDER_ASSETS").value_or("");
    if (detail::has_programs(env, given)) return given;
    const std::string path = env.variable("PATH").value_or("");
    for (std::size_t at = 0; at <= path.size();) {
        const std::size_t end = std::min(path.find(':', at), path.size());
        const std::string directory = path.substr(at, end - at);
        if (detail::has_programs(env, directory)) return directory;
        at = end + 1;
    }
    return std::nullopt;
}

std::unique_ptr<server_under_test> real_apiserver(environment& env, executor ex, std::string assets) {
    return std::make_unique<detail::real_under_test>(env, std::move(ex), std::move(assets));
}

}  // namespace kcontrol::testing

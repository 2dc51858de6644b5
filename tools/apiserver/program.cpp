#include "program.hpp"

#include <kcontrol/base/log.hpp>
#include <kcontrol/runtime/signals.hpp>
#include <kcontrol/runtime/system_environment.hpp>
#include <kcontrol/runtime/wait.hpp>
#include <kcontrol/serve/responses.hpp>
#include <kcontrol/testing/fake_cluster.hpp>
#include <kcontrol/testing/local_api_server.hpp>
#include <kcontrol/version.hpp>

#include "data_file.hpp"
#include "fault_plan.hpp"
#include "manifests.hpp"
#include "openapi_files.hpp"
#include "trial.hpp"

#include <boost/asio/co_spawn.hpp>
#include <boost/asio/io_context.hpp>

#include <cerrno>
#include <csignal>
#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <exception>
#include <fcntl.h>
#include <iterator>
#include <memory>
#include <optional>
#include <ostream>
#include <unistd.h>

namespace kcontrol_apiserver {
namespace {

namespace asio = boost::asio;
namespace http = kcontrol::http;
namespace testing = kcontrol::testing;
using kcontrol::errc;
using kcontrol::error;
using kcontrol::result;

constexpr std::string_view own_paths = "/kcontrol/";
constexpr std::string_view faults_path = "/kcontrol/faults";
constexpr std::size_t max_bytes = std::size_t{1} << 20;

// Values are a definition's: what a terminal would obey is escaped.
kcontrol::logger warnings_to(std::ostream& log) {
    const auto write = [&log](const kcontrol::log_record& record) {
        log << "kcontrol-apiserver: " << record.message;
        const char* between = ": ";
        for (const auto& field : record.fields) {
            log << between << field.name << ' ' << kcontrol::escape_control(field.value);
            between = ", ";
        }
        log << std::endl;
    };
    return kcontrol::logger(write, kcontrol::log_level::warning);
}

testing::api_server_options server_options(const options& o, std::ostream& log) {
    testing::api_server_options out;
    out.default_and_validate(o.complete).collect_garbage(o.garbage).enforce_rbac(o.rbac);
    out.lenient_cel(o.lenient_cel).log(warnings_to(log));
    return out;
}

// For its owner only, and never half of it: who waits for the file may read it as soon as it is there.
result<void> write_file(const std::string& path, const std::string& text) {
    const auto fail = [&path](int number) {
        return error(errc::file_failed, "--kubeconfig " + path + " can't be written: " + std::strerror(number) +
                                            "; the directory must exist and be writable");
    };
    const std::string half = path + ".new";
    const int fd = ::open(half.c_str(), O_WRONLY | O_CREAT | O_TRUNC | O_CLOEXEC, 0600);
    if (fd < 0) return fail(errno);
    const bool written = ::write(fd, text.data(), text.size()) == static_cast<ssize_t>(text.size());
    const int number = errno;
    ::close(fd);
    if (!written) return fail(number);
    if (std::rename(half.c_str(), path.c_str()) != 0) return fail(errno);
    return {};
}

/// All that runs in the process.
class program {
public:
    program(kcontrol::environment& env, const kcontrol::executor& ex, const options& o, std::ostream& log)
        : env_(env), options_(o), log_(log), server_(env, ex, server_options(o, log), o.tls) {}

    result<void> start() {
        testing::api_server& api = server_.api();
        api.access().set_groups("admin", {"system:masters"});
        if (!options_.data.empty()) {
            if (auto done = open_data(); !done) return done;
        }
        for (const auto& path : options_.load) {
            auto objects = read_manifests(env_, path);
            if (!objects) return objects.error();
            if (auto done = create(std::move(*objects)); !done) return done;
        }
        if (!options_.openapi.empty()) {
            if (auto done = add_openapi_files(env_, api, options_.openapi); !done) return done;
        }
        if (!options_.faults.empty()) {
            const auto text = env_.read_regular_file(options_.faults, max_bytes);
            if (!text) return text.error().with_context("--faults");
            if (auto done = set_faults(*text); !done) return done.error().with_context("--faults " + options_.faults);
        }
        if (options_.pods) {
            testing::fake_cluster_options fakes;
            fakes.nodes(options_.nodes).controllers(options_.workloads).service_accounts(options_.workloads);
            fakes_.emplace(env_, api, fakes);
        }
        server_.mount(std::string(own_paths), [this](http::server_request request, http::responder& out) {
            return answer_own(std::move(request), out);
        });
        const auto listening = server_.start(options_.listen);
        if (!listening) return listening.error().with_context("--listen " + options_.listen.text());
        if (options_.kubeconfig.empty()) return {};
        const auto text = options_.tls ? server_.kubeconfig_with_certificate("admin", "kcontrol-apiserver")
                                       : result<std::string>(server_.kubeconfig({}, "kcontrol-apiserver"));
        if (!text) return text.error();
        return write_file(options_.kubeconfig, *text);
    }

    std::string address() const {
        const auto at = server_.config().server();
        const bool six = at.host.find(':') != std::string::npos;
        return at.scheme + "://" + (six ? "[" + at.host + "]" : at.host) + ":" + std::to_string(at.port);
    }

    kcontrol::awaitable<void> run(std::stop_token stop) {
        kcontrol::async_event never;
        co_await never.wait(env_, stop);
        fakes_.reset();
        co_await server_.stop();
    }

    /// The program that is tried: started after this server. Gives the exit status.
    kcontrol::awaitable<int> try_program(std::stop_token stop, trial& tried) {
        const int status = co_await tried.run(stop);
        fakes_.reset();
        co_await server_.stop();
        co_return status;
    }

    testing::local_api_server& server() { return server_; }
    std::vector<manifest> take_late() { return std::move(late_); }

private:
    // A program that is tried may bring the kinds of some.
    result<void> create(std::vector<manifest> objects) {
        std::vector<std::string> notes;
        const bool later = !options_.command.empty();
        auto done = later ? create_those_served(server_.api(), objects, notes)
                          : create_all(server_.api(), std::move(objects), notes);
        for (const auto& note : notes) log_ << "kcontrol-apiserver: " << note << std::endl;
        if (!later) return done;
        std::move(objects.begin(), objects.end(), std::back_inserter(late_));
        return done;
    }

    result<void> open_data() {
        auto opened = data_file::open(options_.data);
        if (!opened) return opened.error();
        data_ = std::move(*opened);
        if (options_.tls) {
            auto authority = data_->authority(env_.wall_now());
            if (!authority) return authority.error();
            server_.set_authority(std::move(*authority));
        }
        // What can't be kept must not be answered for, and the object is in memory already: so this is the end.
        changes_ = server_.api().on_change(
            [this](const testing::resource_type& type, testing::change what, const kcontrol::json::value& object) {
                const auto kept = data_->record(type.id(), what, object);
                if (kept) return;
                log_ << "kcontrol-apiserver: " << kept.error().message() << std::endl;
                std::_Exit(1);
            });
        return data_->join(server_.api());
    }

    result<void> set_faults(std::string_view text) {
        auto plan = fault_plan::parse(text);
        if (!plan) return plan.error();
        testing::api_server& api = server_.api();
        faults_ = std::make_shared<fault_plan>(std::move(*plan));
        api.thaw(stale_replica);
        api.freeze(stale_replica, api.resource_version());
        api.set_faults(
            [this, plan = faults_](const http::server_request& request) { return plan->decide(request, env_); });
        return {};
    }

    void end_faults() {
        faults_ = std::make_shared<fault_plan>();
        server_.api().set_faults(nullptr);
        server_.api().thaw(stale_replica);
    }

    kcontrol::awaitable<void> answer_own(http::server_request request, http::responder& out) {
        http::response answer = own_answer(request);
        (void)co_await out.send(std::move(answer));
    }

    http::response own_answer(const http::server_request& request) {
        if (request.target != faults_path) {
            return http::error_response(404, "there is /kcontrol/faults; all else is Kubernetes' API");
        }
        if (request.method == "PUT") {
            const auto done = set_faults(request.body);
            if (!done) return http::error_response(400, done.error().message());
        } else if (request.method == "DELETE") {
            end_faults();
        } else if (request.method != "GET") {
            return http::method_not_allowed("GET, PUT, DELETE");
        }
        return http::json_response(200, faults_->shown());
    }

    kcontrol::environment& env_;
    const options& options_;
    std::ostream& log_;
    std::unique_ptr<data_file> data_;
    testing::local_api_server server_;
    std::shared_ptr<void> changes_;
    std::vector<manifest> late_;
    std::shared_ptr<fault_plan> faults_ = std::make_shared<fault_plan>();
    std::optional<testing::fake_cluster> fakes_;
};

int complain(const error& why, std::ostream& log) {
    log << "kcontrol-apiserver: " << kcontrol::escape_control(why.message()) << std::endl;
    return 1;
}

// --crds-of and --rbac-of. The first signal ends the program's time, the second the program.
int try_program(const options& o, std::ostream& out, std::ostream& log) {
    kcontrol::system_environment env;
    asio::io_context context(1);
    program p(env, context.get_executor(), o, log);
    if (const auto started = p.start(); !started) return complain(started.error(), log);
    trial tried(env, p.server(), o, out, log);
    if (const auto started = tried.start(p.take_late()); !started) return complain(started.error(), log);
    std::stop_source stop;
    kcontrol::signal_calls signals(context.get_executor(), {SIGINT, SIGTERM}, [&] {
        if (!stop.request_stop()) tried.kill();
    });
    int status = 1;
    asio::co_spawn(context, p.try_program(stop.get_token(), tried), [&](std::exception_ptr failure, int ended_with) {
        signals.cancel();
        context.stop();
        if (failure) std::rethrow_exception(failure);
        status = ended_with;
    });
    context.run();
    return status;
}

int serve(const options& o, std::ostream& out, std::ostream& log) {
    kcontrol::system_environment env;
    asio::io_context context(1);
    std::stop_source stop;
    kcontrol::signal_stop signals(context.get_executor(), stop);
    program p(env, context.get_executor(), o, log);
    if (const auto started = p.start(); !started) return complain(started.error(), log);
    out << p.address() << std::endl;
    asio::co_spawn(context, p.run(stop.get_token()), [&](std::exception_ptr failure) {
        signals.cancel();
        context.stop();  // what still lingers was asked to stop
        if (failure) std::rethrow_exception(failure);
    });
    context.run();
    return 0;
}

}  // namespace

int run(const std::vector<std::string>& arguments, std::ostream& out, std::ostream& log) {
    const auto parsed = parse_options(arguments);
    if (!parsed) {
        log << "kcontrol-apiserver: " << parsed.error().message() << '\n';
        return 2;
    }
    switch (parsed->what) {
    case action::help: out << usage_text; return 0;
    case action::version: out << "kcontrol-apiserver " KCONTROL_VERSION_STRING "\n"; return 0;
    case action::serve: break;
    }
    return parsed->command.empty() ? serve(*parsed, out, log) : try_program(*parsed, out, log);
}

}  // namespace kcontrol_apiserver

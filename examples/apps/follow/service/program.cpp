#include "service/program.hpp"

#include <kcontrol/auth/find_config.hpp>
#include <kcontrol/client/client.hpp>
#include <kcontrol/transport/client.hpp>

#include "outputs/file_output.hpp"
#include "outputs/haproxy_output.hpp"
#include "values/template_values.hpp"

namespace follow {
namespace {

using kcontrol::result;
constexpr std::size_t most_of_a_template = std::size_t{1} << 20;

result<mustache::document> read_template(kcontrol::environment& env, const std::string& file) {
    const auto text = env.read_file(file, most_of_a_template);
    if (!text) return text.error().with_context("--template");
    return mustache::document::parse(*text, file, template_names());
}

result<kcontrol::client> connect(kcontrol::environment& env, kcontrol::executor ex, const options& o,
                                 const kcontrol::logger& log) {
    kcontrol::auth::kubeconfig_overrides overrides;
    overrides.context(o.context);
    const auto search = kcontrol::auth::config_search().file(o.kubeconfig).overrides(std::move(overrides));
    const auto config = kcontrol::auth::find_config(env, search);
    if (!config) return config.error();
    return kcontrol::client::connect(env, std::move(ex), *config, kcontrol::http::make_transport_factory(env), log);
}

}  // namespace

result<std::vector<std::unique_ptr<output>>> make_outputs(kcontrol::environment& env, kcontrol::executor ex,
                                                          const options& o, write_function write,
                                                          const kcontrol::logger& log) {
    std::vector<std::unique_ptr<output>> out;
    out.push_back(std::make_unique<line_output>(std::move(write)));
    if (!o.template_file.empty()) {
        auto text = read_template(env, o.template_file);
        if (!text) return text.error();
        out.push_back(std::make_unique<file_output>(env, std::move(*text), o.out_file, o.check, o.reload, log));
    }
    if (!o.haproxy.empty()) {
        haproxy::backend servers(haproxy::ask_socket(env, ex, o.haproxy), o.backend, o.server_options, log);
        out.push_back(std::make_unique<haproxy_output>(std::move(servers), o.haproxy, log));
    }
    return out;
}

kcontrol::awaitable<exit_status> run_program(kcontrol::environment& env, kcontrol::executor ex, options o,
                                             write_function write, kcontrol::logger log, std::stop_token stop) {
    auto outputs = make_outputs(env, ex, o, std::move(write), log);
    if (!outputs) {
        log.error("can't begin", {{"error", outputs.error().what()}});
        co_return exit_status::failed;
    }
    auto api = connect(env, ex, o, log);
    if (!api) {
        log.error("there is no way to the cluster", {{"error", api.error().what()}});
        co_return exit_status::failed;
    }
    log.info("following", {{"target", o.target()}});
    const auto from = make_source(env, ex, std::move(*api), o, log);
    const auto status = co_await run_loop(env, ex, o, *from, *outputs, log, stop);
    co_return status;
}

}  // namespace follow

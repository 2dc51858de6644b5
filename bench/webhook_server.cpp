// A webhook server that does what bench/webhook_peer does: bench/webhook_figures.py measures both.
// usage: bench_webhook_server PORT CERT_DIR
#include <kcontrol/api/core/v1.hpp>
#include <kcontrol/runtime/system_environment.hpp>
#include <kcontrol/webhook/webhook_builder.hpp>

#include <boost/asio/co_spawn.hpp>
#include <boost/asio/detached.hpp>
#include <boost/asio/io_context.hpp>

#include <charconv>
#include <cstdio>
#include <string_view>

using namespace kcontrol;

namespace {

void set_team(api::core::v1::pod& edited) {
    auto& labels = edited.metadata.labels;
    if (labels["team"].empty()) labels["team"] = "none";
}

admission_verdict judge(const admission_of<api::core::v1::pod>& of) {
    if (of.is_delete()) return {};
    for (const auto& c : of.object->spec.containers) {
        if (std::string_view(c.image).starts_with("registry.example.com/")) continue;
        return admission_verdict::deny("container " + c.name.str() + ": image " + c.image.str() +
                                       " is of another registry");
    }
    return {};
}

}  // namespace

int main(int argc, char** argv) {
    std::uint16_t port = 0;
    const std::string_view text = argc == 3 ? argv[1] : "";
    std::from_chars(text.data(), text.data() + text.size(), port);
    if (port == 0) return std::fprintf(stderr, "usage: bench_webhook_server PORT CERT_DIR\n"), 2;
    boost::asio::io_context context(1);
    system_environment env;
    webhook_server_options options;
    options.address(http::listen_address("127.0.0.1", port)).certificate_directory(argv[2]);
    webhook_server server(env, context.get_executor(), options);
    const auto built =
        webhook_builder(server).for_<api::core::v1::pod>().defaulter(set_team).validator(judge).complete();
    if (!built) return std::fprintf(stderr, "%s\n", built.error().what().c_str()), 1;
    boost::asio::co_spawn(context, server.run({}), boost::asio::detached);
    context.run();
}

// The client's verbs: a ConfigMap is created, patched, applied to by a second writer, and deleted.
// usage: client [KUBECONFIG]
#include <kcontrol/client/client.hpp>
#include <kcontrol/manager/find_config.hpp>
#include <kcontrol/runtime/system_environment.hpp>
#include <kcontrol/transport/client.hpp>

#include <boost/asio/co_spawn.hpp>
#include <boost/asio/io_context.hpp>

#include <iostream>
#include <map>

namespace {

struct config_map {
    static constexpr kcontrol::resource_name kcontrol_resource{"", "v1", "ConfigMap", "configmaps"};
    kcontrol::object_meta metadata;
    std::map<std::string, std::string> data;
    static constexpr auto kcontrol_fields() { return kcontrol::fields(kcontrol::field("data", &config_map::data)); }
};

config_map colors(std::map<std::string, std::string> data) {
    config_map out;
    out.metadata.namespace_ = "default";
    out.metadata.name = "colors";
    out.data = std::move(data);
    return out;
}

void print(const char* done, const config_map& now) {
    std::cout << done;
    for (const auto& [thing, color] : now.data) std::cout << " " << thing << "=" << color;
    std::cout << "\n";
}

kcontrol::awaitable<kcontrol::result<void>> play(kcontrol::client cl) {
    const config_map first = colors({{"sky", "blue"}});
    const auto created = co_await cl.create(first);
    if (!created) co_return created.error();
    print("created:", *created);

    // A patch is what differs between the object as it was read and an edited copy. Fields that config_map does not
    // declare stay as they are, and a write that came between is a conflict.
    config_map edited = *created;
    edited.data["grass"] = "green";
    const auto patched = co_await cl.patch(*created, edited);
    if (!patched) co_return patched.error();
    print("patched:", *patched);

    // Server-side apply: a writer says which fields it wants, and owns them. This one is another writer than the one
    // above, so the sky is not its own, until it insists.
    const config_map wanted = colors({{"sky", "grey"}});
    kcontrol::apply_options as_weather("weather");
    const auto refused = co_await cl.apply(wanted, as_weather);
    if (!refused) std::cout << "refused: " << refused.error().what() << "\n";
    as_weather.force();
    const auto applied = co_await cl.apply(wanted, as_weather);
    if (!applied) co_return applied.error();
    print("applied:", *applied);

    const auto deleted = co_await cl.delete_<config_map>(key_of(wanted.metadata));
    if (deleted) std::cout << "deleted\n";
    co_return deleted;
}

}  // namespace

int main(int argc, char** argv) {
    kcontrol::system_environment env;
    boost::asio::io_context context(1);
    const auto config = kcontrol::find_cluster_config(env, argc > 1 ? argv[1] : "");
    if (!config) return std::cerr << config.error().what() << "\n", 1;
    auto cl =
        kcontrol::client::connect(env, context.get_executor(), *config, kcontrol::http::make_transport_factory(env));
    if (!cl) return std::cerr << cl.error().what() << "\n", 1;

    kcontrol::result<void> outcome;
    boost::asio::co_spawn(context, play(*cl), [&](std::exception_ptr failure, kcontrol::result<void> ended) {
        if (failure) std::rethrow_exception(failure);
        outcome = std::move(ended);
        context.stop();
    });
    context.run();
    if (!outcome) return std::cerr << outcome.error().what() << "\n", 1;
}

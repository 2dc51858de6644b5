// Whatever a stranger's kubeconfig says, it runs no program, names no file, chooses no proxy, turns nothing off and
// acts as nobody else.
#include <kcontrol/auth/kubeconfig.hpp>
#include <kcontrol/testing/manual_environment.hpp>

#include "require.hpp"

#include <cstdint>
#include <string>
#include <string_view>

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
    using namespace kcontrol::auth;
    using kcontrol::fuzz::require;
    const std::string_view text(reinterpret_cast<const char*>(data), size);
    kcontrol::testing::manual_environment env;
    const auto theirs = kubeconfig::parse(text, "secret a/b", trust::untrusted);
    const auto ours = kubeconfig::parse(text, "/etc/kube/config", trust::trusted);
    require(theirs.has_value() == ours.has_value());
    if (!theirs) return 0;
    auto names = theirs->context_names();
    names.emplace_back();
    for (const auto& name : names) {
        const auto trusted = ours->resolve(env, name);
        const auto config = theirs->resolve(env, name);
        if (!config) {
            require(!config.error().message().empty());
            continue;
        }
        require(trusted.has_value());
        require(!config->exec() && config->files().empty() && config->token_file().empty());
        require(config->server().via.empty() && !config->tls().insecure() && config->impersonate().empty());
    }
    return 0;
}

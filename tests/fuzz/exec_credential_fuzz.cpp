// Whatever a credential plugin prints is a credential that can be sent, or an error that does not repeat it.
#include <kcontrol/auth/exec_provider.hpp>
#include <kcontrol/http/message.hpp>

#include "require.hpp"

#include <cstdint>
#include <string>
#include <string_view>

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
    using namespace kcontrol::auth;
    using kcontrol::fuzz::require;
    const std::string_view text(reinterpret_cast<const char*>(data), size);
    const auto got = detail::read_exec_credential(text, "client.authentication.k8s.io/v1");
    if (got) {
        const std::string token(got->token().reveal());
        require(!token.empty() || !got->key_pem().empty());
        require(got->key_pem().empty() == got->chain_pem().empty());
        require(kcontrol::http::is_valid_field("Authorization", "Bearer " + token));
    } else {
        require(got.error() == kcontrol::errc::decode_failed);
        require(got.error().message().size() < 300);
    }
    const auto said = detail::plugin_complaint(text, exec_command("client.authentication.k8s.io/v1", "x"));
    for (const char c : said) require(static_cast<unsigned char>(c) >= 0x20 && c != 0x7f);
    require(said.size() < 1500);
    return 0;
}

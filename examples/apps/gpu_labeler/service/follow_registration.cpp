#include "service/follow_registration.hpp"

#include <kcontrol/base/secret_string.hpp>
#include <kcontrol/runtime/wait.hpp>

#include "node/registration_sign.hpp"

namespace gpu_labeler {
namespace {

constexpr std::size_t longest_token = std::size_t{64} << 10;

}  // namespace

kcontrol::awaitable<void> follow_registration(kcontrol::environment& env, std::string file,
                                              std::function<void()> renewed, kcontrol::logger log,
                                              std::stop_token stop) {
    registration_sign sign;
    while (!file.empty() && !stop.stop_requested()) {
        auto text = env.read_file(file, longest_token);
        const kcontrol::secret_string token(text ? std::move(*text) : std::string());
        if (sign.saw(token.reveal())) {
            log.info("the Node may have been registered anew; its labels are looked at");
            renewed();
        }
        co_await kcontrol::sleep_for(env, token_period, stop);
    }
}

}  // namespace gpu_labeler

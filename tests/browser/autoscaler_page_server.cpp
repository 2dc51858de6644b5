// The autoscaler's web face before a script: see scripted_server.hpp. Its own step:
//
//   look         a scaler at a look: time (RFC 3339), and scaler, an InferenceScaler with the status that was decided
// clang-format off: before the function text() of the script's steps, kcontrol::text is what text means.
#include "web/handlers.hpp"
// clang-format on

#include <kcontrol/codec/codec.hpp>
#include <kcontrol/values/time.hpp>

#include "scripted_server.hpp"

namespace {

class autoscaler_page_server final : public scripted_server {
public:
    autoscaler_page_server(kcontrol::environment& env, boost::asio::io_context& context)
        : scripted_server(env, context, [this](kcontrol::http::server_request request, kcontrol::http::responder& out) {
              return routes_.handler()(std::move(request), out);
          }) {
        inference_autoscaler::add_page(routes_, board_);
    }

private:
    std::optional<std::string> step(const std::string& op, const kcontrol::json::object& at) override {
        if (op != "look") return std::nullopt;
        const auto time = kcontrol::parse_time(text(at, "time"));
        const auto scaler =
            kcontrol::from_json<inference_autoscaler::inference_scaler>(kcontrol::json::serialize(at.at("scaler")));
        if (!time || !scaler) return "error: " + (scaler ? "time" : scaler.error().message());
        board_.take(*time, *scaler);
        return "ok";
    }

    inference_autoscaler::board board_;
    kcontrol::http::router routes_;
};

}  // namespace

int main() {
    kcontrol::system_environment env;
    boost::asio::io_context context(1);
    autoscaler_page_server server(env, context);
    return serve_script(context, server);
}

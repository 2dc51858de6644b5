// The healer's web face before a script: see scripted_server.hpp. Its own step:
//
//   tell         what is there now: time (RFC 3339), repairs and policies (objects with status), trouble, leader
// clang-format off: before the function text() of the script's steps, kcontrol::text is what text means.
#include "web/overview.hpp"
// clang-format on

#include <kcontrol/codec/codec.hpp>
#include <kcontrol/values/time.hpp>

#include "scripted_server.hpp"

namespace {

class healer_page_server final : public scripted_server {
public:
    healer_page_server(kcontrol::environment& env, boost::asio::io_context& context)
        : scripted_server(env, context, [this](kcontrol::http::server_request request, kcontrol::http::responder& out) {
              return routes_.handler()(std::move(request), out);
          }) {
        gpu_healer::add_page(routes_, [this] { return now_; });
    }

private:
    template <class T>
    static std::string read(const kcontrol::json::value& all, std::vector<std::shared_ptr<const T>>& into) {
        for (const auto& each : all.as_array()) {
            auto one = kcontrol::from_json<T>(kcontrol::json::serialize(each));
            if (!one) return "error: " + one.error().message();
            into.push_back(std::make_shared<const T>(std::move(*one)));
        }
        return "ok";
    }
    std::optional<std::string> step(const std::string& op, const kcontrol::json::object& at) override {
        if (op != "tell") return std::nullopt;
        const auto time = kcontrol::parse_time(text(at, "time"));
        if (!time) return "error: time";
        now_ = {};
        now_.now = *time;
        now_.trouble = text(at, "trouble");
        now_.leader = text(at, "leader");
        const auto done = read(at.at("repairs"), now_.repairs);
        return done == "ok" ? read(at.at("policies"), now_.policies) : done;
    }

    gpu_healer::overview now_;
    kcontrol::http::router routes_;
};

}  // namespace

int main() {
    kcontrol::system_environment env;
    boost::asio::io_context context(1);
    healer_page_server server(env, context);
    return serve_script(context, server);
}

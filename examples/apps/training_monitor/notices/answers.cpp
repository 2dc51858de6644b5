#include "notices/answers.hpp"

#include <kcontrol/json/reader.hpp>

#include <charconv>
#include <chrono>
#include <optional>
#include <string>
#include <string_view>
#include <utility>

namespace training_monitor::notices {
namespace {

using kcontrol::errc;
namespace json = kcontrol::json;

std::optional<kcontrol::duration> seconds_of(std::string_view header) {
    std::uint32_t seconds = 0;
    const auto [end, failure] = std::from_chars(header.data(), header.data() + header.size(), seconds);
    // Retry-After may be a date, too; the pause is then our own.
    if (header.empty() || failure != std::errc() || end != header.data() + header.size()) return std::nullopt;
    return std::chrono::seconds(seconds);
}

std::optional<kcontrol::duration> wanted_pause(const kcontrol::http::response_head& head) {
    if (const auto after = seconds_of(head.headers.get("Retry-After"))) return after;
    return seconds_of(head.headers.get("x-ogw-ratelimit-reset"));  // Feishu's gateway
}

// Feishu answers 200 whatever it thinks of the message; what counts is in the body.
delivery judge_feishu(const kcontrol::http::response& answer) {
    json::document document;
    const auto body = document.parse(answer.body);
    if (!body || !body->is_object() || (*body)["code"].kind() != json::kind::integer) {
        return delivery::refused("the answer is not Feishu's: is urlFile the URL of a bot?");
    }
    const auto code = (*body)["code"].as_int64();
    if (code == 0) return delivery::sent();
    const std::string text = "Feishu code " + std::to_string(code);
    switch (code) {
    case 11232: return delivery::try_again(text + ": too many messages", wanted_pause(answer));
    case 9499: return delivery::refused(text + ": it does not take the message");
    case 19001: return delivery::refused(text + ": no such bot; check urlFile");
    case 19021: return delivery::refused(text + ": wrong signature or time; check secretFile and the clock");
    case 19022: return delivery::refused(text + ": the bot does not take messages from this address");
    case 19024: return delivery::refused(text + ": the text holds none of the bot's keywords");
    default: return delivery::refused(text);
    }
}

// Slack's API answers 200 whatever it thinks, too. https://docs.slack.dev/reference/methods/chat.postMessage names the
// errors; one that is not known is not repeated.
delivery judge_slack(const kcontrol::http::response& answer) {
    json::document document;
    const auto body = document.parse(answer.body);
    if (!body || !body->is_object() || (*body)["ok"].kind() != json::kind::boolean) {
        return delivery::refused("the answer is not that of Slack's API");
    }
    if ((*body)["ok"].as_bool()) {
        auto out = delivery::sent();
        if ((*body)["ts"].kind() == json::kind::string) out.reference = std::string((*body)["ts"].as_string());
        return out;
    }
    const std::string_view said = (*body)["error"].kind() == json::kind::string ? (*body)["error"].as_string() : "";
    for (const std::string_view again :
         {"ratelimited", "rate_limited", "internal_error", "fatal_error", "service_unavailable", "request_timeout"}) {
        if (said == again) return delivery::try_again("Slack says " + std::string(again), wanted_pause(answer));
    }
    for (const auto& [error, remedy] :
         {std::pair<std::string_view, std::string_view>{"channel_not_found", "check channel"},
          {"not_in_channel", "invite the app to the channel"},
          {"is_archived", "the channel is archived"},
          {"invalid_auth", "check tokenFile"},
          {"not_authed", "check tokenFile"},
          {"account_inactive", "check tokenFile"},
          {"token_revoked", "check tokenFile"},
          {"missing_scope", "the app needs the scope chat:write"},
          {"msg_too_long", "shorten text"},
          {"msg_blocks_too_long", "shorten text"},
          {"invalid_blocks", "say blocks: false"}}) {
        if (said == error) return delivery::refused("Slack says " + std::string(error) + ": " + std::string(remedy));
    }
    return delivery::refused("Slack does not take the message");
}

// A connector of Teams answers 200 where Teams itself refuses, and says so in the text.
delivery judge_teams(const kcontrol::http::response& answer) {
    if (answer.body.find("HTTP error 429") != std::string::npos) {
        return delivery::try_again("Teams: too many messages", wanted_pause(answer));
    }
    if (answer.body.find("HTTP error 413") != std::string::npos)
        return delivery::refused("Teams: the message is too large");
    if (answer.body.find("delivery failed") != std::string::npos)
        return delivery::refused("Teams does not take the message");
    return delivery::sent();
}

}  // namespace

// Only what is known to be harmless: an error's own text names hosts.
delivery judge_failure(const kcontrol::error& failure, std::string_view protocol) {
    const auto is = [&](errc code) { return failure == code; };
    if (is(errc::timeout)) return delivery::try_again("no answer in time");
    if (is(errc::connection_refused)) return delivery::try_again("connection refused");
    if (is(errc::connection_lost) || is(errc::unknown_outcome) || is(errc::truncated)) {
        return delivery::try_again("the connection broke before the answer was complete");
    }
    if (is(errc::name_not_found)) return delivery::try_again("the host name can't be resolved");
    if (is(errc::stopped) || is(errc::unavailable)) return delivery::try_again("stopped");
    if (is(errc::tls_failed)) {
        return delivery::refused("TLS failed: the certificate is not trusted or not for this host; see caFile");
    }
    if (is(errc::too_large)) return delivery::refused("the answer is too large; it may have been delivered");
    if (is(errc::protocol_error)) return delivery::refused("the answer is not " + std::string(protocol));
    if (is(errc::invalid_config) || is(errc::invalid_argument)) return delivery::refused("its settings can't be used");
    return delivery::try_again("the exchange failed");
}

delivery judge(const receiver_config& to, const kcontrol::result<kcontrol::http::response>& answer) {
    if (!answer) return judge_failure(answer.error());
    const int status = answer->status;
    const std::string text = "HTTP " + std::to_string(status);
    if (status >= 200 && status < 300) {
        switch (to.kind) {
        case receiver_kind::feishu: return judge_feishu(*answer);
        case receiver_kind::slack: return to.http.token.empty() ? delivery::sent() : judge_slack(*answer);
        case receiver_kind::teams: return judge_teams(*answer);
        case receiver_kind::pagerduty:
        case receiver_kind::webhook:
        case receiver_kind::command:
        case receiver_kind::smtp: break;
        }
        return delivery::sent();
    }
    if (status >= 300 && status < 400) {
        return delivery::refused(text + ": redirects are not followed; put the final URL into urlFile");
    }
    if (status == 429) return delivery::try_again(text + ": too many messages", wanted_pause(*answer));
    if (status == 408 || status == 425 || status >= 500) return delivery::try_again(text, wanted_pause(*answer));
    return delivery::refused(text);
}

}  // namespace training_monitor::notices

// What goes to a receiver, and what its answer means. Pure functions.
#pragma once

#include <kcontrol/base/result.hpp>
#include <kcontrol/http/message.hpp>

#include "notices/config.hpp"
#include "notices/delivery.hpp"

#include <string>

namespace training_monitor::notices {

/// Feishu's limit for a body is 20 KB; longer texts are cut.
inline constexpr std::size_t most_feishu_bytes = 20000;

/// The text of a notice for a receiver: what comes from clusters can't act there, such as by mentioning everybody.
/// Feishu: '<' and '>' become their full-width forms. Slack: '&', '<' and '>' become entities.
std::string render_text(const receiver_config& to, const notice& n);

/// The id of who is mentioned: what the receiver has for the job's label; empty: nobody.
std::string mentioned(const receiver_config& to, const notice& n);

/// The JSON of a notice for webhooks and commands.
std::string notice_json(const receiver_config& to, const notice& n);

/// The request that notifies an HTTP receiver; `now` goes into signatures.
kcontrol::http::request make_request(const receiver_config& to, const notice& n, kcontrol::wall_time now);

/// What a webhook's signature header holds: "v1=" and HMAC-SHA256 of "v1:TIMESTAMP:BODY" in hexadecimal.
std::string webhook_signature(std::string_view secret, std::string_view timestamp, std::string_view body);

/// Feishu's `sign`: base64 of HMAC-SHA256 of nothing, keyed with timestamp, line feed and secret.
std::string feishu_sign(std::string_view secret, std::string_view timestamp);

/// What the end of the exchange means for the notice. No text of the receiver's is repeated: it may hold the URL.
delivery judge(receiver_kind kind, const kcontrol::result<kcontrol::http::response>& answer);

}  // namespace training_monitor::notices

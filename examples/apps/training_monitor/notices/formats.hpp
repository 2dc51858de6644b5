// What goes to a receiver. Pure functions.
#pragma once

#include <kcontrol/http/message.hpp>

#include "notices/config.hpp"

#include <string>
#include <string_view>

namespace training_monitor::notices {

/// The text of a notice for a receiver: its template's, else message.hpp's. What comes from clusters can't act there,
/// such as by mentioning everybody.
/// Feishu: '<' and '>' become their full-width forms. Slack: '&', '<' and '>' become entities.
std::string render_text(const receiver_config& to, const notice& n);

/// The id of who is mentioned: what the receiver has for the job's label; empty: nobody. Of one cause somebody is
/// mentioned once.
std::string mentioned(const receiver_config& to, const notice& n);

/// The JSON of a notice for webhooks and commands.
std::string notice_json(const receiver_config& to, const notice& n);

/// The request that notifies an HTTP receiver; `now` goes into signatures. `in_thread` is what the receiver called the
/// first message of the notice's thread, where it said so; it may be empty.
kcontrol::http::request make_request(const receiver_config& to, const notice& n, kcontrol::wall_time now,
                                     std::string_view in_thread = {});

/// What a webhook's signature header holds: "v1=" and HMAC-SHA256 of "v1:TIMESTAMP:BODY" in hexadecimal.
std::string webhook_signature(std::string_view secret, std::string_view timestamp, std::string_view body);

/// Feishu's `sign`: base64 of HMAC-SHA256 of nothing, keyed with timestamp, line feed and secret.
std::string feishu_sign(std::string_view secret, std::string_view timestamp);

}  // namespace training_monitor::notices

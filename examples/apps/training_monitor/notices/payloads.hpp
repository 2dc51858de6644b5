// The bodies of the messages to services, within their limits. Pure functions.
#pragma once

#include <kcontrol/runtime/time.hpp>

#include "notices/config.hpp"
#include "notices/message.hpp"

#include <cstddef>
#include <string>
#include <string_view>

namespace training_monitor::notices {

/// Feishu's limit for a body is 20 KB; longer texts are cut.
inline constexpr std::size_t most_feishu_bytes = 20000;
/// Slack cuts texts at 40,000 characters, and refuses a section of more than 3,000 and a header of more than 150.
/// https://docs.slack.dev/reference/block-kit/blocks
inline constexpr std::size_t most_slack_bytes = 16000;
inline constexpr std::size_t most_slack_section = 2800;  // a mention has room
/// The limit is 28 KB, and less was seen to be refused.
/// https://learn.microsoft.com/en-us/microsoftteams/platform/webhooks-and-connectors/how-to/add-incoming-webhook
inline constexpr std::size_t most_teams_bytes = 20000;
/// Of characters. A body of 512 KB is refused, which this is far from.
/// https://developer.pagerduty.com/docs/events-api-v2/trigger-events
inline constexpr std::size_t most_pagerduty_summary = 1024;

/// How a service writes what message.hpp says. What comes from clusters can't act there.
message_form form_of(const receiver_config& to);

std::string feishu_json(const receiver_config& to, const notice& n, kcontrol::wall_time now);
/// `in_thread` is the `ts` of the message that this one answers; empty: none.
std::string slack_json(const receiver_config& to, const notice& n, std::string_view in_thread);
std::string teams_json(const receiver_config& to, const notice& n);
/// A notice of trouble triggers, another one resolves; PagerDuty drops what resolves nothing.
std::string pagerduty_json(const receiver_config& to, const notice& n);

}  // namespace training_monitor::notices

// What a notice says, before a receiver's form is known: a title, lines, links. Pure functions.
#pragma once

#include <kcontrol/runtime/time.hpp>

#include "notices/notice.hpp"

#include <functional>
#include <string>
#include <string_view>
#include <vector>

namespace training_monitor::notices {

/// Whether somebody should look: it failed, or lasts too long, or can't be seen.
enum class tone { bad, good, plain };
tone tone_of(const notice& n);

/// As the rule says, else by what it is about.
severity severity_of(const notice& n);

/// "14 h", "3 h 12 min".
std::string length_text(std::int64_t seconds);

/// One line of at most 1,000 bytes, control characters as spaces.
std::string one_line(std::string_view text);

/// "✗ nlp/solo-run failed after 14 h (8 GPUs, fra-h100)"; "✗ 50 jobs failed on gpu-3 (400 GPUs, fra-h100)".
std::string title_of(const notice& n);

/// Why, and what an exception says, each a line; of a notice with members the first jobs' names.
std::vector<std::string> lines_of(const notice& n);

/// How a receiver writes a message.
struct message_form {
    std::function<std::string(std::string_view)> escape;  ///< what comes from clusters
    std::function<std::string(kcontrol::wall_time)> time;
    std::function<std::string(std::string_view url, std::string_view name)> link;
    std::string_view log_begin, log_end;  ///< around the log's lines
    bool title = true, links = true;      ///< false: they stand elsewhere
};

/// The whole message. No text of a cluster's can act in it.
std::string message_text(const notice& n, const message_form& form);

}  // namespace training_monitor::notices

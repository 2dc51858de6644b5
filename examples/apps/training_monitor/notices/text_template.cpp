#include "notices/text_template.hpp"

#include <kcontrol/base/log.hpp>
#include <kcontrol/base/trim.hpp>
#include <kcontrol/values/time.hpp>

#include "notices/message.hpp"

#include <algorithm>
#include <array>
#include <chrono>

namespace training_monitor::notices {
namespace {

using kcontrol::errc;
using kcontrol::error;

constexpr std::size_t most_template_bytes = 4096;

// In the order of the enumeration.
constexpr std::array<std::string_view, 20> field_names{
    "cluster",  "namespace", "name",    "kind", "uid",    "state",  "previous", "reason", "message",  "gpus",
    "duration", "time",      "changes", "url",  "lasted", "change", "title",    "jobs",   "severity", "runbook"};

std::string all_fields() {
    std::string out;
    for (const auto name : field_names) out.append(out.empty() ? "." : ", .").append(name);
    return out;
}

// Of at most that many bytes, cut between characters.
std::string_view cut(std::string_view text, std::size_t most) {
    if (text.size() <= most) return text;
    while (most > 0 && (static_cast<unsigned char>(text[most]) & 0xc0U) == 0x80U) --most;
    return text.substr(0, most);
}

std::string duration_text(const notice& n) {
    const auto seconds = duration_seconds(*n.job, n.at);
    return seconds ? length_text(*seconds) : "";
}

std::string lasted_text(const notice& n) {
    const auto seconds = std::chrono::duration_cast<std::chrono::seconds>(n.lasted).count();
    return seconds > 0 ? " for " + length_text(seconds) : "";
}

// "Running -> Failed", "has been Pending for 20 min", of a cluster that is back "is Live again after 5 min".
std::string change_text(const notice& n) {
    const std::string state(n.condition == job_condition::none ? n.to_text() : to_string(n.condition));
    const std::string lasted = lasted_text(n);
    if (lasted.empty()) return std::string(n.from_text()) + " -> " + state;
    if (n.cluster_to == "Live") return "is Live again after" + lasted.substr(4);
    return "has been " + state + lasted;
}

}  // namespace

std::string field_text(template_field field, const notice& n) {
    const job_view& job = *n.job;
    switch (field) {
    case template_field::cluster: return one_line(job.cluster);
    case template_field::namespace_: return one_line(job.namespace_);
    case template_field::name: return one_line(job.name);
    case template_field::kind: return one_line(job.kind);
    case template_field::uid: return one_line(job.uid);
    case template_field::state:
        return std::string(n.condition == job_condition::none ? n.to_text() : to_string(n.condition));
    case template_field::previous: return std::string(n.from_text());
    case template_field::reason: return one_line(job.reason);
    case template_field::message: return one_line(message_of(job));
    case template_field::gpus: return std::to_string(job.gpus);
    case template_field::duration: return duration_text(n);
    case template_field::time: return kcontrol::format_time(n.at);
    case template_field::changes: return std::to_string(n.changes);
    case template_field::url: return n.link;
    case template_field::lasted: return lasted_text(n);
    case template_field::change: return change_text(n);
    case template_field::title: return one_line(title_of(n));
    case template_field::jobs: return std::to_string(n.members.size() + 1);
    case template_field::level: return std::string(to_string(severity_of(n)));
    case template_field::runbook: return n.runbook;
    }
    return {};
}

kcontrol::result<text_template> text_template::parse(std::string_view text) {
    const auto bad = [](std::string what) { return error(errc::invalid_config, std::move(what)); };
    if (text.size() > most_template_bytes) return bad("the text is longer than 4096 bytes");
    text_template out;
    for (std::size_t at = 0; at < text.size();) {
        const auto open = text.find("{{", at);
        piece next;
        next.literal = text.substr(at, open == std::string_view::npos ? open : open - at);
        if (open == std::string_view::npos) {
            out.pieces_.push_back(std::move(next));
            break;
        }
        const auto close = text.find("}}", open);
        if (close == std::string_view::npos) {
            return bad("the {{ at byte " + std::to_string(open) + " is not closed: write {{ .name }}");
        }
        const auto inside = kcontrol::trim_blanks(text.substr(open + 2, close - open - 2), kcontrol::line_blanks);
        const auto name = inside.starts_with('.') ? inside.substr(1) : std::string_view();
        const auto found = std::find(field_names.begin(), field_names.end(), name);
        if (found == field_names.end()) {
            return bad("{{ " + kcontrol::escape_control(cut(inside, 100)) + " }} is not a field; there are " +
                       all_fields());
        }
        next.field = static_cast<template_field>(found - field_names.begin());
        out.pieces_.push_back(std::move(next));
        at = close + 2;
    }
    return out;
}

std::string text_template::render(const notice& n, const std::function<std::string(std::string_view)>& escape) const {
    std::string out;
    for (const auto& each : pieces_) {
        out += each.literal;
        if (each.field) out += escape(field_text(*each.field, n));
    }
    while (out.ends_with('\n')) out.pop_back();
    return out;
}

}  // namespace training_monitor::notices

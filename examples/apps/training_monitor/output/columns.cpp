#include "output/columns.hpp"

#include <kcontrol/base/display_width.hpp>
#include <kcontrol/base/log.hpp>

#include <algorithm>
#include <utility>

namespace training_monitor {
namespace {

constexpr std::string_view ellipsis = "…";
constexpr std::string_view plain = "\x1b[0m", bold = "\x1b[1m", reversed = "\x1b[7m";

// The last column gives others no reason to give way once it has this much; nor do names, down to `least_name`.
constexpr std::size_t last_wanted = 30, last_least = 10, least_name = 10;

using cells = std::vector<std::string>;

// Which columns are shown, and how wide.
struct plan {
    std::vector<std::size_t> shown, widths;
};

std::size_t needed(const plan& p, std::size_t least_of_last) {
    std::size_t sum = 0;
    for (std::size_t i = 0; i < p.shown.size(); ++i) {
        sum += i + 1 == p.shown.size() ? std::min(p.widths[i], least_of_last) : p.widths[i] + 2;
    }
    return sum;
}

// Columns give way until there is room, those of least worth first; then names are cut.
void make_room(plan& p, const std::vector<column>& columns, std::size_t room) {
    while (needed(p, last_wanted) > room) {
        const auto least = std::min_element(p.shown.begin(), p.shown.end(), [&](std::size_t a, std::size_t b) {
            return columns[a].worth < columns[b].worth;
        });
        if (columns[*least].worth == column::stays) break;
        p.widths.erase(p.widths.begin() + (least - p.shown.begin()));
        p.shown.erase(least);
    }
    for (std::size_t i = 0; i < p.shown.size(); ++i) {
        const std::size_t all = needed(p, last_least);
        if (!columns[p.shown[i]].shrinks || all <= room) continue;
        const std::size_t least = std::min(p.widths[i], least_name);
        p.widths[i] = std::max(least, p.widths[i] - std::min(p.widths[i], all - room));
    }
}

plan plan_of(const std::vector<column>& columns, const std::vector<cells>& lines, const text_layout& layout,
             std::size_t margin) {
    plan out;
    for (std::size_t at = 0; at < columns.size(); ++at) {
        out.shown.push_back(at);
        out.widths.push_back(0);
        for (const auto& line : lines) out.widths[at] = std::max(out.widths[at], width(line[at]));
    }
    if (layout.columns() != 0 && !layout.wide()) {
        make_room(out, columns, layout.columns() - std::min(margin, layout.columns()));
    }
    return out;
}

// A line without colors, and where in it the state stands: nowhere if it is cut.
struct line {
    std::string text;
    std::size_t state = 0, state_begin = 0, state_end = 0;
};

line line_of(const plan& p, const std::vector<column>& columns, const cells& row, std::size_t margin,
             const text_layout& layout) {
    line out{std::string(margin, ' ')};
    for (std::size_t i = 0; i < p.shown.size(); ++i) {
        const std::size_t at = p.shown[i];
        const std::string cell = columns[at].shrinks ? cut_middle(row[at], p.widths[i]) : row[at];
        if (columns[at].is_state) out.state = at, out.state_begin = out.text.size();
        out.text += cell;
        if (columns[at].is_state) out.state_end = out.text.size();
        if (i + 1 < p.shown.size()) out.text.append(p.widths[i] - width(cell) + 2, ' ');
    }
    const std::string whole = std::exchange(out.text, cut(out.text, layout.columns()));
    if (out.text.compare(0, out.state_end, whole, 0, out.state_end) != 0) out.state_end = 0;
    while (out.text.size() > margin && out.text.ends_with(' ')) out.text.pop_back();
    return out;
}

}  // namespace

std::size_t width(std::string_view text) noexcept {
    std::size_t out = 0;
    while (!text.empty()) {
        const std::size_t escape = std::min(text.find('\x1b'), text.size());
        out += kcontrol::display_width(text.substr(0, escape));
        text.remove_prefix(escape);
        if (!text.empty()) text.remove_prefix(std::min(text.find('m'), text.size() - 1) + 1);
    }
    return out;
}

std::string cut(std::string_view text, std::size_t columns) {
    if (columns == 0 || width(text) <= columns) return std::string(text);
    return std::string(kcontrol::display_prefix(text, columns - 1)).append(ellipsis);
}

std::string cut_middle(std::string_view text, std::size_t columns) {
    if (columns == 0 || width(text) <= columns) return std::string(text);
    const std::size_t end = (columns - 1) / 2;
    std::string out(kcontrol::display_prefix(text, columns - 1 - end));
    return out.append(ellipsis).append(kcontrol::display_suffix(text, end));
}

std::vector<std::string> wrap(std::string_view text, std::size_t columns) {
    std::vector<std::string> out;
    do {
        std::size_t bytes = kcontrol::display_prefix(text, columns).size();
        std::size_t skipped = 0;
        if (bytes < text.size()) {
            const auto space = text.substr(0, bytes + 1).rfind(' ');
            if (space != std::string_view::npos && space != 0) bytes = space, skipped = 1;
        }
        if (bytes == 0) bytes = kcontrol::first_display_unit(text).bytes;
        out.emplace_back(text.substr(0, bytes));
        text.remove_prefix(bytes + skipped);
    } while (!text.empty());
    return out;
}

std::string_view mark_of(std::string_view state) noexcept {
    if (state == "Failed" || state == "failed" || state == "unreachable") return "!";
    if (state == "Restarting" || state == "degraded") return "~";
    if (state == "Running" || state == "live") return "+";
    if (state == "Succeeded") return "*";
    if (state == "Suspended") return "=";
    return "?";
}

std::string_view color_of(std::string_view state) noexcept {
    if (state == "Failed" || state == "failed" || state == "unreachable") return "\x1b[1;31m";
    if (state == "Restarting" || state == "degraded") return "\x1b[33m";
    if (state == "Running" || state == "live") return "\x1b[32m";
    if (state == "Succeeded") return "\x1b[36m";
    return "\x1b[35m";
}

std::string colored(std::string_view text, std::string_view color, const text_layout& layout) {
    std::string out(layout.color() ? color : std::string_view());
    return out.append(text).append(layout.color() ? plain : std::string_view());
}

void text_table::add(std::vector<std::string> row) {
    for (auto& cell : row) cell = kcontrol::escape_control(cell);
    rows_.push_back(std::move(row));
}

std::vector<std::string> text_table::lines(const text_layout& layout, std::optional<std::size_t> selected) const {
    cells titles;
    for (const auto& c : columns_) titles.push_back((c.is_state && layout.marks() ? "  " : "") + std::string(c.title));
    std::vector<cells> shown{std::move(titles)};
    for (const auto& row : rows_) {
        cells& line = shown.emplace_back(row);
        for (std::size_t at = 0; at < columns_.size(); ++at) {
            if (columns_[at].is_state && layout.marks()) line[at] = std::string(mark_of(row[at])) + " " + row[at];
        }
    }
    const std::size_t margin = selected ? 2 : 0;
    const plan p = plan_of(columns_, shown, layout, margin);
    std::vector<std::string> out{colored(line_of(p, columns_, shown[0], margin, layout).text, bold, layout)};
    for (std::size_t n = 0; n < rows_.size(); ++n) {
        line l = line_of(p, columns_, shown[n + 1], margin, layout);
        if (selected == n) {
            l.text[0] = '>';
            if (layout.columns() != 0) l.text.append(layout.columns() - width(l.text), ' ');
            out.push_back(colored(l.text, reversed, layout));
            continue;
        }
        if (layout.color() && l.state_end != 0) {
            l.text.insert(l.state_end, plain).insert(l.state_begin, color_of(rows_[n][l.state]));
        }
        out.push_back(std::move(l.text));
    }
    return out;
}

}  // namespace training_monitor

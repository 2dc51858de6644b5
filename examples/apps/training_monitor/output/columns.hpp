// Text in columns, as a terminal shows it: how wide it is, where it is cut, and which columns give way where there is
// no room. Pure functions.
#pragma once

#include <cstddef>
#include <limits>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

namespace training_monitor {

/// How text is laid out.
class text_layout {
public:
    text_layout() = default;

    /// More columns, nothing cut short.
    text_layout& wide(bool on) { return wide_ = on, *this; }
    /// ANSI colors.
    text_layout& color(bool on) { return color_ = on, *this; }
    /// A sign before each state, so that no state is told by its color alone.
    text_layout& marks(bool on) { return marks_ = on, *this; }
    /// Cut lines to so many; 0: don't.
    text_layout& columns(std::size_t n) { return columns_ = n, *this; }

    bool wide() const noexcept { return wide_; }
    bool color() const noexcept { return color_; }
    bool marks() const noexcept { return marks_; }
    std::size_t columns() const noexcept { return columns_; }

private:
    bool wide_ = false, color_ = false, marks_ = false;
    std::size_t columns_ = 0;
};

/// The columns of a terminal that a text takes, by kcontrol::display_width(); escape sequences of colors take none.
std::size_t width(std::string_view text) noexcept;

/// At most so many columns of a text without escape sequences; what is cut ends with an ellipsis, or has it in the
/// middle. 0 columns: all of it.
std::string cut(std::string_view text, std::size_t columns);
std::string cut_middle(std::string_view text, std::size_t columns);

/// A text without escape sequences as lines of at most so many columns (1 or more), broken at spaces where there are
/// some.
std::vector<std::string> wrap(std::string_view text, std::size_t columns);

/// The sign of a state of a job, a cluster or a pod, and the escape sequence of its color.
std::string_view mark_of(std::string_view state) noexcept;
std::string_view color_of(std::string_view state) noexcept;
/// A text in a color, if the layout has colors.
std::string colored(std::string_view text, std::string_view color, const text_layout& layout);

/// A column of a table.
struct column {
    static constexpr int stays = std::numeric_limits<int>::max();

    std::string_view title;
    int worth = stays;      ///< where a terminal is narrow, the one that is worth least gives way first
    bool is_state = false;  ///< has the color and the mark of what it says
    bool shrinks = false;   ///< is cut in the middle when no column is left that could give way
};

/// A table whose first line is its columns' titles. The last column gets what is left of the room. Cells are escaped,
/// so that no name or message steers the terminal.
class text_table {
public:
    explicit text_table(std::vector<column> columns) : columns_(std::move(columns)) {}

    /// A cell a column.
    void add(std::vector<std::string> cells);

    /// The lines. That of the `selected` row begins with '>', the others with a blank, if there is a selection at all.
    std::vector<std::string> lines(const text_layout& layout, std::optional<std::size_t> selected = {}) const;

private:
    std::vector<column> columns_;
    std::vector<std::vector<std::string>> rows_;
};

}  // namespace training_monitor

// A table of comma-separated values whose columns are found by their names in the first line.
#pragma once

#include "messages.hpp"

#include <cstddef>
#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

namespace gpu_scheduler {

/// The rows of a file. Values have no quotes and no commas.
///
/// Thread-safety: shared objects safe for const access. Object lifetime: the text outlives it.
class csv_table {
public:
    /// A row, to read values from.
    class row {
    public:
        /// The text in that column. The column must be one of those that parse() was given.
        std::string_view text(std::string_view column) const;
        /// A whole number from `least` to `most`. Errors: FILE:LINE, column, value and range.
        result<std::int64_t> number(std::string_view column, std::int64_t least, std::int64_t most) const;
        /// An error about this row: "FILE:LINE: COLUMN: …".
        kcontrol::error wrong(std::string_view column, std::string_view why) const;

    private:
        friend class csv_table;
        const csv_table* table_ = nullptr;
        std::size_t line_ = 0;
        std::vector<std::string_view> values_;
    };

    /// Reads all rows. Empty lines are passed over. Errors: a column that is missing or there twice, a row with another
    /// number of values, each with FILE:LINE.
    static result<csv_table> parse(std::string file, std::string_view text,
                                   const std::vector<std::string_view>& columns);

    std::size_t size() const noexcept { return rows_.size(); }  ///< how many rows there are
    row at(std::size_t place) const;                            ///< the row at that place, from 0

private:
    struct line {
        std::size_t number;
        std::vector<std::string_view> values;
    };
    std::string file_;
    std::vector<std::string_view> header_;
    std::vector<line> rows_;
};

}  // namespace gpu_scheduler

#include "trace/csv.hpp"

#include <algorithm>
#include <utility>

namespace gpu_scheduler {
namespace {

// The front of the text up to the separator, which is taken off with it.
std::string_view take_until(std::string_view& text, char separator) {
    const auto end = text.find(separator);
    const auto out = text.substr(0, end);
    text.remove_prefix(end == std::string_view::npos ? text.size() : end + 1);
    return out;
}

std::vector<std::string_view> split(std::string_view line) {
    std::vector<std::string_view> out;
    const auto commas = std::ranges::count(line, ',');
    for (std::ptrdiff_t i = 0; i <= commas; ++i) out.push_back(take_until(line, ','));
    return out;
}

}  // namespace

result<csv_table> csv_table::parse(std::string file, std::string_view text,
                                   const std::vector<std::string_view>& columns) {
    csv_table out;
    out.file_ = std::move(file);
    for (std::size_t number = 1; !text.empty(); ++number) {
        auto line = take_until(text, '\n');
        if (line.ends_with('\r')) line.remove_suffix(1);
        if (line.empty()) continue;
        auto values = split(line);
        const auto where = out.file_ + ":" + std::to_string(number) + ": ";
        if (out.header_.empty()) {
            for (const auto column : columns) {
                const auto times = std::ranges::count(values, column);
                if (times == 0) return bad_value(where + "column " + in_quotes(column) + " is missing");
                if (times > 1) return bad_value(where + "column " + in_quotes(column) + " is there twice");
            }
            out.header_ = std::move(values);
        } else if (values.size() != out.header_.size()) {
            return bad_value(where + std::to_string(values.size()) + " values, but the first line names " +
                             std::to_string(out.header_.size()) + " columns");
        } else {
            out.rows_.push_back({number, std::move(values)});
        }
    }
    if (out.header_.empty()) return bad_value(out.file_ + ":1: the line with the names of the columns is missing");
    return out;
}

csv_table::row csv_table::at(std::size_t place) const {
    row out;
    out.table_ = this;
    out.line_ = rows_[place].number;
    out.values_ = rows_[place].values;
    return out;
}

std::string_view csv_table::row::text(std::string_view column) const {
    const auto found = std::ranges::find(table_->header_, column);
    return values_[static_cast<std::size_t>(found - table_->header_.begin())];
}

result<std::int64_t> csv_table::row::number(std::string_view column, std::int64_t least, std::int64_t most) const {
    const auto said = text(column);
    const auto out = whole_number(said);
    if (out && *out >= least && *out <= most) return *out;
    return wrong(column,
                 in_quotes(said) + " is no whole number from " + std::to_string(least) + " to " + std::to_string(most));
}

kcontrol::error csv_table::row::wrong(std::string_view column, std::string_view why) const {
    return bad_value(table_->file_ + ":" + std::to_string(line_) + ": " + std::string(column) + ": " +
                     std::string(why));
}

}  // namespace gpu_scheduler

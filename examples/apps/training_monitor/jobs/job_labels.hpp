// A job's labels in one string: most are only kept, and there may be hundreds of thousands of jobs.
#pragma once

#include <optional>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

namespace training_monitor {

/// The labels of an object, as "key=value\n" for each. Neither '=' nor a line's end can be in a key or value.
///
/// Thread-safety: distinct objects safe; shared objects safe for const access.
class job_labels {
public:
    job_labels() = default;
    /// From pairs of key and value; `labels` is sorted by key, as the library's dict is.
    template <class Labels>
    static job_labels from(const Labels& labels) {
        job_labels out;
        std::size_t size = 0;
        for (const auto& [key, value] : labels)
            size += std::string_view(key).size() + std::string_view(value).size() + 2;
        out.text_.reserve(size);
        for (const auto& [key, value] : labels) {
            out.text_.append(std::string_view(key)).append(1, '=').append(std::string_view(value)).append(1, '\n');
        }
        return out;
    }

    bool empty() const noexcept { return text_.empty(); }

    /// The value of a key, or nothing.
    std::optional<std::string_view> find(std::string_view key) const {
        for (std::string_view rest = text_; !rest.empty();) {
            const auto [name, value] = next(rest);
            if (name == key) return value;
        }
        return std::nullopt;
    }

    /// All of them, by key.
    std::vector<std::pair<std::string_view, std::string_view>> all() const {
        std::vector<std::pair<std::string_view, std::string_view>> out;
        for (std::string_view rest = text_; !rest.empty();) out.push_back(next(rest));
        return out;
    }

    friend bool operator==(const job_labels&, const job_labels&) = default;

private:
    static std::pair<std::string_view, std::string_view> next(std::string_view& rest) {
        const std::string_view line = rest.substr(0, rest.find('\n'));
        rest.remove_prefix(line.size() + 1);
        const auto equals = line.find('=');
        return {line.substr(0, equals), line.substr(equals + 1)};
    }

    std::string text_;
};

}  // namespace training_monitor

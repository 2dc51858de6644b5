// The names that a template may use, and the values behind them.
#pragma once

#include <initializer_list>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

namespace follow::mustache {

/// What a template is rendered from: texts, and lists of the same.
class object {
public:
    object() = default;

    object& text(std::string name, std::string value) {
        texts_.emplace_back(std::move(name), std::move(value));
        return *this;
    }
    object& list(std::string name, std::vector<object> items) {
        lists_.emplace_back(std::move(name), std::move(items));
        return *this;
    }

    /// Null: there is none of that name.
    const std::string* find_text(std::string_view name) const noexcept { return find(texts_, name); }
    const std::vector<object>* find_list(std::string_view name) const noexcept { return find(lists_, name); }

private:
    template <class Value>
    static const Value* find(const std::vector<std::pair<std::string, Value>>& all, std::string_view name) noexcept {
        for (const auto& [key, value] : all) {
            if (key == name) return &value;
        }
        return nullptr;
    }

    std::vector<std::pair<std::string, std::string>> texts_;
    std::vector<std::pair<std::string, std::vector<object>>> lists_;
};

/// The names that there are: a template with another one is refused when it is read, not rendered with a gap.
class names {
public:
    /// `list`: the name of the one list; `texts`: what each of its items has.
    names(std::string_view list, std::initializer_list<std::string_view> texts) : list_(list), texts_(texts) {}

    std::string_view list() const noexcept { return list_; }
    const std::vector<std::string_view>& texts() const noexcept { return texts_; }

private:
    std::string_view list_;
    std::vector<std::string_view> texts_;
};

}  // namespace follow::mustache

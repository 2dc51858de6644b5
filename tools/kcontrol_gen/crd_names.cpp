#include "crd_names.hpp"

#include "naming.hpp"

#include <algorithm>
#include <string_view>

namespace kcontrol_gen {
namespace {

bool says_little(std::string_view name) {
    static constexpr std::string_view words[] = {"item",  "items", "key_ref", "metadata", "object", "ref",
                                                 "rules", "spec",  "status",  "template", "value",  "x"};
    return std::ranges::find(words, name) != std::end(words);
}

std::string common_tail(const std::string& a, const std::string& b) {
    std::size_t length = 0;
    std::size_t whole = 0;  // words only
    while (length < a.size() && length < b.size() && a[a.size() - 1 - length] == b[b.size() - 1 - length]) {
        ++length;
        const bool begins_a = length == a.size() || a[a.size() - 1 - length] == '_';
        const bool begins_b = length == b.size() || b[b.size() - 1 - length] == '_';
        if (begins_a && begins_b) whole = length;
    }
    return a.substr(a.size() - whole);
}

/// The name of the object at words[0..end), with the members above before it while it says little.
std::string short_name(const std::vector<std::string>& words) {
    auto name = words.back();
    for (std::size_t i = words.size() - 1; i > 0 && says_little(words[i]); --i) name = words[i - 1] + '_' + name;
    return name;
}

}  // namespace

std::string family_of(std::string_view member) {
    std::size_t start = member.size();
    do {
        const auto before = start == 0 ? std::string_view::npos : member.rfind('_', start - 1);
        if (start == member.size() && before == std::string_view::npos) return std::string(member);
        start = before == std::string_view::npos ? 0 : before;
    } while (start > 0 && says_little(member.substr(start + 1)));
    return std::string(start == 0 ? member : member.substr(start + 1));
}

std::string name_of_type(const std::vector<std::vector<std::string>>& paths, std::set<std::string>& taken) {
    auto tail = short_name(paths.front());
    for (const auto& words : paths) tail = common_tail(tail, short_name(words));
    if (tail.empty() || says_little(tail)) tail = short_name(paths.front());
    auto wanted = identifier(tail);
    if (taken.insert(wanted).second) return wanted;
    // With what is above it, up to the kind.
    const auto& words = paths.front();
    std::string longer = words.back();
    for (std::size_t i = words.size() - 1; i > 0; --i) {
        longer = words[i - 1] + '_' + longer;
        if (says_little(words[i - 1]) && i > 1) continue;
        wanted = identifier(longer);
        if (taken.insert(wanted).second) return wanted;
    }
    return unique(std::move(wanted), taken);
}

}  // namespace kcontrol_gen

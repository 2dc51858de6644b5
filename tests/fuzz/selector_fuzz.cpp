// What is read as a selector is printed as one that means the same.
#include <kcontrol/model/selector.hpp>

#include "require.hpp"

#include <cstdint>
#include <map>
#include <string>

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
    using namespace kcontrol;
    using fuzz::require;
    const std::string_view text(reinterpret_cast<const char*>(data), size);
    if (const auto labels = label_selector::parse(text)) {
        const auto again = label_selector::parse(labels->to_string());
        require(again && again->to_string() == labels->to_string());
        const std::map<std::string, std::string> objects[] = {{}, {{"a", "b"}}, {{"a", "3"}, {"b", ""}}};
        for (const auto& object : objects) require(again->matches(object) == labels->matches(object));
    } else {
        require(!labels.error().message().empty());
    }
    if (const auto fields = field_selector::parse(text)) {
        const auto again = field_selector::parse(fields->to_string());
        require(again && *again == *fields);
    } else {
        require(!fields.error().message().empty());
    }
    return 0;
}

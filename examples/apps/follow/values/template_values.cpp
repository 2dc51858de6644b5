#include "values/template_values.hpp"

#include "values/host_port.hpp"

#include <algorithm>

namespace follow {
namespace {

bool is_word(std::string_view text) {
    return std::all_of(text.begin(), text.end(), [](char c) {
        return (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || (c >= '0' && c <= '9') || c == '.' || c == ':' ||
               c == '-' || c == '_' || c == '/';
    });
}

std::string word(const std::string& text) { return is_word(text) ? text : std::string(); }

}  // namespace

const mustache::names& template_names() {
    static const mustache::names all("endpoints", {"address", "port", "hostPort", "zone", "node", "pod", "last"});
    return all;
}

mustache::object template_values(const view& from) {
    std::vector<const endpoint*> ready;
    for (const auto& one : from.endpoints) {
        if (one.ready && !one.address.empty() && is_word(one.address)) ready.push_back(&one);
    }
    std::vector<mustache::object> items;
    for (const auto* one : ready) {
        mustache::object item;
        item.text("address", one->address).text("port", one->port == 0 ? "" : std::to_string(one->port));
        item.text("hostPort", host_port(one->address, one->port));
        item.text("zone", word(one->zone)).text("node", word(one->node)).text("pod", word(one->pod));
        item.text("last", one == ready.back() ? "true" : "");
        items.push_back(std::move(item));
    }
    mustache::object out;
    out.list("endpoints", std::move(items));
    return out;
}

}  // namespace follow

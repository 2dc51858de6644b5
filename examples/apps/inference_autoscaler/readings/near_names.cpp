#include "readings/near_names.hpp"

#include <kcontrol/base/in_quotes.hpp>

#include <algorithm>
#include <numeric>
#include <utility>

namespace inference_autoscaler {
namespace {

// Levenshtein's distance, in one row.
std::size_t distance_between(std::string_view a, std::string_view b) {
    std::vector<std::size_t> row(b.size() + 1);
    std::iota(row.begin(), row.end(), std::size_t{0});
    for (std::size_t i = 0; i < a.size(); ++i) {
        std::size_t before = std::exchange(row[0], i + 1);
        for (std::size_t j = 0; j < b.size(); ++j) {
            const std::size_t changed = before + (a[i] != b[j]);
            before = row[j + 1];
            row[j + 1] = std::min({changed, row[j] + 1, before + 1});
        }
    }
    return row.back();
}

}  // namespace

std::vector<std::string> near_names(std::string_view wanted, const std::vector<std::string>& known) {
    const std::size_t most = std::max<std::size_t>(wanted.size() / 3, 2);
    std::vector<std::pair<std::size_t, std::string>> found;
    for (const auto& name : known) {
        if (std::max(name.size(), wanted.size()) - std::min(name.size(), wanted.size()) > most) continue;
        if (const auto distance = distance_between(wanted, name); distance <= most) found.emplace_back(distance, name);
    }
    std::sort(found.begin(), found.end());
    std::vector<std::string> out;
    for (auto& [distance, name] : found) {
        if (out.size() < 3) out.push_back(std::move(name));
    }
    return out;
}

std::string never_seen_words(std::string_view wanted, const std::vector<std::string>& known) {
    std::string out = "there is no metric " + kcontrol::in_quotes(wanted);
    const auto near = near_names(wanted, known);
    for (const auto& name : near) out += (&name == &near.front() ? "; near: " : ", ") + name;
    return out + (near.empty() ? ", nor one of a similar name" : "");
}

}  // namespace inference_autoscaler

#include "node/refused_marks.hpp"

#include <kcontrol/model/names.hpp>

#include <algorithm>
#include <iterator>

namespace gpu_labeler {
namespace {

using kcontrol::result;

struct mark {
    bool annotation;
    std::string key;
    std::string value;
};

std::vector<mark> list_of(const node_marks& marks) {
    std::vector<mark> out;
    for (const auto& [key, value] : marks.labels) out.push_back({false, key, value});
    for (const auto& [key, value] : marks.annotations) out.push_back({true, key, value});
    return out;
}

using range = std::pair<std::size_t, std::size_t>;

node_marks part_of(const std::vector<mark>& all, range part) {
    node_marks out;
    for (auto i = part.first; i < part.second; ++i) {
        (all[i].annotation ? out.annotations : out.labels)[all[i].key] = all[i].value;
    }
    return out;
}

}  // namespace

std::vector<refused_mark> take_invalid(node_marks& marks) {
    std::vector<refused_mark> out;
    for (auto at = marks.labels.begin(); at != marks.labels.end();) {
        auto problems = kcontrol::check_label_key(at->first);
        auto of_value = kcontrol::check_label_value(at->second);
        std::move(of_value.begin(), of_value.end(), std::back_inserter(problems));
        if (problems.empty()) {
            ++at;
            continue;
        }
        out.push_back({at->first, at->second, kcontrol::join_problems(problems)});
        at = marks.labels.erase(at);
    }
    return out;
}

kcontrol::awaitable<result<std::vector<refused_mark>>> find_refused(node_marks marks, try_function ask,
                                                                    std::stop_token stop) {
    const auto all = list_of(marks);
    std::vector<refused_mark> out;
    // First nothing at all, which is refused where it is not about marks; then halves, of those halves.
    std::vector<range> open{{0, 0}};
    while (!open.empty()) {
        const auto part = open.back();
        open.pop_back();
        const auto size = part.second - part.first;
        const auto taken = co_await ask(part_of(all, part), stop);
        const bool refused = !taken && taken.error() == kcontrol::api_errc::invalid;
        if (!taken && !refused) co_return taken.error();
        if (size == 0) {
            if (refused) co_return out;
            open.emplace_back(0, all.size());
        } else if (refused && size == 1) {
            const auto& one = all[part.first];
            out.push_back({one.key, one.value, taken.error().message()});
        } else if (refused) {
            const auto middle = part.first + size / 2;
            open.emplace_back(part.first, middle);
            open.emplace_back(middle, part.second);
        }
    }
    co_return out;
}

bool refusals::note(const refused_mark& mark) {
    refused_.emplace(mark.key, mark.value);
    return is_news(mark);
}

node_marks refusals::without(node_marks marks) const {
    const auto refused = [this](const auto& mark) { return refused_.contains({mark.first, mark.second}); };
    std::erase_if(marks.labels, refused);
    std::erase_if(marks.annotations, refused);
    return marks;
}

}  // namespace gpu_labeler

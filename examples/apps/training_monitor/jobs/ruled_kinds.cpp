#include "jobs/ruled_kinds.hpp"

#include <kcontrol/codec/dynamic_object.hpp>

#include "jobs/kind_file.hpp"
#include "jobs/kind_names.hpp"

#include <algorithm>
#include <utility>

namespace training_monitor {
namespace {

using kind_list = std::vector<std::shared_ptr<const ruled_kind>>;

kind_list& all_kinds() {
    static kind_list all = [] {
        kind_list out;
        auto rules = read_kind_file(shipped_kinds());
        for (auto& rule : rules.value()) out.push_back(std::make_shared<const ruled_kind>(std::move(rule)));
        return out;
    }();
    return all;
}

}  // namespace

ruled_kind::ruled_kind(kind_rule of) : rule(std::move(of)) {
    for (const auto& name : rule.versions) {
        versions.push_back(
            {kcontrol::dynamic_resource({rule.group, name, rule.kind}, rule.plural), rule.group + "/" + name});
    }
}

const kind_list& ruled_kinds() { return all_kinds(); }

const ruled_kind* find_ruled_kind(std::string_view name) {
    for (const auto& kind : all_kinds()) {
        if (kind->rule.name == name) return kind.get();
    }
    return nullptr;
}

kcontrol::result<std::unique_ptr<extra_kinds>> extra_kinds::read(std::string_view text) {
    auto rules = read_kind_file(text);
    if (!rules) return rules.error();
    std::string taken;
    for (std::size_t i = 0; i < rules->size(); ++i) {
        const auto& name = (*rules)[i].name;
        if (find_kind(name).empty()) continue;
        taken.append(taken.empty() ? "" : "\n").append("kinds[").append(std::to_string(i)).append("].name: \"");
        taken.append(name).append("\" is a kind that this program knows; give it another name");
    }
    if (!taken.empty()) return kcontrol::error(kcontrol::errc::invalid_config, std::move(taken));
    std::unique_ptr<extra_kinds> out(new extra_kinds());
    for (auto& rule : *rules) {
        out->names_.push_back(rule.name);
        all_kinds().push_back(std::make_shared<const ruled_kind>(std::move(rule)));
    }
    return out;
}

extra_kinds::~extra_kinds() {
    std::erase_if(all_kinds(), [&](const auto& kind) {
        return std::find(names_.begin(), names_.end(), kind->rule.name) != names_.end();
    });
}

}  // namespace training_monitor

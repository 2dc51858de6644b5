#pragma once

#include <kcontrol/multicluster/divided_source.hpp>

namespace kcontrol::inline v0_1 {

KCONTROL_DECL divided_source::divided_source(std::shared_ptr<cluster_source> whole, divided_source_options options)
    : whole_(std::move(whole)), options_(std::move(options)) {}

KCONTROL_DECL result<void> divided_source::start(std::function<void(std::vector<desired_cluster>)> on_change) {
    if (!whole_) return error(errc::invalid_argument, "divided_source: there is no source of clusters to divide");
    std::vector<cluster_part> parts;
    for (std::size_t i = 0; i < options_.parts(); ++i) {
        auto part = shard_selector::part(options_.by(), i, options_.parts());
        if (!part) return part.error().with_context("divided_source_options::parts()");
        parts.emplace_back(part->to_string(), options_.undivided());
    }
    if (parts.empty()) {
        return error(errc::invalid_argument, "divided_source_options::parts() is 0: give 1 or more");
    }
    return whole_->start([parts = std::move(parts), tell = std::move(on_change)](std::vector<desired_cluster> whole) {
        std::vector<desired_cluster> out;
        for (const desired_cluster& one : whole) {
            for (std::size_t i = 0; i < parts.size(); ++i) {
                out.push_back(one);
                out.back().name += "#" + std::to_string(i);
                out.back().part = parts[i];
            }
        }
        tell(std::move(out));
    });
}

KCONTROL_DECL void divided_source::stop() {
    if (whole_) whole_->stop();
}

}  // namespace kcontrol

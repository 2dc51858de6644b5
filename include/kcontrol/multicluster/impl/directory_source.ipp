#pragma once

#include <kcontrol/multicluster/detail/kubeconfig_watch.hpp>
#include <kcontrol/multicluster/directory_source.hpp>
#include <kcontrol/multicluster/impl/scan_directory.ipp>

#include <algorithm>
#include <string>
#include <utility>
#include <vector>

namespace kcontrol::inline v0_1 {

struct directory_source::impl {
    using findings = std::vector<directory_tracker::finding>;

    impl(environment& e, std::string p, auth::trust t, logger l)
        : env(e), path(std::move(p)), level(std::move(t)), log(std::move(l)) {}

    result<findings> look() {
        std::vector<std::string> passed_over;
        auto found = detail::scan_kubeconfigs(env, path, level, passed_over);
        if (!found) return found;
        for (const std::string& file : passed_over) {
            if (std::find(told.begin(), told.end(), file) == told.end()) detail::tell_passed_over(log, file);
        }
        told = std::move(passed_over);
        return found;
    }

    environment& env;
    std::string path;
    auth::trust level;
    logger log;
    std::vector<std::string> told;  // files that were passed over at the last look
    std::shared_ptr<detail::kubeconfig_watch> watch;
};

KCONTROL_DECL directory_source::directory_source(environment& env, executor ex, std::string path, auth::trust level,
                                                 logger log)
    : impl_(std::make_shared<impl>(env, std::move(path), std::move(level), std::move(log))) {
    impl_->watch = std::make_shared<detail::kubeconfig_watch>(
        env, std::move(ex), impl_->path,
        [weak = std::weak_ptr(impl_)]() -> result<impl::findings> {
            const auto self = weak.lock();
            return self ? self->look() : impl::findings();
        },
        "on_change() of a directory_source", impl_->path, impl_->log);
}

KCONTROL_DECL directory_source::~directory_source() { stop(); }

KCONTROL_DECL result<void> directory_source::start(std::function<void(std::vector<desired_cluster>)> on_change) {
    if (!impl_->watch->runs()) impl_->told.clear();
    return impl_->watch->start(std::move(on_change));
}

KCONTROL_DECL void directory_source::stop() { impl_->watch->stop(); }

}  // namespace kcontrol

#pragma once

#include <kcontrol/multicluster/detail/kubeconfig_watch.hpp>
#include <kcontrol/multicluster/directory_source.hpp>
#include <kcontrol/multicluster/scan_directory.hpp>

#include <utility>

namespace kcontrol::inline v0_1 {

KCONTROL_DECL directory_source::directory_source(environment& env, executor ex, std::string path, auth::trust level,
                                                 logger log)
    : impl_(std::make_shared<detail::kubeconfig_watch>(
          env, std::move(ex), path, [&env, path, level, log] { return scan_directory(env, path, level, log); },
          "on_change() of a directory_source", path, log)) {}

KCONTROL_DECL directory_source::~directory_source() { stop(); }

KCONTROL_DECL result<void> directory_source::start(std::function<void(std::vector<desired_cluster>)> on_change) {
    return impl_->start(std::move(on_change));
}

KCONTROL_DECL void directory_source::stop() { impl_->stop(); }

}  // namespace kcontrol

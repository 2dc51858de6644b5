#pragma once

#include <kcontrol/multicluster/context_source.hpp>
#include <kcontrol/multicluster/detail/kubeconfig_watch.hpp>
#include <kcontrol/multicluster/detail/printable_name.hpp>

#include <algorithm>
#include <set>

namespace kcontrol::inline v0_1 {
namespace detail {

inline std::string directory_of(const std::string& path) {
    const auto slash = path.rfind('/');
    if (slash == std::string::npos) return ".";
    return slash == 0 ? "/" : path.substr(0, slash);
}

}  // namespace detail

struct context_source::impl {
    using findings = std::vector<directory_tracker::finding>;

    impl(environment& e, std::string p, context_source_options o) : env(e), path(std::move(p)), options(std::move(o)) {}

    static error printable(const error& why) { return error(why.code(), escape_control(why.message())); }

    result<auth::kubeconfig> read() const {
        const auto text = env.read_regular_file(path, auth::kubeconfig::max_bytes);
        if (!text) return printable(text.error());
        auto parsed = auth::kubeconfig::parse(*text, path, options.trust());
        if (!parsed) return printable(parsed.error());
        return parsed;
    }

    result<findings> look() {
        const auto file = read();
        findings found;
        if (!file) {
            if (present.empty()) return file.error();
            for (const auto& name : present) found.emplace_back(detail::printable_name(name), file.error());
            return found;
        }
        const auto there = file->context_names();
        present.clear();
        for (const auto& name : options.contexts().empty() ? there : options.contexts()) {
            const bool is_there = std::find(there.begin(), there.end(), name) != there.end();
            // One that was there has been removed; one that never was is a slip of whoever asked for it.
            if (!is_there && ever.contains(name)) continue;
            if (is_there) ever.insert(name);
            auto config = file->resolve(env, name);
            if (!config) config = printable(config.error());
            found.emplace_back(detail::printable_name(name), std::move(config));
            present.push_back(name);
        }
        return found;
    }

    environment& env;
    std::string path;
    context_source_options options;
    std::vector<std::string> present;  // when the file was understood last
    std::set<std::string> ever;        // in the file since start()
    std::shared_ptr<detail::kubeconfig_watch> watch;
};

KCONTROL_DECL context_source::context_source(environment& env, executor ex, std::string path,
                                             context_source_options options)
    : impl_(std::make_shared<impl>(env, std::move(path), std::move(options))) {
    impl_->watch = std::make_shared<detail::kubeconfig_watch>(
        env, std::move(ex), detail::directory_of(impl_->path),
        [weak = std::weak_ptr(impl_)]() -> result<impl::findings> {
            const auto self = weak.lock();
            return self ? self->look() : impl::findings();
        },
        "on_change() of a context_source", impl_->path, impl_->options.log());
}

KCONTROL_DECL context_source::~context_source() { stop(); }

KCONTROL_DECL result<void> context_source::start(std::function<void(std::vector<desired_cluster>)> on_change) {
    if (!impl_->watch->runs()) {
        impl_->present.clear();
        impl_->ever.clear();
    }
    return impl_->watch->start(std::move(on_change));
}

KCONTROL_DECL void context_source::stop() { impl_->watch->stop(); }

}  // namespace kcontrol

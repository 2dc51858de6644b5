// Which exec plugins may run, by the user's own preferences: kubectl's file kuberc.
#pragma once

#include <kcontrol/auth/cluster_config.hpp>
#include <kcontrol/runtime/environment.hpp>

#include <optional>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

namespace kcontrol::inline v0_1::auth {

/// What a kuberc says of exec plugins: `credentialPluginPolicy` and `credentialPluginAllowlist`. It restricts trusted
/// kubeconfigs as well; trust::allow_programs() is the program's own list. All else in the file is ignored.
///
/// Thread-safety: distinct objects safe; shared objects safe for const access.
class plugin_policy {
public:
    plugin_policy() = default;  ///< any plugin may run

    /// Of the text of a kuberc. `origin` is how errors name it. Source: kubectl.config.k8s.io/v1beta1 and v1alpha1;
    /// client-go, ValidatePluginPolicy.
    /// Errors: invalid_config, for what client-go refuses, and for a text without such a Preference.
    static KCONTROL_DECL result<plugin_policy> parse(std::string_view text, const std::string& origin);

    /// Of the file that kubectl reads: `path`, which must be there; where it is empty, $KUBERC, or ~/.kube/kuberc if
    /// there is one. KUBERC=off and KUBECTL_KUBERC=false say that none is read.
    /// Errors: those of parse(), and file_failed. kubectl only warns of a file that it looked for by itself.
    static KCONTROL_DECL result<plugin_policy> load(environment& env, const std::string& path = {});

    /// The absolute paths that may run; nothing: any. A name is looked for in the directories of $PATH, and stands for
    /// the programs of that name in all of them.
    KCONTROL_DECL std::optional<std::vector<std::string>> programs(const environment& env) const;

    /// Leaves the plugin of a configuration, if it has one, no other programs than these. Those that a trust allows
    /// stay the only ones.
    KCONTROL_DECL void restrict(cluster_config& config, const environment& env) const;

private:
    std::optional<std::vector<std::string>> commands_;  // as they are written
};

}  // namespace kcontrol::auth

#ifdef KCONTROL_HEADER_ONLY
#include <kcontrol/auth/impl/plugin_policy.ipp>
#endif

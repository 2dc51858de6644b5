// Where the labels go, opened as the options have it.
#pragma once

#include <kcontrol/base/log.hpp>
#include <kcontrol/base/result.hpp>
#include <kcontrol/client/client.hpp>
#include <kcontrol/runtime/environment.hpp>
#include <kcontrol/runtime/executor.hpp>

#include "node/label_store.hpp"
#include "options.hpp"

#include <memory>
#include <optional>
#include <stop_token>
#include <string>

namespace gpu_labeler {

class opened_store {
public:
    explicit opened_store(std::unique_ptr<label_store> s) : store(std::move(s)) {}

    std::unique_ptr<label_store> store;
    /// Its token shows that the Node was registered again; empty where that would make no difference.
    std::string token_file;
    std::optional<kcontrol::client> api;     ///< by which it writes, if it writes to an API server
    std::optional<kcontrol::client> health;  ///< by which the health of the GPUs is reported, with --report-health
};

/// --output. Errors: how the API server can't be reached, or the missing namespace, with the flag.
kcontrol::result<opened_store> open_store(kcontrol::environment& env, kcontrol::executor ex, const options& o,
                                          const kcontrol::logger& log);

/// --report-health: opened_store::health. It is the store's client, if that has one: their requests are counted
/// together. Errors: how the API server can't be reached.
kcontrol::result<void> open_health(opened_store& opened, kcontrol::environment& env, kcontrol::executor ex,
                                   const options& o, const kcontrol::logger& log);

/// --cleanup: removes what this program wrote. Returns the exit status; errors are logged.
/// Object lifetime: the store outlives the coroutine.
kcontrol::awaitable<int> clean_up(opened_store& opened, std::string node, kcontrol::logger log, std::stop_token stop);

}  // namespace gpu_labeler

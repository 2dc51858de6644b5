// The files that serving needs (certificate, key, CA, tokens), read at the start and again when they change.
#pragma once

#include <kcontrol/base/result.hpp>
#include <kcontrol/runtime/environment.hpp>
#include <kcontrol/transport/server_tls.hpp>

#include "guarded_serving/access_options.hpp"
#include "guarded_serving/bearer_tokens.hpp"

#include <optional>

namespace guarded_serving {

/// What stands in the files.
struct serving_secrets {
    std::optional<kcontrol::http::server_tls> tls;
    bearer_tokens tokens;
};

/// Reads every file that the options name. Errors: name the flag, the file and what is wrong with it; no secret. That
/// certificate and key belong together is found out by the server that takes them.
kcontrol::result<serving_secrets> read_serving_files(kcontrol::environment& env, const access_options& o);

}  // namespace guarded_serving

// Stands before a handler and compresses its answers with gzip, for readers that accept it.
#pragma once

#include <kcontrol/http/handler.hpp>

namespace training_monitor {

/// Compressed are answers with status 200 that are a page, JSON or plain text: whole ones of 1 KiB or more, and such as
/// come in pieces. An event stream is not, for proxies that undo it collect events; and what says `Cache-Control:
/// no-transform` is not. What may be compressed says `Vary: Accept-Encoding` in either form, and its ETag, if it has
/// one, is weak where it is.
///
/// Why this gives no secret away (BREACH: who adds to a text, and sees how long it is when compressed, guesses the rest
/// of it). An answer holds nothing of whoever asks: no token, no cookie, no word of the request. Its page can't be made
/// to ask by another site (guarded_serving/). What the cluster's users wrote stands beside what others of them wrote;
/// so logs and objects as YAML, where credentials may be that no mask knows, say no-transform.
kcontrol::http::handler compressed(kcontrol::http::handler inner);

/// An answer that is to be sent as it is.
void keep_as_it_is(kcontrol::http::response& answer);

}  // namespace training_monitor

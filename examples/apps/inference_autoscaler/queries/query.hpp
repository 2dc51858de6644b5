// What is sent to a Prometheus server and what its answers mean. Pure functions.
// Source: https://prometheus.io/docs/prometheus/latest/querying/api/
#pragma once

#include <kcontrol/base/result.hpp>
#include <kcontrol/http/message.hpp>

#include "readings/reading.hpp"

#include <chrono>
#include <string>
#include <string_view>
#include <variant>
#include <vector>

namespace inference_autoscaler {

/// What {namespace}, {name} and {pods} stand for in a query.
struct query_words {
    std::string namespace_;         ///< of the scaler
    std::string name;               ///< of the target
    std::vector<std::string> pods;  ///< names of its ready pods
};

/// The query with its words. `{pods}` becomes a regular expression that needs no quoting in any of PromQL's strings;
/// without pods it is "-", which no pod is named. What the words contain is not replaced again.
std::string fill_query(std::string_view query, const query_words& words);

/// An instant query. `max_age`: samples that are older do not count (lookback_delta). `prefix` stands before the API's
/// path. A long query is sent as a form.
kcontrol::http::request instant_query(std::string_view prefix, std::string_view query, std::chrono::seconds max_age);

using known_or_missing = std::variant<double, missing_reading>;

/// The one number of an answer to an instant query. Anything else is missing: what is no JSON, an error of the server
/// (with its words), a redirect, no series, more than one, a native histogram, NaN, an infinity.
known_or_missing read_instant(const kcontrol::http::response& answer);

/// Why there is no answer at all.
missing_reading missing_because(const kcontrol::error& failure);

/// The names of the metrics that a query selects by name, in order of appearance. A query that does not parse gives
/// what can be told.
std::vector<std::string> metric_names(std::string_view query);

/// Asks for the names of all metrics.
kcontrol::http::request names_query(std::string_view prefix);
/// Errors: protocol_error for what is no list of names.
kcontrol::result<std::vector<std::string>> read_names(const kcontrol::http::response& answer);

}  // namespace inference_autoscaler

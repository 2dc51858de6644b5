// What is accepted must survive a round trip and must not smuggle anything into a request line.
#include <kcontrol/http/message.hpp>
#include <kcontrol/http/url.hpp>

#include "require.hpp"

#include <cstdint>
#include <string>
#include <string_view>

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
    namespace http = kcontrol::http;
    using kcontrol::fuzz::require;
    const std::string_view text(reinterpret_cast<const char*>(data), size);

    if (const auto url = http::parse_base_url(text)) {
        require(http::is_valid_target(url->path_prefix + "/"));
        const auto again = http::parse_base_url(http::to_string(url->endpoint) + url->path_prefix);
        require(again && *again == *url);
    }
    if (const auto segment = http::encode_path_segment(text)) {
        require(http::is_valid_target("/" + *segment));
        const auto segments = http::split_path("/" + *segment);
        require(segments && segments->size() == 1 && segments->front() == text);
    }
    const auto decoded = http::percent_decode(http::percent_encode(text));
    require(decoded && *decoded == text);

    http::query_builder query;
    const auto pairs = http::parse_query(text);
    for (const auto& [name, value] : pairs) query.append(name, value);
    require(http::parse_query(query.text()) == pairs);
    require(http::is_valid_target(query.after("/")));
    return 0;
}

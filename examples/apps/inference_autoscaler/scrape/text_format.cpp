#include "scrape/text_format.hpp"

#include <kcontrol/base/in_quotes.hpp>

#include <algorithm>
#include <charconv>

namespace inference_autoscaler {
namespace {

constexpr bool is_name_char(char c, bool first) noexcept {
    const bool digit = c >= '0' && c <= '9';
    return (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || c == '_' || c == ':' || (digit && !first);
}

// What is left of a line. A reader that fails leaves `ok` false.
struct line_cursor {
    std::string_view rest;
    bool ok = true;

    void skip_blanks() {
        const auto at = rest.find_first_not_of(" \t");
        rest.remove_prefix(std::min(at, rest.size()));
    }
    bool take(char c) {
        if (!rest.starts_with(c)) return false;
        rest.remove_prefix(1);
        return true;
    }
    std::string_view name() {
        std::size_t n = 0;
        while (n < rest.size() && is_name_char(rest[n], n == 0)) ++n;
        ok = ok && n > 0;
        const auto out = rest.substr(0, n);
        rest.remove_prefix(n);
        return out;
    }
    std::string quoted() {
        std::string out;
        for (ok = ok && take('"'); ok && !rest.starts_with('"'); rest.remove_prefix(1)) {
            const bool escaped = rest.starts_with('\\');
            if (escaped) rest.remove_prefix(1);
            ok = !rest.empty() && (!escaped || rest[0] == 'n' || rest[0] == '\\' || rest[0] == '"');
            if (!ok) return out;
            out += escaped && rest[0] == 'n' ? '\n' : rest[0];
        }
        take('"');
        return out;
    }
    double number() {
        skip_blanks();
        auto word = rest.substr(0, rest.find_first_of(" \t"));
        rest.remove_prefix(word.size());
        if (word.starts_with('+')) word.remove_prefix(1);
        double out = 0;
        const auto [end, failed] = std::from_chars(word.data(), word.data() + word.size(), out);
        ok = ok && failed == std::errc() && end == word.data() + word.size();
        return out;
    }
};

void read_labels(line_cursor& in, std::map<std::string, std::string>& out) {
    in.skip_blanks();
    while (in.ok && !in.take('}')) {
        std::string label(in.name());
        in.skip_blanks();
        in.ok = in.ok && in.take('=');
        in.skip_blanks();
        std::string value = in.quoted();
        in.ok = in.ok && out.emplace(std::move(label), std::move(value)).second;
        in.skip_blanks();
        const bool more = in.take(',');
        in.skip_blanks();
        in.ok = in.ok && (more || in.rest.starts_with('}'));
    }
}

}  // namespace

kcontrol::result<metrics_text> read_metrics(std::string_view text, const std::set<std::string, std::less<>>& wanted) {
    metrics_text out;
    for (std::size_t number = 1; !text.empty(); ++number) {
        const auto end = std::min(text.find('\n'), text.size());
        line_cursor in{text.substr(0, end)};
        text.remove_prefix(std::min(end + 1, text.size()));
        if (in.rest.ends_with('\r')) in.rest.remove_suffix(1);
        in.skip_blanks();
        if (in.rest.empty() || in.rest.starts_with('#')) continue;
        const auto line = in.rest;
        metric_sample sample;
        const auto name = in.name();
        in.skip_blanks();
        if (in.ok && in.take('{')) read_labels(in, sample.labels);
        sample.value = in.number();
        in.skip_blanks();
        if (!in.rest.empty()) in.number();  // the time
        in.skip_blanks();
        if (!in.ok || !in.rest.empty()) {
            return kcontrol::error(kcontrol::errc::decode_failed,
                                   "line " + std::to_string(number) + " is no sample: " + kcontrol::in_quotes(line));
        }
        if (out.names.empty() || out.names.back() != name) out.names.emplace_back(name);
        if (!wanted.contains(name)) continue;
        sample.name = name;
        out.samples.push_back(std::move(sample));
    }
    return out;
}

}  // namespace inference_autoscaler

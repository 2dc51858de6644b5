#pragma once

#include <kcontrol/schema/impl/pattern_set.hpp>
#include <kcontrol/schema/pattern_search.hpp>

#include <cstddef>

namespace kcontrol::inline v0_1 {

KCONTROL_DECL result<std::vector<std::string>> find_pattern(std::string_view pattern, std::string_view text,
                                                            std::int64_t most) {
    detail::pattern_set patterns;
    if (const std::string fault = patterns.fault(pattern); !fault.empty()) {
        return error(errc::invalid_argument, "invalid pattern \"" + std::string(pattern) + "\": " + fault);
    }
    std::vector<std::string> out;
#ifndef KCONTROL_WITHOUT_RE2
    re2::RE2::Options options;
    options.set_log_errors(false);
    const re2::RE2 compiled(re2::StringPiece(pattern.data(), pattern.size()), options);
    const re2::StringPiece all(text.data(), text.size());
    std::size_t from = 0, last_end = text.size() + 1;
    while (from <= text.size() && (most < 0 || out.size() < static_cast<std::size_t>(most))) {
        re2::StringPiece found;
        if (!compiled.Match(all, from, text.size(), re2::RE2::UNANCHORED, &found, 1)) break;
        const auto begin = static_cast<std::size_t>(found.data() - text.data());
        const std::size_t end = begin + found.size();
        // As in Go, an empty match right behind another one does not count.
        if (end != begin || end != last_end) out.emplace_back(text.substr(begin, end - begin));
        last_end = end;
        from = end;
        if (end == begin) {
            ++from;
            while (from < text.size() && (static_cast<unsigned char>(text[from]) & 0xC0U) == 0x80U) ++from;
        }
    }
#endif
    return out;
}

}  // namespace kcontrol

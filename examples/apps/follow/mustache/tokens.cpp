#include "mustache/tokens.hpp"

#include <kcontrol/base/trim.hpp>

#include "messages.hpp"

#include <algorithm>
#include <optional>

namespace follow::mustache {
namespace {

using kcontrol::result;
constexpr std::string_view blanks = " \t";

// Cuts one template; a class, as a tag's end depends on what was before it on its line.
class splitter {
public:
    splitter(std::string_view text, const std::string& file) : all_(text), file_(file) {}

    result<std::vector<token>> run() {
        while (at_ < all_.size()) {
            const auto open = std::min(all_.find("{{", at_), all_.size());
            if (open == all_.size()) {
                add_text(open);
                break;
            }
            if (const auto done = read_tag(open); !done) return done.error();
        }
        return std::move(out_);
    }

private:
    result<void> read_tag(std::size_t open) {
        const auto line = line_of(open);
        const bool triple = all_.substr(open, 3) == "{{{";
        const auto begin = open + (triple ? 3 : 2);
        const std::string_view end_mark = triple ? "}}}" : "}}";
        const auto end = all_.find(end_mark, begin);
        if (end == all_.npos) {
            return error_at(line, "the tag that begins here has no " + std::string(end_mark) + "; close it");
        }
        const auto inside = kcontrol::trim_blanks(all_.substr(begin, end - begin));
        const auto after = end + end_mark.size();
        const char sign = inside.empty() || triple ? '\0' : inside.front();
        if (sign == '>' || sign == '=') {
            return error_at(line, in_quotes(all_.substr(open, after - open)) +
                                      (sign == '>' ? ": partials are not supported; write the text here"
                                                   : ": other delimiters are not supported; use {{ and }}"));
        }
        const bool is_block = sign == '#' || sign == '^' || sign == '/' || sign == '!';
        if (is_block) {
            take_line(open, after);
        } else {
            add_text(open);
            at_ = after;
        }
        if (sign == '!') return {};
        token out;
        out.kind = is_block ? sign : 'v';
        out.text = is_block || sign == '&' ? kcontrol::trim_blanks(inside.substr(1)) : inside;
        out.line = line;
        if (out.text.empty() || out.text.find_first_of(" \t\r\n{}") != out.text.npos) {
            return error_at(line, in_quotes(all_.substr(open, after - open)) + " has no name; write {{address}}");
        }
        out_.push_back(out);
        return {};
    }

    // A tag that is alone on its line goes with the blanks around it and the line's end.
    void take_line(std::size_t open, std::size_t after) {
        const auto before = all_.substr(0, open).find_last_not_of(blanks);
        const bool starts = before == all_.npos || all_[before] == '\n';
        const auto behind = std::min(all_.find_first_not_of(blanks, after), all_.size());
        const bool ends = behind == all_.size() || all_[behind] == '\n' || all_.substr(behind, 2) == "\r\n";
        if (!starts || !ends) {
            add_text(open);
            at_ = after;
            return;
        }
        add_text(before == all_.npos ? 0 : before + 1);
        at_ = behind == all_.size() ? behind : all_.find('\n', behind) + 1;
    }

    void add_text(std::size_t end) {
        if (end > at_) {
            token out;
            out.text = all_.substr(at_, end - at_);
            out.line = line_of(at_);
            out_.push_back(out);
        }
        at_ = std::max(at_, end);
    }

    std::size_t line_of(std::size_t place) const {
        const auto text = all_.substr(0, place);
        return 1 + static_cast<std::size_t>(std::count(text.begin(), text.end(), '\n'));
    }

    kcontrol::error error_at(std::size_t line, const std::string& what) const {
        return bad_argument(file_ + ":" + std::to_string(line) + ": " + what);
    }

    std::string_view all_;
    const std::string& file_;
    std::size_t at_ = 0;
    std::vector<token> out_;
};

}  // namespace

result<std::vector<token>> split_tags(std::string_view text, const std::string& file) {
    return splitter(text, file).run();
}

}  // namespace follow::mustache

#include "mustache/document.hpp"

#include "messages.hpp"
#include "mustache/node.hpp"
#include "mustache/tokens.hpp"

#include <algorithm>

namespace follow::mustache {
namespace {

using kcontrol::result;

std::string listed(const std::vector<std::string_view>& all) {
    std::string out;
    for (std::size_t i = 0; i < all.size(); ++i) {
        if (i > 0) out += i + 1 == all.size() ? " and " : ", ";
        out += all[i];
    }
    return out;
}

// Builds the tree of nodes from the tokens, and checks each name where it stands.
class builder {
public:
    builder(const std::vector<token>& tokens, const std::string& file, const names& known)
        : tokens_(tokens), file_(file), known_(known) {}

    result<std::vector<node>> run() {
        while (at_ < tokens_.size()) {
            const token& next = tokens_[at_++];
            const auto done = next.kind == 't'   ? add(node(node_kind::text, std::string(next.text)))
                              : next.kind == 'v' ? variable(next)
                              : next.kind == '/' ? close(next)
                                                 : open(next);
            if (!done) return done.error();
        }
        if (!open_.empty()) {
            const token& last = *open_.back().tag;
            return error_at(last, shown(last) + " has no {{/" + std::string(last.text) + "}}; close it");
        }
        return std::move(top_);
    }

private:
    // A section whose end has not come.
    class pending {
    public:
        pending(const token& t, node n) : tag(&t), section(std::move(n)) {}

        const token* tag;
        node section;
    };

    result<void> add(node n) {
        (open_.empty() ? top_ : open_.back().section.inner).push_back(std::move(n));
        return {};
    }

    result<void> variable(const token& next) {
        if (const auto done = check_text(next); !done) return done;
        return add(node(node_kind::variable, std::string(next.text)));
    }

    result<void> open(const token& next) {
        if (next.text != known_.list()) {
            if (const auto done = check_text(next); !done) return done;
        }
        if (next.kind == '#' && next.text == known_.list() && in_list()) {
            return error_at(next, shown(next) + " is inside another one; close that one first");
        }
        const auto kind = next.kind == '#' ? node_kind::section : node_kind::inverted;
        open_.emplace_back(next, node(kind, std::string(next.text)));
        return {};
    }

    result<void> close(const token& next) {
        if (open_.empty()) return error_at(next, shown(next) + " closes nothing; open it before, or remove it");
        const token& begin = *open_.back().tag;
        if (begin.text != next.text) {
            return error_at(next, shown(next) + " comes before the end of " + shown(begin) + " of line " +
                                      std::to_string(begin.line) + "; close that one first");
        }
        node done = std::move(open_.back().section);
        open_.pop_back();
        return add(std::move(done));
    }

    // A text belongs to an item of the list.
    result<void> check_text(const token& next) const {
        const auto& texts = known_.texts();
        const std::string list(known_.list());
        if (std::find(texts.begin(), texts.end(), next.text) == texts.end()) {
            return error_at(next, "no such name: " + in_quotes(next.text) + "; there are " + list +
                                      " and, inside of it, " + listed(texts));
        }
        if (!in_list()) {
            return error_at(next, shown(next) + " is a part of one of the " + list + "; write it between {{#" + list +
                                      "}} and {{/" + list + "}}");
        }
        return {};
    }

    bool in_list() const {
        return std::any_of(open_.begin(), open_.end(), [this](const pending& one) {
            return one.section.text == known_.list() && one.section.kind == node_kind::section;
        });
    }

    static std::string shown(const token& tag) {
        return "{{" + (tag.kind == 'v' ? std::string() : std::string(1, tag.kind)) + std::string(tag.text) + "}}";
    }

    kcontrol::error error_at(const token& where, const std::string& what) const {
        return bad_argument(file_ + ":" + std::to_string(where.line) + ": " + what);
    }

    const std::vector<token>& tokens_;
    const std::string& file_;
    const names& known_;
    std::size_t at_ = 0;
    std::vector<pending> open_;
    std::vector<node> top_;
};

void render_into(std::string& out, const std::vector<node>& nodes, const object& top, const object* item) {
    for (const node& each : nodes) {
        const auto* list = top.find_list(each.text);
        const auto* text = item ? item->find_text(each.text) : nullptr;
        const bool holds = list ? !list->empty() : text && !text->empty();
        switch (each.kind) {
        case node_kind::text: out += each.text; break;
        case node_kind::variable:
            if (text) out += *text;
            break;
        case node_kind::inverted:
            if (!holds) render_into(out, each.inner, top, item);
            break;
        case node_kind::section:
            if (list) {
                for (const object& one : *list) render_into(out, each.inner, top, &one);
            } else if (holds) {
                render_into(out, each.inner, top, item);
            }
            break;
        }
    }
}

}  // namespace

result<document> document::parse(std::string_view text, const std::string& file, const names& known) {
    const auto tokens = split_tags(text, file);
    if (!tokens) return tokens.error();
    auto nodes = builder(*tokens, file, known).run();
    if (!nodes) return nodes.error();
    return document(std::make_shared<const std::vector<node>>(std::move(*nodes)));
}

std::string document::render(const object& values) const {
    std::string out;
    render_into(out, *nodes_, values, nullptr);
    return out;
}

}  // namespace follow::mustache

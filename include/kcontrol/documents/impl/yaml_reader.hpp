// Reads YAML with libyaml: the events of its parser become values.
#pragma once

#include <kcontrol/base/log.hpp>
#include <kcontrol/documents/detail/yaml_scalar.hpp>
#include <kcontrol/documents/impl/json_pointer.hpp>
#include <kcontrol/documents/value.hpp>
#include <kcontrol/json/writer.hpp>

#include <yaml.h>

#include <algorithm>
#include <functional>
#include <map>
#include <string>

namespace kcontrol::inline v0_1::json::detail {

inline constexpr std::size_t yaml_max_depth = 64;
inline constexpr std::size_t yaml_max_aliases = 100;
inline constexpr std::size_t yaml_longest_path = 1024;  // whose line is kept

// Where the parts of a document are.
struct yaml_places {
    std::map<std::string, std::size_t, std::less<>> lines;  // by JSON Pointer, from 1: of the key, or of the element
    std::size_t failed_at = 0;                              // the line where reading ended; 0: it did not
    std::string problem;                                    // what is wrong there
};

inline std::string_view yaml_text(const yaml_char_t* text) noexcept {
    return text ? std::string_view(reinterpret_cast<const char*>(text)) : std::string_view();
}

// An event that frees itself.
class yaml_event {
public:
    yaml_event() = default;
    yaml_event(const yaml_event&) = delete;
    yaml_event& operator=(const yaml_event&) = delete;
    ~yaml_event() { yaml_event_delete(&event_); }

    yaml_event_t* get() noexcept { return &event_; }
    const yaml_event_t* operator->() const noexcept { return &event_; }

    std::string_view scalar() const noexcept {
        return {reinterpret_cast<const char*>(event_.data.scalar.value), event_.data.scalar.length};
    }
    bool is_plain() const noexcept { return event_.data.scalar.style == YAML_PLAIN_SCALAR_STYLE; }

private:
    yaml_event_t event_{};
};

// Roughly the memory a value takes; what aliases add is bounded by it.
inline std::size_t yaml_cost(const value& v) noexcept {
    std::size_t cost = sizeof(value);
    if (const auto* text = v.if_string()) {
        cost += text->size();
    } else if (const auto* list = v.if_array()) {
        for (const auto& element : *list) cost += yaml_cost(element);
    } else if (const auto* members = v.if_object()) {
        for (const auto& [name, member_value] : *members) cost += name.size() + yaml_cost(member_value);
    }
    return cost;
}

// Turns libyaml's events into values, one document at a time.
class yaml_reader {
public:
    // `places`, which may be null, is filled with the lines of the document read last.
    yaml_reader(std::string_view text, std::size_t max_alias_cost, yaml_places* places = nullptr)
        : text_(text), places_(places), alias_budget_(max_alias_cost) {
        if (!yaml_parser_initialize(&parser_)) throw std::bad_alloc();
        // libyaml aborts at a null pointer, which is what an empty view may have.
        const char* const bytes = text.empty() ? "" : text.data();
        yaml_parser_set_input_string(&parser_, reinterpret_cast<const unsigned char*>(bytes), text.size());
    }
    yaml_reader(const yaml_reader&) = delete;
    yaml_reader& operator=(const yaml_reader&) = delete;
    ~yaml_reader() { yaml_parser_delete(&parser_); }

    result<std::vector<value>> documents() {
        std::vector<value> out;
        for (;;) {
            yaml_event event;
            if (auto next = read(event); !next) return next.error();
            if (event->type == YAML_STREAM_END_EVENT) return out;
            if (event->type != YAML_DOCUMENT_START_EVENT) continue;  // stream start, document end
            anchors_.clear();
            if (places_ != nullptr) places_->lines.clear();
            yaml_event root;
            if (auto next = read(root); !next) return next.error();
            const bool empty = root->type == YAML_SCALAR_EVENT && root.is_plain() && root.scalar().empty();
            auto v = node_at(root, 0);
            if (!v) return v.error();
            if (!empty || !v->is_null()) out.push_back(std::move(*v));
        }
    }

private:
    error failed(std::string_view where, std::size_t line, std::string_view what) {
        if (places_ != nullptr) {
            places_->failed_at = line;
            places_->problem = what;
        }
        return error(errc::decode_failed, "YAML " + std::string(where) + ": " + std::string(what));
    }

    error failed(const yaml_mark_t& mark, std::string_view what) {
        const auto column = std::to_string(mark.column + 1);
        return failed("line " + std::to_string(mark.line + 1) + ", column " + column, mark.line + 1, what);
    }

    // The part below the present one begins here. Returns the length of the path before it.
    std::size_t enter(const yaml_mark_t& at, std::string_view name) {
        const std::size_t before = path_.size();
        if (places_ == nullptr) return before;
        path_.append("/").append(patch_escape_token(name));
        if (path_.size() <= yaml_longest_path) places_->lines.emplace(path_, at.line + 1);
        return before;
    }

    result<void> read(yaml_event& event) {
        if (yaml_parser_parse(&parser_, event.get())) return {};
        if (parser_.error == YAML_MEMORY_ERROR) return error(errc::too_large, "no memory for a YAML text of this size");
        const std::string problem = parser_.problem ? parser_.problem : "malformed";
        if (parser_.error == YAML_READER_ERROR) {
            const auto before = text_.substr(0, parser_.problem_offset);
            return failed("byte " + std::to_string(parser_.problem_offset),
                          static_cast<std::size_t>(std::count(before.begin(), before.end(), '\n')) + 1, problem);
        }
        return failed(parser_.problem_mark, parser_.context ? problem + " (" + parser_.context + ")" : problem);
    }

    result<value> node_at(const yaml_event& event, std::size_t depth) {
        switch (event->type) {
        case YAML_ALIAS_EVENT: return alias(event);
        case YAML_SCALAR_EVENT: return anchored(event->data.scalar.anchor, scalar(event));
        case YAML_SEQUENCE_START_EVENT:
        case YAML_MAPPING_START_EVENT: break;
        default: return failed(event->start_mark, "unexpected end");
        }
        if (depth == yaml_max_depth) return failed(event->start_mark, "nested deeper than 64 levels");
        if (event->type == YAML_SEQUENCE_START_EVENT) {
            return anchored(event->data.sequence_start.anchor, sequence(event, depth));
        }
        return anchored(event->data.mapping_start.anchor, mapping(event, depth));
    }

    result<value> anchored(const yaml_char_t* anchor, result<value> v) {
        if (anchor && v) anchors_.insert_or_assign(std::string(yaml_text(anchor)), *v);
        return v;
    }

    result<value> alias(const yaml_event& event) {
        // An anchor is known once its node is complete, so a node can't contain itself.
        const auto found = anchors_.find(std::string(yaml_text(event->data.alias.anchor)));
        if (found == anchors_.end()) return failed(event->start_mark, "alias of an anchor that is not known here");
        if (++aliases_ > yaml_max_aliases) return failed(event->start_mark, "more than 100 aliases");
        const std::size_t cost = yaml_cost(found->second);
        if (cost > alias_budget_) return failed(event->start_mark, "aliases multiply the text too much");
        alias_budget_ -= cost;
        return found->second;
    }

    result<value> scalar(const yaml_event& event) {
        auto v = yaml_resolve(event.scalar(), yaml_text(event->data.scalar.tag), event.is_plain());
        if (!v) return failed(event->start_mark, v.error().message());
        return v;
    }

    result<value> sequence(const yaml_event& start, std::size_t depth) {
        const auto tag = yaml_text(start->data.sequence_start.tag);
        if (!tag.empty() && tag != "!" && tag != YAML_SEQ_TAG) {
            return failed(start->start_mark, "tag that is not a core one on a sequence");
        }
        array out;
        for (;;) {
            yaml_event event;
            if (auto next = read(event); !next) return next.error();
            if (event->type == YAML_SEQUENCE_END_EVENT) return value(std::move(out));
            const auto outer = enter(event->start_mark, std::to_string(out.size()));
            auto element = node_at(event, depth + 1);
            if (!element) return element;
            path_.resize(outer);
            out.push_back(std::move(*element));
        }
    }

    result<value> mapping(const yaml_event& start, std::size_t depth) {
        const auto tag = yaml_text(start->data.mapping_start.tag);
        if (!tag.empty() && tag != "!" && tag != YAML_MAP_TAG) {
            return failed(start->start_mark, "tag that is not a core one on a mapping");
        }
        object out;
        std::vector<object> merged;
        bool has_merge = false;
        for (;;) {
            yaml_event key;
            if (auto next = read(key); !next) return next.error();
            if (key->type == YAML_MAPPING_END_EVENT) break;
            if (key->type != YAML_SCALAR_EVENT) return failed(key->start_mark, "key that is not a scalar");
            const bool merge = key.is_plain() && key.scalar() == "<<" && yaml_text(key->data.scalar.tag).empty();
            auto name = merge ? result<std::string>("<<") : key_text(key);
            if (!name) return name.error();

            yaml_event event;
            if (auto next = read(event); !next) return next.error();
            const auto outer = enter(key->start_mark, *name);
            auto v = node_at(event, depth + 1);
            if (!v) return v;
            path_.resize(outer);
            if (merge ? std::exchange(has_merge, true) : !out.emplace(*name, std::move(*v)).second) {
                return failed(key->start_mark, "key \"" + escape_control(name->substr(0, 80)) + "\" twice");
            }
            if (merge && !collect(std::move(*v), merged)) {
                return failed(event->start_mark, "\"<<\" needs a mapping, or a sequence of mappings");
            }
        }
        // A mapping's own keys win, then those merged first.
        for (object& source : merged) {
            for (auto& [name, member_value] : source) out.emplace(name, std::move(member_value));
        }
        return value(std::move(out));
    }

    // The mappings behind a merge key; false if it is anything else.
    static bool collect(value v, std::vector<object>& merged) {
        if (auto* single = v.if_object()) {
            merged.push_back(std::move(*single));
            return true;
        }
        auto* several = v.if_array();
        if (!several) return false;
        for (value& element : *several) {
            if (!element.is_object()) return false;
            merged.push_back(std::move(element.get_object()));
        }
        return true;
    }

    // Keys are resolved as values are, and then written as text: `on:` is "true", as kubectl has it.
    result<std::string> key_text(const yaml_event& event) {
        auto v = anchored(event->data.scalar.anchor, scalar(event));
        if (!v) return v.error();
        if (const auto* text = v->if_string()) return std::string(*text);
        if (v->is_null()) return failed(event->start_mark, "key that is null; put it in quotes");
        return serialize(*v);
    }

    std::string_view text_;
    yaml_places* places_;
    std::string path_;
    yaml_parser_t parser_{};
    std::map<std::string, value> anchors_;
    std::size_t aliases_ = 0;
    std::size_t alias_budget_;
};

}  // namespace kcontrol::json::detail

#include "program.hpp"

#include <kcontrol/documents/patch.hpp>
#include <kcontrol/documents/strict.hpp>
#include <kcontrol/version.hpp>

#include "documents.hpp"
#include "options.hpp"
#include "transcoder.hpp"

#include <istream>
#include <ostream>

namespace transcode {
namespace {

namespace json = kcontrol::json;
using kcontrol::errc;
using kcontrol::error;
using kcontrol::result;

std::string shown(const std::string& path) { return path == "-" ? "standard input" : path; }

/// Transcodes what comes, and keeps count of what failed.
class pipeline {
public:
    pipeline(const options& o, std::ostream& out, std::ostream& log)
        : options_(o), transcoder_(o), out_(out), log_(log) {}

    void add_file(const std::string& path, std::istream& in) {
        const auto text = read_file(path, in);
        if (!text) return fail(shown(path), text.error());
        const auto documents = split_documents(*text);
        if (!documents) return fail(shown(path), documents.error());
        std::size_t number = 0;
        for (const auto& document : *documents) {
            ++number;
            const std::string where =
                documents->size() == 1 ? shown(path) : shown(path) + ", document " + std::to_string(number);
            add_document(document, where);
        }
    }

    bool failed() const noexcept { return failed_; }

private:
    void add_document(const std::string& text, const std::string& where) {
        json::document document;
        const auto limits = json::strict_limits().max_bytes(text.size()).max_depth(256);
        const auto root = options_.strict ? json::parse_strict(document, text, limits) : document.parse(text);
        if (!root) return fail(where, root.error());
        if (!is_list(*root)) return add_object(*root, where);
        type_name implied;  // of a List, which holds any kinds, nothing is
        const json::node version = (*root)["apiVersion"];
        const std::string_view kind = (*root)["kind"].as_string();
        if (kind != "List") {
            if (version.is_string()) implied.api_version = version.as_string();
            implied.kind = kind.substr(0, kind.size() - std::string_view("List").size());
        }
        std::size_t index = 0;
        for (const json::node item : (*root)["items"].elements()) {
            add_object(item, where + ", items[" + std::to_string(index++) + "]", implied);
        }
    }

    // A kind whose name ends so and that has items: a List of any kinds, or what a server answers to a list.
    static bool is_list(json::node root) {
        if (!root.is_object() || !root["items"].is_array()) return false;
        const json::node kind = root["kind"];
        return kind.is_string() && kind.as_string().ends_with("List");
    }

    void add_object(json::node object, const std::string& where, const type_name& implied = {}) {
        if (options_.output != encoding::json && written_++ > 0) {
            return fail(where, error(errc::invalid_argument,
                                     "a second object: those in Protocol Buffers can't stand behind each other"));
        }
        const auto done = transcoder_.run(object, implied);
        if (!done) return fail(where + ": " + name_of(object, implied), done.error());
        out_ << *done;
        if (options_.output == encoding::json) out_ << '\n';
    }

    void fail(const std::string& where, const error& what) {
        failed_ = true;
        log_ << "kcontrol-transcode: " << where << ": " << what.message() << '\n';
    }

    const options& options_;
    transcoder transcoder_;
    std::ostream& out_;
    std::ostream& log_;
    bool failed_ = false;
    std::size_t written_ = 0;
};

result<json::value> read_one(const std::string& path, std::istream& in) {
    const auto text = read_file(path, in);
    if (!text) return text.error().with_context(shown(path));
    const auto documents = split_documents(*text);
    if (!documents) return documents.error().with_context(shown(path));
    if (documents->size() != 1) {
        return error(errc::invalid_argument,
                     shown(path) + ": expected one object, found " + std::to_string(documents->size()) + " documents");
    }
    auto value = json::parse(documents->front());
    if (!value) return value.error().with_context(shown(path));
    return value;
}

// A merge patch reads null as removal, so it can't write one.
bool holds_null(const json::value& v) {
    if (v.is_null()) return true;
    if (const auto* members = v.if_object()) {
        for (const auto& member : *members) {
            if (holds_null(member.value())) return true;
        }
    }
    return false;
}

int print_patch(const options& o, std::istream& in, std::ostream& out, std::ostream& log) {
    const auto from = read_one(o.files[0], in);
    if (!from) return log << "kcontrol-transcode: " << from.error().message() << '\n', 1;
    const auto to = read_one(o.files[1], in);
    if (!to) return log << "kcontrol-transcode: " << to.error().message() << '\n', 1;
    out << json::serialize(json::value(json::diff(*from, *to))) << '\n'
        << json::serialize(json::merge_diff(*from, *to)) << '\n';
    if (holds_null(*to))
        log << "kcontrol-transcode: " << shown(o.files[1]) << " holds a null, which a merge patch can't write\n";
    return 0;
}

}  // namespace

int run(const std::vector<std::string>& arguments, std::istream& in, std::ostream& out, std::ostream& log) {
    const auto parsed = parse_options(arguments);
    if (!parsed) {
        log << "kcontrol-transcode: " << parsed.error().message() << '\n';
        return 2;
    }
    switch (parsed->what) {
    case action::help: out << usage_text; return 0;
    case action::version: out << "kcontrol-transcode " KCONTROL_VERSION_STRING "\n"; return 0;
    case action::patch: return print_patch(*parsed, in, out, log);
    case action::transcode: break;
    }
    pipeline pipe(*parsed, out, log);
    for (const auto& file : parsed->files) pipe.add_file(file, in);
    out.flush();
    return pipe.failed() || !out ? 1 : 0;
}

}  // namespace transcode

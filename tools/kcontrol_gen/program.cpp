#include "program.hpp"

#include <kcontrol/version.hpp>

#include "condensed.hpp"
#include "emit.hpp"
#include "hand_over.hpp"
#include "input.hpp"
#include "live.hpp"
#include "naming.hpp"
#include "options.hpp"
#include "output.hpp"
#include "protobuf_fields.hpp"

#include <ostream>

namespace kcontrol_gen {
namespace {

using kcontrol::error;
using kcontrol::result;

result<void> write(const std::string& path, const std::string& text, std::ostream& out) {
    if (path != "-") return write_file(path, text);
    out << text;
    out.flush();
    if (!out) return error(kcontrol::errc::file_failed, "standard output can't be written");
    return {};
}

result<void> write_all(const std::string& root, const std::map<std::string, std::string>& files) {
    for (const auto& [path, text] : files) {
        const auto done = write_file(root + "/" + path, text);
        if (!done) return done.error();
    }
    return {};
}

result<void> write_builtin(const options& o, const schema& all) {
    const auto done = write_all(o.out, emit_builtin(all, compact_dialect()));
    if (!done || o.beta.empty()) return done;
    input from;
    const auto added = from.add_path(o.beta);
    if (!added) return added.error();
    const auto beta = from.finish();
    if (!beta) return beta.error();
    return write_all(o.out, emit_beta(*beta, all, compact_dialect()));
}

result<void> work_on_protobuf(const options& o, const schema& kinds, std::ostream& out) {
    const auto text = read_all(o.fields);
    if (!text) return text.error();
    const auto fields = read_protobuf_fields(*text, o.fields);
    if (!fields) return fields.error();
    const auto needed = needed_protobuf_fields(*fields, kinds);
    if (o.what == action::protobuf_condense) return write(o.out, write_protobuf_fields(needed), out);
    const auto files = emit_protobuf(needed, kinds);
    if (!files) return files.error();
    return write_all(o.out, *files);
}

result<void> work(const options& o, std::ostream& out, std::ostream& err) {
    input from;
    if (!o.kubeconfig.empty()) {
        const auto done = add_cluster(o.kubeconfig, o.context, o.inputs, from);
        if (!done) return done.error();
    } else {
        for (const auto& path : o.inputs) {
            const auto done = from.add_path(path);
            if (!done) return done.error();
        }
    }
    if (o.what == action::condense) return write(o.out, write_condensed(from.openapi()), out);
    const auto all = from.finish();
    if (!all) return all.error();
    if (o.what == action::builtin) return write_builtin(o, *all);
    if (!o.fields.empty()) return work_on_protobuf(o, *all, out);
    std::vector<remark> remarks;
    const auto text = emit_header(*all, compact_dialect(), o.name_space, remarks);
    for (const auto& each : remarks) err << "kcontrol-gen: " << printable(each.path) << ": " << each.reason << '\n';
    return write(o.out, text, out);
}

}  // namespace

int run(const std::vector<std::string>& arguments, std::ostream& out, std::ostream& err) {
    if (is_for_apiserver(arguments)) {
        const auto why = become_apiserver(arguments);
        err << "kcontrol-gen: " << why.message() << '\n';
        return 1;
    }
    const auto o = parse_options(arguments);
    if (!o) {
        err << "kcontrol-gen: " << o.error().message() << '\n';
        return 2;
    }
    if (o->what == action::help) {
        out << usage_text;
        return 0;
    }
    if (o->what == action::version) {
        out << "kcontrol-gen " KCONTROL_VERSION_STRING "\n";
        return 0;
    }
    const auto done = work(*o, out, err);
    if (done) return 0;
    err << "kcontrol-gen: " << done.error().what() << '\n';
    return 1;
}

}  // namespace kcontrol_gen

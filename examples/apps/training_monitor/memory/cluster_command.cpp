#include "memory/cluster_command.hpp"

#include <kcontrol/auth/kubeconfig.hpp>
#include <kcontrol/base/display_width.hpp>
#include <kcontrol/base/flags.hpp>
#include <kcontrol/base/in_quotes.hpp>
#include <kcontrol/base/log.hpp>

#include "crypto/seal.hpp"
#include "memory/kept_records.hpp"
#include "memory/state_file.hpp"

#include <algorithm>
#include <array>
#include <filesystem>
#include <map>
#include <optional>

namespace training_monitor {
namespace {

using kcontrol::errc;
using kcontrol::error;
using kcontrol::result;

constexpr std::string_view usage =
    R"(usage: training_monitor cluster init-key FILE
       training_monitor cluster add NAME --state FILE --kubeconfig FILE [--context NAME]
                                (--key-file FILE | --by-path) [--replace]
       training_monitor cluster list --state FILE
       training_monitor cluster remove NAME --state FILE

The clusters that `training_monitor --state FILE` watches if no other flag says which. A running monitor picks up
changes within 2 s.
  init-key   makes a key: 32 random bytes, readable for you only
  add        puts a kubeconfig into the state file, sealed with the key (AES-256-GCM; start the monitor with the same
             --key-file), or with --by-path only the file's name: then the monitor reads the file, again and again
  list       shows them, without secrets
Exit status: 0 done, 1 failure, 2 wrong usage.
)";

struct arguments_of_command {
    std::vector<std::string> words;
    std::map<std::string_view, std::string> values;  // "" for flags without a value
    bool has(std::string_view flag) const { return values.contains(flag); }
    std::string get(std::string_view flag) const {
        const auto found = values.find(flag);
        return found == values.end() ? std::string() : found->second;
    }
};

struct command {
    std::string_view name;
    std::size_t words;  // after the name
    std::vector<std::string_view> required, optional, switches;
    command_outcome (*run)(kcontrol::environment& env, const arguments_of_command& a);
};

command_outcome failed(const error& why) {
    return {1, {}, "training_monitor: " + kcontrol::escape_control(why.message()) + "\n"};
}

command_outcome misused(const std::string& why) {
    return {2, {}, "training_monitor: " + why + "; see `training_monitor cluster --help`\n"};
}

bool is_cluster_name(std::string_view name) {
    const auto allowed = [](char c) {
        return (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || (c >= '0' && c <= '9') || c == '-' || c == '_' ||
               c == '.';
    };
    return !name.empty() && name.size() <= 253 && std::all_of(name.begin(), name.end(), allowed) && name[0] != '.';
}

command_outcome init_key(kcontrol::environment&, const arguments_of_command& a) {
    const auto made = crypto::seal_key::make(a.words[0]);
    if (!made) return failed(made.error());
    return {0, "made the key " + a.words[0] + "; without it, what it seals is lost\n", {}};
}

// The kubeconfig as the monitor will see it; refused here if it could not be used there.
result<kept_cluster> read_cluster(kcontrol::environment& env, const arguments_of_command& a) {
    kept_cluster out;
    out.name = a.words[0];
    out.context = a.get("--context");
    out.added = env.wall_now();
    std::error_code failure;
    out.path = std::filesystem::absolute(a.get("--kubeconfig"), failure).lexically_normal().string();
    if (failure) return error(errc::file_failed, "--kubeconfig: " + failure.message());
    auto text = env.read_file(out.path, kcontrol::auth::kubeconfig::max_bytes);
    if (!text) return text.error().with_context("--kubeconfig");
    const kcontrol::secret_string plain(std::move(*text));
    const auto parsed = kcontrol::auth::kubeconfig::parse(plain.reveal(), out.path, kcontrol::auth::trust::trusted);
    if (!parsed) return parsed.error().with_context("--kubeconfig");
    const auto checked = parsed->resolve(env, out.context);
    if (!checked) return checked.error().with_context("--kubeconfig");
    if (a.has("--by-path")) return out;
    const auto key = crypto::seal_key::load(env, a.get("--key-file"));
    if (!key) return key.error();
    out.sealed = key->seal(plain.reveal(), seal_binding(out));
    return out;
}

command_outcome add(kcontrol::environment& env, const arguments_of_command& a) {
    if (a.has("--by-path") == a.has("--key-file")) {
        return misused("cluster add: give either --key-file FILE or --by-path");
    }
    if (!is_cluster_name(a.words[0])) {
        return misused("cluster add: " + kcontrol::in_quotes(a.words[0]) +
                       " is not a name: letters, digits, '-', '_' and '.', 253 " + "at most");
    }
    const auto cluster = read_cluster(env, a);
    if (!cluster) return failed(cluster.error());
    auto file = state_file::open(a.get("--state"), state_file::use::command);
    if (!file) return failed(file.error());
    const auto kept = (*file)->keep_cluster(*cluster, a.has("--replace"));
    if (!kept) return failed(kept.error());
    return {0, "added " + cluster->name + "\n", {}};
}

std::string table_of(const std::vector<std::array<std::string, 6>>& rows) {
    using kcontrol::display_width;
    std::array<std::size_t, 6> widths{};
    for (const auto& row : rows) {
        for (std::size_t i = 0; i < row.size(); ++i) widths[i] = std::max(widths[i], display_width(row[i]));
    }
    std::string out;
    for (const auto& row : rows) {
        std::string line;
        for (std::size_t i = 0; i < row.size(); ++i) {
            line += row[i] + std::string(widths[i] + 2 - display_width(row[i]), ' ');
        }
        line.erase(line.find_last_not_of(' ') + 1);
        out += line + "\n";
    }
    return out;
}

command_outcome list(kcontrol::environment&, const arguments_of_command& a) {
    auto file = state_file::open(a.get("--state"), state_file::use::existing);
    if (!file) return failed(file.error());
    const auto clusters = (*file)->kept_clusters();
    if (!clusters) return failed(clusters.error());
    const auto known = (*file)->load_clusters();
    if (!known) return failed(known.error());
    std::vector<std::array<std::string, 6>> rows{{"NAME", "KUBECONFIG", "CONTEXT", "ADDED", "LAST STATE", "SERVER"}};
    for (const auto& c : *clusters) {
        const auto last = std::find_if(known->begin(), known->end(), [&](const auto& k) { return k.name == c.name; });
        const bool seen = last != known->end();
        const auto added = std::chrono::floor<std::chrono::seconds>(c.added.time_since_epoch()).count();
        std::array<std::string, 6> row{c.name,
                                       c.sealed.empty() ? c.path : "(sealed)",
                                       c.context.empty() ? "(current)" : c.context,
                                       to_rfc3339(added),
                                       seen ? last->state : "never seen",
                                       seen ? last->server : ""};
        for (auto& cell : row) cell = kcontrol::escape_control(cell);
        rows.push_back(std::move(row));
    }
    return {0, table_of(rows), {}};
}

command_outcome remove(kcontrol::environment&, const arguments_of_command& a) {
    auto file = state_file::open(a.get("--state"), state_file::use::existing);
    if (!file) return failed(file.error());
    const auto dropped = (*file)->drop_cluster(a.words[0]);
    if (!dropped) return failed(dropped.error());
    return {0, "removed " + a.words[0] + "\n", {}};
}

std::optional<command_outcome> parse(const command& c, const std::vector<std::string_view>& arguments,
                                     arguments_of_command& out) {
    const std::string where = "cluster " + std::string(c.name) + ": ";
    std::vector<kcontrol::flag_shape> flags;
    for (const auto name : c.required) flags.push_back({name, kcontrol::flag_value::text});
    for (const auto name : c.optional) flags.push_back({name, kcontrol::flag_value::text});
    for (const auto name : c.switches) flags.push_back({name, kcontrol::flag_value::none});
    const auto said = kcontrol::split_arguments({arguments.begin() + 1, arguments.end()}, flags, "--help");
    if (!said) return misused(where + said.error().message());
    for (const auto& one : *said) {
        if (one.is_word()) {
            out.words.emplace_back(one.text);
        } else {
            out.values[flags[one.flag].name] = one.text;
        }
    }
    if (out.words.size() != c.words) {
        return misused(where + "takes " + std::to_string(c.words) + " argument(s) without a flag, got " +
                       std::to_string(out.words.size()));
    }
    for (const auto name : c.required) {
        if (!out.has(name)) return misused(where + std::string(name) + " is missing");
    }
    return std::nullopt;
}

}  // namespace

command_outcome run_cluster_command(kcontrol::environment& env, const std::vector<std::string_view>& arguments) {
    const std::array<command, 4> commands{
        command{"init-key", 1, {}, {}, {}, init_key},
        command{"add", 1, {"--state", "--kubeconfig"}, {"--context", "--key-file"}, {"--by-path", "--replace"}, add},
        command{"list", 0, {"--state"}, {}, {}, list},
        command{"remove", 1, {"--state"}, {}, {}, remove},
    };
    for (const auto text : arguments) {
        if (text == "--help" || text == "-h") return {0, std::string(usage), {}};
    }
    if (arguments.empty()) return misused("cluster: give one of init-key, add, list, remove");
    const auto found =
        std::find_if(commands.begin(), commands.end(), [&](const command& c) { return c.name == arguments[0]; });
    if (found == commands.end()) {
        return misused("cluster: " + kcontrol::in_quotes(arguments[0]) + " is not one of init-key, add, list, remove");
    }
    arguments_of_command parsed;
    if (auto wrong = parse(*found, arguments, parsed)) return std::move(*wrong);
    return found->run(env, parsed);
}

}  // namespace training_monitor

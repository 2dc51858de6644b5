#include "testserver/cel.hpp"
#include "testserver/cel_functions.hpp"
#include "testserver/cel_lexer.hpp"

#include <algorithm>
#include <limits>
#include <utility>

namespace kcontrol::inline v0_1::testing {
namespace detail {
namespace {

// "x__dash__y" is the member "x-y".
std::string unescaped_cel_name(std::string name) {
    for (const auto& [escaped, meant] : {std::pair("__underscores__", "__"), std::pair("__dot__", "."),
                                         std::pair("__dash__", "-"), std::pair("__slash__", "/")}) {
        for (auto at = name.find(escaped); at != std::string::npos; at = name.find(escaped)) {
            name.replace(at, std::string_view(escaped).size(), meant);
        }
    }
    if (name.size() > 4 && name.starts_with("__") && name.ends_with("__")) return name.substr(2, name.size() - 4);
    return name;
}

// "google.protobuf.Timestamp" of names joined by dots, else empty.
std::string dotted_name(const cel_node& node) {
    if (node.what == cel_node::kind::name) return node.text;
    if (node.what != cel_node::kind::member || node.is_optional) return {};
    const std::string before = dotted_name(node.children[0]);
    return before.empty() ? before : before + "." + node.text;
}

/// Recursive descent, by CEL's precedences.
class cel_parser {
public:
    explicit cel_parser(std::vector<cel_token> tokens) : tokens_(std::move(tokens)) {}

    cel_node parse() {
        cel_node root = conditional();
        if (peek().what != cel_token::kind::end) fail("'" + peek().text + "'");
        return root;
    }

    std::string problem;
    bool uses_old_self = false;

private:
    using kind = cel_node::kind;

    const cel_token& peek() const { return tokens_[std::min(at_, tokens_.size() - 1)]; }
    cel_token take() { return tokens_[std::min(at_++, tokens_.size() - 1)]; }
    // A text in quotes is no operator, whatever it says.
    bool sees(std::string_view sign) const { return peek().what != cel_token::kind::text && peek().text == sign; }
    bool accept(std::string_view sign) {
        const bool fits = sees(sign);
        if (fits) ++at_;
        return fits;
    }
    void expect(std::string_view sign) {
        if (!accept(sign)) fail("'" + peek().text + "' where '" + std::string(sign) + "' should be");
    }
    void fail(std::string what) {
        if (problem.empty()) problem = std::move(what);
        at_ = tokens_.size() - 1;
    }

    // A chain ("a + a + …") needs no depth to be read, but one for each link to be walked.
    cel_node join(kind what, std::string text, std::vector<cel_node> children) {
        cel_node out;
        out.what = what;
        out.text = std::move(text);
        for (const auto& child : children) out.depth = std::max(out.depth, child.depth + 1);
        if (out.depth > 500) fail("so long an expression");
        out.children = std::move(children);
        return out;
    }

    void go_deeper() {
        if (++depth_ > 50) fail("so deep an expression");
    }

    cel_node conditional() {
        go_deeper();
        cel_node condition = binary(0);
        if (accept("?")) {
            cel_node yes = binary(0);
            expect(":");
            cel_node no = conditional();
            condition = join(kind::conditional, "?:", {std::move(condition), std::move(yes), std::move(no)});
        }
        --depth_;
        return condition;
    }

    cel_node binary(std::size_t level) {
        static const std::vector<std::vector<std::string_view>> levels = {
            {"||"}, {"&&"}, {"<=", ">=", "<", ">", "==", "!=", "in"}, {"+", "-"}, {"*", "/", "%"}};
        if (level == levels.size()) return unary();
        cel_node left = binary(level + 1);
        for (bool again = true; again;) {
            again = false;
            for (const std::string_view sign : levels[level]) {
                if (!accept(sign)) continue;
                cel_node right = binary(level + 1);
                left = join(kind::binary, std::string(sign), {std::move(left), std::move(right)});
                again = true;
                break;
            }
        }
        return left;
    }

    cel_node prefixed(kind what, std::string sign) {
        go_deeper();
        cel_node out = join(what, std::move(sign), {unary()});
        --depth_;
        return out;
    }

    cel_node unary() {
        if (accept("!")) return prefixed(kind::negation, "!");
        if (accept("-")) {
            if (peek().text != least_digits || peek().what != cel_token::kind::number)
                return prefixed(kind::minus, "-");
            take();
            cel_node least;
            least.literal = std::numeric_limits<std::int64_t>::min();
            return least;
        }
        cel_node out = primary();
        while (problem.empty()) {
            if (accept(".")) {
                out = member(std::move(out));
            } else if (accept("[")) {
                const bool optional = accept("?");
                cel_node index = conditional();
                expect("]");
                out = join(kind::index, "[]", {std::move(out), std::move(index)});
                out.is_optional = optional;
            } else if (sees("{")) {
                fail("messages of Protocol Buffers");
            } else {
                break;
            }
        }
        return out;
    }

    cel_node member(cel_node target) {
        const bool optional = accept("?");
        const cel_token name = take();
        if (name.what != cel_token::kind::name) fail("'" + name.text + "' after a dot");
        if (optional || !accept("(")) {
            cel_node out = join(kind::member, unescaped_cel_name(name.text), {std::move(target)});
            out.is_optional = optional;
            if (std::string type = dotted_name(out); is_cel_type(type)) {
                out = cel_node();
                out.what = kind::name;
                out.text = std::move(type);
            }
            return out;
        }
        std::vector<cel_node> children = arguments();
        // "sets.contains()" is a function whose name has a dot.
        if (target.what == kind::name && knows_cel_function(target.text + "." + name.text)) {
            return call(target.text + "." + name.text, false, std::move(children));
        }
        children.insert(children.begin(), std::move(target));
        return call(name.text, true, std::move(children));
    }

    cel_node call(const std::string& name, bool is_method, std::vector<cel_node> children) {
        if (!problem.empty()) return {};
        const std::size_t count = children.size() - (is_method ? 1 : 0);
        if (!knows_cel_function(name)) {
            fail(name + "()");
        } else if (!knows_cel_function(name, is_method, count)) {
            fail(name + "() as a " + (is_method ? "method" : "function") + " of " + std::to_string(count) +
                 " arguments");
        }
        cel_node out = join(kind::call, name, std::move(children));
        out.is_method = is_method;
        for (std::size_t i = 1; i <= out.macro_variables(); ++i) {
            if (out.children[i].what == kind::name) continue;
            fail("the argument of " + name + "() that is no name");
        }
        if (name == "has" && (out.children[0].what != kind::member || out.children[0].is_optional)) {
            fail("has() of anything but a member");
        }
        check_zone(out);
        return out;
    }

    // getHours('Europe/Berlin'): there is no table of zones here.
    void check_zone(const cel_node& called) {
        if (!called.text.starts_with("get") || called.children.size() != 2 || !called.is_method) return;
        const auto* zone = called.children[1].literal.get<std::string>();
        if (zone != nullptr && !parse_cel_offset(*zone))
            fail("the time zone '" + *zone + "', only offsets as '+02:00'");
    }

    std::vector<cel_node> arguments() {
        std::vector<cel_node> out;
        if (accept(")")) return out;
        do out.push_back(conditional());
        while (accept(","));
        expect(")");
        return out;
    }

    // An item of a list, or a key of a map.
    cel_node item() {
        if (!accept("?")) return conditional();
        return join(kind::optional_item, "?", {conditional()});
    }

    cel_node list() {
        std::vector<cel_node> items;
        while (problem.empty() && !accept("]")) {
            items.push_back(item());
            if (!accept(",") && !sees("]")) fail("'" + peek().text + "' in a list");
        }
        return join(kind::list, "[]", std::move(items));
    }

    cel_node map() {
        std::vector<cel_node> entries;
        while (problem.empty() && !accept("}")) {
            entries.push_back(item());
            expect(":");
            entries.push_back(conditional());
            if (!accept(",") && !sees("}")) fail("'" + peek().text + "' in a map");
        }
        return join(kind::map, "{}", std::move(entries));
    }

    cel_node primary() {
        const cel_token token = take();
        cel_node out;
        out.literal = token.value;
        if (token.what == cel_token::kind::number || token.what == cel_token::kind::text) {
            if (token.what == cel_token::kind::number && token.text == least_digits) fail("the number " + token.text);
            return out;
        }
        if (token.what == cel_token::kind::name) return named(token.text);
        if (token.text == "(") {
            out = conditional();
            expect(")");
            return out;
        }
        if (token.text == "[") return list();
        if (token.text == "{") return map();
        fail(token.what == cel_token::kind::end ? "the end of the expression" : "'" + token.text + "'");
        return out;
    }

    cel_node named(const std::string& name) {
        cel_node out;
        if (name == "true" || name == "false") {
            out.literal = name == "true";
            return out;
        }
        if (name == "null") return out;
        if (accept("(")) return call(name, false, arguments());
        if (name == "oldSelf") uses_old_self = true;
        out.what = kind::name;
        out.text = name;
        return out;
    }

    static constexpr std::string_view least_digits = "9223372036854775808";

    std::vector<cel_token> tokens_;
    std::size_t at_ = 0;
    int depth_ = 0;
};

}  // namespace
}  // namespace detail

std::size_t cel_node::macro_variables() const {
    if (what != kind::call || !is_method) return 0;
    if (text == "all" || text == "exists" || text == "exists_one" || text == "existsOne") return children.size() - 2;
    if (text == "filter" || text == "map" || text == "sortBy" || text == "optMap" || text == "optFlatMap") return 1;
    return text.starts_with("transform") ? 2 : 0;
}

result<cel_expression> cel_expression::parse(std::string_view text) {
    const auto refuse = [](const std::string& what) {
        return error(errc::invalid_argument, "this server's CEL does not know " + what);
    };
    std::string problem;
    auto tokens = detail::cel_tokens(text, problem);
    if (!problem.empty()) return refuse(problem);
    detail::cel_parser parser(std::move(tokens));
    cel_expression out;
    out.root_ = parser.parse();
    if (!parser.problem.empty()) return refuse(parser.problem);
    out.uses_old_self_ = parser.uses_old_self;
    return out;
}

}  // namespace kcontrol::testing

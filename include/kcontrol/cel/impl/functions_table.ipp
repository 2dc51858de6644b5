#pragma once

#include <kcontrol/cel/impl/functions.hpp>

#include <algorithm>

namespace kcontrol::inline v0_1::cel::detail {
struct known_function {
    std::string_view name;
    bool is_method;
    std::size_t least, most;  // arguments; the target of a method is none
};

inline constexpr known_function function_table[] = {
    {"has", false, 1, 1},
    {"cel.bind", false, 3, 3},
    {"size", false, 1, 1},
    {"size", true, 0, 0},
    {"type", false, 1, 1},
    {"dyn", false, 1, 1},
    {"int", false, 1, 1},
    {"uint", false, 1, 1},
    {"double", false, 1, 1},
    {"string", false, 1, 1},
    {"bytes", false, 1, 1},
    {"bool", false, 1, 1},
    {"timestamp", false, 1, 1},
    {"duration", false, 1, 1},
    // macros
    {"all", true, 2, 3},
    {"exists", true, 2, 3},
    {"exists_one", true, 2, 3},
    {"existsOne", true, 2, 3},
    {"filter", true, 2, 2},
    {"map", true, 2, 3},
    {"sortBy", true, 2, 2},
    {"optMap", true, 2, 2},
    {"optFlatMap", true, 2, 2},
    {"transformList", true, 3, 4},
    {"transformMap", true, 3, 4},
    {"transformMapEntry", true, 3, 4},
    // texts
    {"contains", true, 1, 1},
    {"startsWith", true, 1, 1},
    {"endsWith", true, 1, 1},
    {"matches", true, 1, 1},
    {"matches", false, 2, 2},
    {"charAt", true, 1, 1},
    {"indexOf", true, 1, 2},
    {"lastIndexOf", true, 1, 2},
    {"lowerAscii", true, 0, 0},
    {"upperAscii", true, 0, 0},
    {"replace", true, 2, 3},
    {"split", true, 1, 2},
    {"substring", true, 1, 2},
    {"trim", true, 0, 0},
    {"format", true, 1, 1},
    {"join", true, 0, 1},
    {"find", true, 1, 1},
    {"findAll", true, 1, 2},
    {"strings.quote", false, 1, 1},
    // lists and sets
    {"includes", true, 1, 1},
    {"isSorted", true, 0, 0},
    {"sum", true, 0, 0},
    {"min", true, 0, 0},
    {"max", true, 0, 0},
    {"slice", true, 2, 2},
    {"flatten", true, 0, 1},
    {"sort", true, 0, 0},
    {"reverse", true, 0, 0},
    {"distinct", true, 0, 0},
    {"first", true, 0, 0},
    {"last", true, 0, 0},
    {"lists.range", false, 1, 1},
    {"sets.contains", false, 2, 2},
    {"sets.equivalent", false, 2, 2},
    {"sets.intersects", false, 2, 2},
    // times
    {"getFullYear", true, 0, 1},
    {"getMonth", true, 0, 1},
    {"getDate", true, 0, 1},
    {"getDayOfMonth", true, 0, 1},
    {"getDayOfWeek", true, 0, 1},
    {"getDayOfYear", true, 0, 1},
    {"getHours", true, 0, 1},
    {"getMinutes", true, 0, 1},
    {"getSeconds", true, 0, 1},
    {"getMilliseconds", true, 0, 1},
    // optionals
    {"optional.of", false, 1, 1},
    {"optional.ofNonZeroValue", false, 1, 1},
    {"optional.none", false, 0, 0},
    {"optional.unwrap", false, 1, 1},
    {"unwrapOpt", true, 0, 0},
    {"hasValue", true, 0, 0},
    {"value", true, 0, 0},
    {"or", true, 1, 1},
    {"orValue", true, 1, 1},
    // Kubernetes' own
    {"quantity", false, 1, 1},
    {"isQuantity", false, 1, 1},
    {"sign", false, 1, 1},
    {"add", true, 1, 1},
    {"sub", true, 1, 1},
    {"isLessThan", true, 1, 1},
    {"isGreaterThan", true, 1, 1},
    {"compareTo", true, 1, 1},
    {"asInteger", true, 0, 0},
    {"isInteger", true, 0, 0},
    {"asApproximateFloat", true, 0, 0},
    {"ip", false, 1, 1},
    {"isIP", false, 1, 1},
    {"ip.isCanonical", false, 1, 1},
    {"family", true, 0, 0},
    {"isUnspecified", true, 0, 0},
    {"isLoopback", true, 0, 0},
    {"isLinkLocalMulticast", true, 0, 0},
    {"isLinkLocalUnicast", true, 0, 0},
    {"isGlobalUnicast", true, 0, 0},
    {"cidr", false, 1, 1},
    {"isCIDR", false, 1, 1},
    {"containsIP", true, 1, 1},
    {"containsCIDR", true, 1, 1},
    {"ip", true, 0, 0},
    {"prefixLength", true, 0, 0},
    {"masked", true, 0, 0},
    {"url", false, 1, 1},
    {"isURL", false, 1, 1},
    {"getScheme", true, 0, 0},
    {"getHost", true, 0, 0},
    {"getHostname", true, 0, 0},
    {"getPort", true, 0, 0},
    {"getEscapedPath", true, 0, 0},
    {"getQuery", true, 0, 0},
    {"semver", false, 1, 2},
    {"isSemver", false, 1, 2},
    {"major", true, 0, 0},
    {"minor", true, 0, 0},
    {"patch", true, 0, 0},
    {"validate", true, 1, 1},
    {"format.named", false, 1, 1},
    {"format.dns1123Label", false, 0, 0},
    {"format.dns1123Subdomain", false, 0, 0},
    {"format.dns1035Label", false, 0, 0},
    {"format.qualifiedName", false, 0, 0},
    {"format.dns1123LabelPrefix", false, 0, 0},
    {"format.dns1123SubdomainPrefix", false, 0, 0},
    {"format.dns1035LabelPrefix", false, 0, 0},
    {"format.labelValue", false, 0, 0},
    {"format.uri", false, 0, 0},
    {"format.uuid", false, 0, 0},
    {"format.byte", false, 0, 0},
    {"format.date", false, 0, 0},
    {"format.datetime", false, 0, 0},
};

KCONTROL_DECL bool knows_function(std::string_view name, bool is_method, std::size_t arguments) {
    return std::any_of(std::begin(function_table), std::end(function_table), [&](const known_function& one) {
        return one.name == name && one.is_method == is_method && one.least <= arguments && arguments <= one.most;
    });
}

KCONTROL_DECL bool knows_function(std::string_view name) {
    return std::any_of(std::begin(function_table), std::end(function_table),
                       [&](const known_function& one) { return one.name == name; });
}

KCONTROL_DECL bool is_type_name(std::string_view name) {
    static constexpr std::string_view types[] = {"bool",
                                                 "int",
                                                 "uint",
                                                 "double",
                                                 "string",
                                                 "bytes",
                                                 "list",
                                                 "map",
                                                 "null_type",
                                                 "type",
                                                 "optional_type",
                                                 "google.protobuf.Timestamp",
                                                 "google.protobuf.Duration",
                                                 "net.IP",
                                                 "net.CIDR"};
    return std::find(std::begin(types), std::end(types), name) != std::end(types);
}

}  // namespace kcontrol::cel::detail

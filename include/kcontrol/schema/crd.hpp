// crd_of<T>(): the CustomResourceDefinition of a resource type.
#pragma once

#include <kcontrol/codec/resource_of.hpp>
#include <kcontrol/schema/crd_options.hpp>
#include <kcontrol/schema/schema.hpp>

#include <exception>
#include <map>
#include <string>
#include <string_view>
#include <vector>

namespace kcontrol::inline v0_1 {

/// A CustomResourceDefinition, ready to be sent or printed.
///
/// Thread-safety: distinct objects safe; shared objects safe for const access.
class custom_resource_definition {
public:
    /// One entry of spec.versions.
    class version {
    public:
        /// The names in it, what kcontrol_crd() says, and the schema as schema_of() gives it.
        version(const resource_name& n, const crd_options& o, std::string s)
            : name(n), options(o), schema(std::move(s)) {}

        resource_name name;   ///< its version; all else counts in the first one. Texts are not copied
        crd_options options;  ///< names and categories count in the first version
        std::string schema;   ///< JSON
    };

    /// The first version gives the names.
    explicit custom_resource_definition(std::vector<version> versions) : versions_(std::move(versions)) {}

    /// `widgets.example.com`.
    std::string name() const { return std::string(first().plural) + "." + std::string(first().group); }
    /// In the order of their types in crd_of(); the first gives the names.
    const std::vector<version>& versions() const noexcept { return versions_; }

    /// Sets an entry of metadata.labels; the last one of a key counts.
    custom_resource_definition& label(std::string key, std::string value) {
        return labels_.insert_or_assign(std::move(key), std::move(value)), *this;
    }
    /// Sets an entry of metadata.annotations; the last one of a key counts.
    custom_resource_definition& annotation(std::string key, std::string value) {
        return annotations_.insert_or_assign(std::move(key), std::move(value)), *this;
    }

    /// Versions are converted by a webhook behind a Service. `ca_pem`: the authority of its certificate, PEM; empty:
    /// left to others, such as cert-manager. Default: nothing is converted but apiVersion.
    custom_resource_definition& convert_by_service(std::string ns, std::string service, std::string ca_pem = {},
                                                   std::string path = "/convert") {
        converter_ns_ = std::move(ns), converter_ = std::move(service), converter_url_.clear();
        return converter_ca_ = std::move(ca_pem), converter_path_ = std::move(path), *this;
    }
    /// The same of one at a URL. The last call of the two counts.
    custom_resource_definition& convert_by_url(std::string url, std::string ca_pem = {}) {
        converter_url_ = std::move(url), converter_.clear();
        return converter_ca_ = std::move(ca_pem), *this;
    }

    /// The object as compact JSON (which is YAML as well: `kubectl apply -f` takes it). The same types give the same
    /// text.
    KCONTROL_DECL std::string to_json() const;

private:
    const resource_name& first() const { return versions_.front().name; }

    std::vector<version> versions_;
    std::map<std::string, std::string> labels_;
    std::map<std::string, std::string> annotations_;
    std::string converter_ns_, converter_, converter_path_, converter_url_, converter_ca_;
};

namespace detail {

template <class T>
constexpr crd_options crd_options_of() {
    if constexpr (requires { T::kcontrol_crd(); }) {
        return T::kcontrol_crd();
    } else {
        return {};
    }
}

template <class T, std::size_t... Index>
constexpr bool has_listed_field(std::string_view name, std::index_sequence<Index...>) {
    return ((field_at<Index>(structure_type<T>::list).name == name) || ...);
}
template <class T>
constexpr bool has_listed_field(std::string_view name) {
    if constexpr (has_generated_fields<T>) {
        return true;  // its table is no constant here
    } else {
        return has_listed_field<T>(name, std::make_index_sequence<structure_type<T>::list.size>());
    }
}

template <class T>
constexpr void assert_crd() {
    assert_resource<T>();
    static_assert(!is_projection<T>,
                  "kcontrol: this type is a projection: it declares only some fields of its kind, and "
                  "a CRD made from it would make the server drop the others");
    if constexpr (is_resource<T>) {
        static_assert(!resource_name(T::kcontrol_resource).group.empty(),
                      "kcontrol: the core group is built in; a CustomResourceDefinition needs a group such as "
                      "\"example.com\" in kcontrol_resource");
        constexpr crd_options options = crd_options_of<T>();
        static_assert(!options.has_status() || has_listed_field<T>("status"),
                      "kcontrol: kcontrol_crd() says status(), but the field list has no \"status\"");
        static_assert(
            options.scale_spec().empty() == options.scale_status().empty() &&
                (options.scale_spec().empty() || options.scale_spec().is_below("spec")) &&
                (options.scale_status().empty() || options.scale_status().is_below("status")),
            "kcontrol: scale() takes the path of the wanted replicas below .spec and of the present ones below "
            ".status");
    }
}

template <class First, class T>
constexpr bool is_version_of() {
    constexpr resource_name a = First::kcontrol_resource, b = T::kcontrol_resource;
    return a.group == b.group && a.kind == b.kind && a.plural == b.plural && a.scope == b.scope;
}

template <class First, class... More>
constexpr bool versions_differ() {
    const std::string_view names[] = {resource_name(First::kcontrol_resource).version,
                                      resource_name(More::kcontrol_resource).version...};
    for (std::size_t i = 0; i <= sizeof...(More); ++i) {
        for (std::size_t j = 0; j < i; ++j) {
            if (names[i] == names[j]) return false;
        }
    }
    return true;
}

template <class First, class... More>
constexpr void assert_versions() {
    static_assert((is_version_of<First, More>() && ...),
                  "kcontrol: the versions of one CustomResourceDefinition have the same group, kind, plural and scope");
    static_assert(versions_differ<First, More...>(), "kcontrol: two of these types are the same version");
    static_assert((int{crd_options_of<First>().is_storage()} + ... + int{crd_options_of<More>().is_storage()}) <= 1,
                  "kcontrol: only one version of a CustomResourceDefinition is storage()");
}

class crd_source {
public:
    resource_name name;
    crd_options options;
    const type_descriptor* type = nullptr;
};

KCONTROL_DECL result<custom_resource_definition> make_crd(std::vector<crd_source> sources);

}  // namespace detail

/// The CustomResourceDefinition of a kind, with one version a type. Several versions are converted by strategy None:
/// the server changes nothing but apiVersion. Objects are stored in the version that says storage(), else in the first.
///
/// What is missing or contradictory does not compile. Errors: invalid_argument, those of schema_of.
template <class First, class... More>
result<custom_resource_definition> crd_of() {
    detail::assert_crd<First>();
    (detail::assert_crd<More>(), ...);
    if constexpr ((is_resource<First> && ... && is_resource<More>)) {
        detail::assert_versions<First, More...>();
        std::vector<detail::crd_source> sources;
        sources.push_back({First::kcontrol_resource, detail::crd_options_of<First>(), &describe<First>()});
        (sources.push_back({More::kcontrol_resource, detail::crd_options_of<More>(), &describe<More>()}), ...);
        return detail::make_crd(std::move(sources));
    } else {
        std::terminate();  // in no program: an assertion has failed
    }
}

}  // namespace kcontrol

#ifdef KCONTROL_HEADER_ONLY
#include <kcontrol/schema/impl/crd.ipp>
#endif

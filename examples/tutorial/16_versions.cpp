// Two versions of a kind: the server stores Websites as v1, and this webhook makes of them what clients of v1alpha1
// know, and back. The host was called domain there, and there were no replicas. usage: 16_versions [--print-crd]
// [FLAG...]      16_versions.yaml installs it, and has the definition that it prints
#include <kcontrol/manager/run.hpp>
#include <kcontrol/schema/crd.hpp>
#include <kcontrol/webhook/managed_webhooks.hpp>
#include <kcontrol/webhook/webhook_flags.hpp>

#include <charconv>

using namespace kcontrol;

struct website {
    struct wanted {
        text image, host;
        std::int32_t replicas = 1;
        static constexpr auto kcontrol_fields() {
            return fields(field("image", &wanted::image), field("host", &wanted::host),
                          field("replicas", &wanted::replicas));
        }
    };
    static constexpr resource_name kcontrol_resource{"versions.example.com", "v1", "Website", "websites"};
    object_meta metadata;
    wanted spec;
    static constexpr auto kcontrol_fields() { return fields(field("spec", &website::spec)); }
};

// What v1alpha1 has no member for, so that an object comes back as it was.
constexpr const char* replicas_note = "versions.example.com/replicas";

struct website_v1alpha1 {
    struct wanted {
        text image, domain;
        static constexpr auto kcontrol_fields() {
            return fields(field("image", &wanted::image), field("domain", &wanted::domain));
        }
    };
    static constexpr resource_name kcontrol_resource{"versions.example.com", "v1alpha1", "Website", "websites"};
    object_meta metadata;
    wanted spec;
    static constexpr auto kcontrol_fields() { return fields(field("spec", &website_v1alpha1::spec)); }

    // The metadata is set already; of it labels and annotations may be changed.
    result<void> convert_to(website& hub) const {
        hub.spec.image = spec.image;
        hub.spec.host = spec.domain;
        const text* note = metadata.annotations.get(replicas_note);
        if (note == nullptr) return {};
        hub.metadata.annotations.erase(replicas_note);
        const std::string_view digits = *note;
        const auto read = std::from_chars(digits.data(), digits.data() + digits.size(), hub.spec.replicas);
        if (read.ec == std::errc() && read.ptr == digits.data() + digits.size()) return {};
        return error(errc::invalid_argument, std::string("annotation ") + replicas_note + ": not a number");
    }
    void convert_from(const website& hub) {
        spec.image = hub.spec.image;
        spec.domain = hub.spec.host;
        if (hub.spec.replicas != 1) metadata.annotations[replicas_note] = std::to_string(hub.spec.replicas);
    }
};

result<std::string> definition(const webhook_address& at) {
    auto crd = crd_of<website, website_v1alpha1>();  // the first is stored
    if (!crd) return crd.error();
    if (at.base_url().empty()) return crd->convert_by_service(at.service_namespace(), at.service_name()).to_json();
    return crd->convert_by_url(at.base_url() + "/convert").to_json();
}

int main(int argc, char** argv) {
    webhook_flags webhooks;
    webhooks.registered_as("versions", webhook_address::service("websites", "versions"));
    bool prints = false;
    run_options options;
    webhooks.add_to(options);
    options.flag("--print-crd", "prints the definition with both versions, and ends", prints);
    options.print_instead([&] { return prints; }, [&](manager&) { return definition(*webhooks.address()); });
    const auto set_up = [&](manager& m) {
        // The certificate is of an authority in a Secret, which the definition is given as well.
        managed_webhook_options managed(webhooks.name(), *webhooks.address());
        managed.certificates().secret("websites", "versions-authority").ip("127.0.0.1");
        managed.bundles().whole(false);
        get_managed_webhook_server(m, managed, webhooks.options());
        return webhook_builder(m).for_<website>().converts<website_v1alpha1>().complete();
    };
    return run(argc, argv, set_up, options);
}

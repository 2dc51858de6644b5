// kc_register: an object that is there as long as its handle.
#include <kcontrol/service/registration.hpp>

#include "calls.hpp"
#include "part_entry.hpp"

#include <memory>
#include <string>

namespace kcontrol::inline v0_1::service_c {

class register_entry final : public part_entry<service::registration> {
public:
    static constexpr const char* kind_name = "a registration";
    using part_entry::part_entry;
    const char* name() const noexcept override { return kind_name; }
};

outcome<void> start_registration(kc_handle client, const char* object, kc_handle* out) {
    if (object == nullptr)
        return failure{KC_EINVAL, "kc_register: the object is NULL; pass JSON with apiVersion, kind and metadata.name"};
    return start_part<register_entry>(
        "kc_register", client, out, [&](const register_entry&, kc_handle, service::connection& c) {
            return std::make_unique<service::registration>(c.env(), c.get_executor(), c.client(), std::string(object),
                                                           service::registration_options(), c.log());
        });
}

}  // namespace kcontrol::service_c

// A path to a member that the field list lacks, and one through a list.
// expect: kcontrol::path: this member is not in the field list of its struct
// expect: kcontrol::path: each member is one of the struct before it
#include <kcontrol/model/field_path.hpp>

struct part {
    std::string name;
    static constexpr auto kcontrol_fields() { return kcontrol::fields(kcontrol::field("name", &part::name)); }
};
struct spec {
    part first;
    std::vector<part> parts;
    std::string secret;
    static constexpr auto kcontrol_fields() {
        return kcontrol::fields(kcontrol::field("first", &spec::first), kcontrol::field("parts", &spec::parts));
    }
};

#ifdef GOOD
constexpr auto a = kcontrol::path(&spec::parts);
constexpr auto b = kcontrol::path(&spec::first, &part::name);
#else
constexpr auto a = kcontrol::path(&spec::secret);
constexpr auto b = kcontrol::path(&spec::parts, &part::name);
#endif

// volume_catalog: the claims, volumes and storage classes that VolumeBinding decides on.
#pragma once

#include <kcontrol/api/core/v1.hpp>
#include <kcontrol/api/storage/v1.hpp>
#include <kcontrol/model/label_selector.hpp>
#include <kcontrol/model/node_selector.hpp>
#include <kcontrol/values/quantity.hpp>

#include <functional>
#include <memory>
#include <optional>
#include <string>
#include <string_view>
#include <unordered_map>
#include <utility>
#include <vector>

namespace kcontrol::inline v0_1::scheduling {

/// What a pod's volumes need on the node that it goes to.
class volume_decision {
public:
    /// A claim, and the volume that becomes its own.
    struct binding {
        std::shared_ptr<const api::core::v1::persistent_volume_claim> claim;  ///< unbound
        std::shared_ptr<const api::core::v1::persistent_volume> volume;       ///< the smallest that satisfies it
    };

    std::vector<binding> bindings;  ///< pre_bind writes the claim into spec.claimRef of the volume
    /// pre_bind writes the node into the annotation volume.kubernetes.io/selected-node of the claim.
    std::vector<std::shared_ptr<const api::core::v1::persistent_volume_claim>> provisions;

    bool empty() const noexcept { return bindings.empty() && provisions.empty(); }  ///< all claims are bound
};

/// The objects as a scheduler knows them, and the decisions that the API server has not shown yet.
///
/// Thread-safety: distinct objects safe; shared objects safe for const access.
class volume_catalog {
public:
    using claim = api::core::v1::persistent_volume_claim;                 ///< a PersistentVolumeClaim
    using volume = api::core::v1::persistent_volume;                      ///< a PersistentVolume
    using storage_class = api::storage::v1::storage_class;                ///< a StorageClass
    using csi_driver = api::storage::v1::csi_driver;                      ///< a CSIDriver
    using csi_storage_capacity = api::storage::v1::csi_storage_capacity;  ///< a CSIStorageCapacity

    /// A volume with the parts that are parsed once.
    struct known_volume {
        std::shared_ptr<const volume> object;  ///< as the API server shows it
        quantity capacity;                     ///< its storage; 0 if it is wrong
        std::optional<node_selector> nodes;    ///< from where it can be reached; absent: from any
        std::string assumed_claim;             ///< "namespace/name": decided to be this one's; empty: none
    };
    /// A claim, and the node that its volume is to be made for.
    struct known_claim {
        std::shared_ptr<const claim> object;  ///< as the API server shows it
        std::string selected_node;            ///< of the annotation, or decided; empty: none
        bool is_assumed = false;              ///< it was decided, and the annotation was not shown since
    };
    /// How much a driver can provide, and where.
    struct known_capacity {
        std::shared_ptr<const csi_storage_capacity> object;  ///< as the API server shows it
        std::optional<quantity> greatest;                    ///< of one volume; absent: unknown
        quantity total;                                      ///< of all volumes; 0 if unknown
        std::optional<label_selector> nodes;                 ///< absent: none
    };

    /// An object was added or modified.
    KCONTROL_DECL void set(std::shared_ptr<const claim> object);
    KCONTROL_DECL void set(std::shared_ptr<const volume> object);                            ///< the same
    KCONTROL_DECL void set(std::shared_ptr<const storage_class> object);                     ///< the same
    KCONTROL_DECL void set(std::shared_ptr<const csi_driver> object);                        ///< the same
    KCONTROL_DECL void set(std::shared_ptr<const csi_storage_capacity> object);              ///< the same
    KCONTROL_DECL void remove_claim(std::string_view namespace_, std::string_view name);     ///< it was deleted
    KCONTROL_DECL void remove_volume(std::string_view name);                                 ///< it was deleted
    KCONTROL_DECL void remove_class(std::string_view name);                                  ///< it was deleted
    KCONTROL_DECL void remove_driver(std::string_view name);                                 ///< it was deleted
    KCONTROL_DECL void remove_capacity(std::string_view namespace_, std::string_view name);  ///< it was deleted

    /// A decision for a pod on that node counts until the API server shows it, or forget().
    KCONTROL_DECL void assume(const volume_decision& decision, std::string_view node);
    /// What was written failed, or will not be written.
    KCONTROL_DECL void forget(const volume_decision& decision);

    /// The object, or null.
    KCONTROL_DECL const known_claim* find_claim(std::string_view namespace_, std::string_view name) const;
    KCONTROL_DECL const known_volume* find_volume(std::string_view name) const;                    ///< or null
    KCONTROL_DECL const api::storage::v1::storage_class* find_class(std::string_view name) const;  ///< or null
    KCONTROL_DECL const api::storage::v1::csi_driver* find_driver(std::string_view name) const;    ///< or null
    /// The volumes of a class.
    KCONTROL_DECL const std::vector<const known_volume*>& volumes_of(std::string_view storage_class_name) const;
    /// What drivers can provide, for all classes.
    const std::vector<known_capacity>& capacities() const noexcept { return capacities_; }

private:
    struct text_hash : std::hash<std::string_view> {
        using is_transparent = void;
    };
    template <class T>
    using by_text = std::unordered_map<std::string, T, text_hash, std::equal_to<>>;

    by_text<known_claim> claims_;  // by "namespace/name"
    by_text<known_volume> volumes_;
    by_text<std::vector<const known_volume*>> volumes_of_class_;
    by_text<std::shared_ptr<const storage_class>> classes_;
    by_text<std::shared_ptr<const csi_driver>> drivers_;
    std::vector<known_capacity> capacities_;
};

/// The name of the class of a claim or a volume. The old annotation counts before the field.
KCONTROL_DECL std::string_view storage_class_of(const api::core::v1::persistent_volume_claim& claim);
KCONTROL_DECL std::string_view storage_class_of(const api::core::v1::persistent_volume& volume);  ///< the same

}  // namespace kcontrol::scheduling

#ifdef KCONTROL_HEADER_ONLY
#include <kcontrol/scheduling/impl/volume_catalog.ipp>
#endif

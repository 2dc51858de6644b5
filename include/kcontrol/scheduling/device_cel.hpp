// device_selects: selectors of devices, evaluated by kcontrol::cel.
#pragma once

#include <kcontrol/api/resource/v1.hpp>
#include <kcontrol/base/result.hpp>
#include <kcontrol/cel/environment.hpp>
#include <kcontrol/cel/program.hpp>
#include <kcontrol/scheduling/device_allocator.hpp>

#include <cstddef>
#include <string_view>

namespace kcontrol::inline v0_1::scheduling {

/// Compiles the expression of a DeviceClass's or request's selector. Its variable `device` has `driver`, `attributes`
/// and `capacity` (by domain, then by name) and `allowMultipleAllocations`.
/// Errors: invalid_argument, with line and column, or because it is longer than 10,240 octets.
/// Source: https://kubernetes.io/docs/concepts/scheduling-eviction/dynamic-resource-allocation/
KCONTROL_DECL result<cel::program> compile_device_selector(std::string_view expression);

/// What `device` stands for. Names without a domain are of the driver's. An unknown domain is an empty map.
/// Errors: invalid_argument, with the attribute or capacity that can't be read.
KCONTROL_DECL result<cel::value> device_variable(std::string_view driver, const api::resource::v1::device& of);

/// Whether a compiled selector is true of a device.
/// Errors: invalid_argument: it fails, is no bool, or costs more than Kubernetes allows (1,000,000).
KCONTROL_DECL result<bool> device_matches(const cel::program& selector, std::string_view driver,
                                          const api::resource::v1::device& of);

/// A function for device_allocator_options. It keeps the expressions that it has compiled, at most `most_kept`, also
/// across allocations. Copies share them.
///
///     const device_allocator_options how(device_selects(), &find_class);
///
/// Thread-safety: copies of one function are not to be called at once.
KCONTROL_DECL device_allocator_options::selects_function device_selects(std::size_t most_kept = 1000);

}  // namespace kcontrol::scheduling

#ifdef KCONTROL_HEADER_ONLY
#include <kcontrol/scheduling/impl/device_cel.ipp>
#endif

// Every definition of kcontrol::api_beta, for a build without CMake: include it in one source file of yours.
// Written by tools/check_umbrella.py --write.
#pragma once

#ifndef KCONTROL_SEPARATE_COMPILATION
#error "kcontrol/api_beta/src.hpp is for compiled mode: define KCONTROL_SEPARATE_COMPILATION in every source file"
#endif

#include <kcontrol/api_beta/impl/admissionregistration_v1alpha1.ipp>
#include <kcontrol/api_beta/impl/admissionregistration_v1beta1.ipp>
#include <kcontrol/api_beta/impl/apiserverinternal_v1alpha1.ipp>
#include <kcontrol/api_beta/impl/certificates_v1beta1.ipp>
#include <kcontrol/api_beta/impl/coordination_v1alpha2.ipp>
#include <kcontrol/api_beta/impl/coordination_v1beta1.ipp>
#include <kcontrol/api_beta/impl/lifecycle_v1alpha1.ipp>
#include <kcontrol/api_beta/impl/resource_v1alpha3.ipp>
#include <kcontrol/api_beta/impl/resource_v1beta1.ipp>
#include <kcontrol/api_beta/impl/resource_v1beta2.ipp>
#include <kcontrol/api_beta/impl/scheduling_v1alpha3.ipp>
#include <kcontrol/api_beta/impl/scheduling_v1beta1.ipp>
#include <kcontrol/api_beta/impl/storagemigration_v1beta1.ipp>

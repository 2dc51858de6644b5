// Every definition of kcontrol::cel, for a build without CMake: include it in one source file of yours.
// Written by tools/check_umbrella.py --write.
#pragma once

#ifndef KCONTROL_SEPARATE_COMPILATION
#error "kcontrol/cel/src.hpp is for compiled mode: define KCONTROL_SEPARATE_COMPILATION in every source file"
#endif

#include <kcontrol/cel/impl/environment.ipp>
#include <kcontrol/cel/impl/functions.ipp>
#include <kcontrol/cel/impl/functions_convert.ipp>
#include <kcontrol/cel/impl/functions_format.ipp>
#include <kcontrol/cel/impl/functions_kubernetes.ipp>
#include <kcontrol/cel/impl/functions_list.ipp>
#include <kcontrol/cel/impl/functions_optional.ipp>
#include <kcontrol/cel/impl/functions_table.ipp>
#include <kcontrol/cel/impl/functions_text.ipp>
#include <kcontrol/cel/impl/lexer.ipp>
#include <kcontrol/cel/impl/network.ipp>
#include <kcontrol/cel/impl/program_evaluate.ipp>
#include <kcontrol/cel/impl/program_parse.ipp>
#include <kcontrol/cel/impl/semver.ipp>
#include <kcontrol/cel/impl/time.ipp>
#include <kcontrol/cel/impl/type.ipp>
#include <kcontrol/cel/impl/url.ipp>
#include <kcontrol/cel/impl/value.ipp>
#include <kcontrol/cel/impl/value_schema.ipp>

// Every definition of kcontrol::testing, for a build without CMake: include it in one source file of yours.
// Written by tools/check_umbrella.py --write.
#pragma once

#ifndef KCONTROL_SEPARATE_COMPILATION
#error "kcontrol/testing/src.hpp is for compiled mode: define KCONTROL_SEPARATE_COMPILATION in every source file"
#endif

#include <kcontrol/apiserver/impl/access_control.ipp>
#include <kcontrol/apiserver/impl/api_defaults.ipp>
#include <kcontrol/apiserver/impl/api_server_collector.ipp>
#include <kcontrol/apiserver/impl/api_server_core.ipp>
#include <kcontrol/apiserver/impl/api_server_crds.ipp>
#include <kcontrol/apiserver/impl/api_server_watch.ipp>
#include <kcontrol/apiserver/impl/api_server_writes.ipp>
#include <kcontrol/apiserver/impl/body_writer.ipp>
#include <kcontrol/apiserver/impl/builtin_resource_types.ipp>
#include <kcontrol/apiserver/impl/builtin_schema.ipp>
#include <kcontrol/apiserver/impl/builtin_table.ipp>
#include <kcontrol/apiserver/impl/compare_fields.ipp>
#include <kcontrol/apiserver/impl/deletion.ipp>
#include <kcontrol/apiserver/impl/discovery.ipp>
#include <kcontrol/apiserver/impl/failure.ipp>
#include <kcontrol/apiserver/impl/fault.ipp>
#include <kcontrol/apiserver/impl/field_managers.ipp>
#include <kcontrol/apiserver/impl/garbage_collector.ipp>
#include <kcontrol/apiserver/impl/initial_values.ipp>
#include <kcontrol/apiserver/impl/json_path.ipp>
#include <kcontrol/apiserver/impl/list_page.ipp>
#include <kcontrol/apiserver/impl/list_query.ipp>
#include <kcontrol/apiserver/impl/merge_fields.ipp>
#include <kcontrol/apiserver/impl/object_filter.ipp>
#include <kcontrol/apiserver/impl/object_store.ipp>
#include <kcontrol/apiserver/impl/object_store_apply.ipp>
#include <kcontrol/apiserver/impl/object_store_remove.ipp>
#include <kcontrol/apiserver/impl/openapi.ipp>
#include <kcontrol/apiserver/impl/owned_fields.ipp>
#include <kcontrol/apiserver/impl/prune_fields.ipp>
#include <kcontrol/apiserver/impl/rendering.ipp>
#include <kcontrol/apiserver/impl/request_info.ipp>
#include <kcontrol/apiserver/impl/request_log.ipp>
#include <kcontrol/apiserver/impl/resource_table.ipp>
#include <kcontrol/apiserver/impl/resource_type.ipp>
#include <kcontrol/apiserver/impl/schema_shape.ipp>
#include <kcontrol/apiserver/impl/stored_object.ipp>
#include <kcontrol/apiserver/impl/strategic_merge.ipp>
#include <kcontrol/apiserver/impl/timestamp.ipp>
#include <kcontrol/apiserver/impl/typed_object.ipp>
#include <kcontrol/apiserver/impl/validation.ipp>
#include <kcontrol/apiserver/impl/watch_cursor.ipp>
#include <kcontrol/apiserver/impl/write_request.ipp>
#include <kcontrol/apiserver/impl/write_rules.ipp>
#include <kcontrol/testing/impl/api_server.ipp>
#include <kcontrol/testing/impl/event_checker.ipp>
#include <kcontrol/testing/impl/fake_source.ipp>
#include <kcontrol/testing/impl/local_api_server.ipp>
#include <kcontrol/testing/impl/manual_environment.ipp>
#include <kcontrol/testing/impl/scripted_body.ipp>
#include <kcontrol/testing/impl/scripted_transport.ipp>
#include <kcontrol/testing/impl/sim_context.ipp>
#include <kcontrol/testing/impl/sim_environment.ipp>
#include <kcontrol/testing/impl/sim_network.ipp>
#include <kcontrol/testing/impl/sim_server.ipp>
#include <kcontrol/testing/impl/sim_world.ipp>
#include <kcontrol/testing/impl/temporary_directory.ipp>

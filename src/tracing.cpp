#include <kcontrol/tracing/impl/otlp_exporter.ipp>
#include <kcontrol/tracing/impl/otlp_json.ipp>
#include <kcontrol/tracing/impl/otlp_options.ipp>
#include <kcontrol/tracing/impl/sampler.ipp>

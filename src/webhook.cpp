#include <kcontrol/webhook/impl/admission_handler.ipp>
#include <kcontrol/webhook/impl/admission_request.ipp>
#include <kcontrol/webhook/impl/admission_response.ipp>
#include <kcontrol/webhook/impl/admission_verdict.ipp>
#include <kcontrol/webhook/impl/conversion_review.ipp>
#include <kcontrol/webhook/impl/kind_conversion.ipp>
#include <kcontrol/webhook/impl/object_edit.ipp>

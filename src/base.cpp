#include <kcontrol/base/impl/display_width.ipp>
#include <kcontrol/base/impl/errc.ipp>
#include <kcontrol/base/impl/error.ipp>
#include <kcontrol/base/impl/flags.ipp>
#include <kcontrol/base/impl/log.ipp>
#include <kcontrol/base/impl/secret_string.ipp>
#include <kcontrol/base/impl/thrown.ipp>

#include <kcontrol/json/impl/cursor.ipp>
#include <kcontrol/json/impl/reader.ipp>
#include <kcontrol/json/impl/writer.ipp>

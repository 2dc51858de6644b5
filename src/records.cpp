#include <kcontrol/records/impl/sqlite_records.ipp>

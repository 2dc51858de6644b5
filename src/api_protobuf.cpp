#include <kcontrol/api/impl/protobuf.ipp>

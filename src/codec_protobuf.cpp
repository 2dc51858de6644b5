// Apart from codec.cpp: programs that speak JSON link none of it.
#include <kcontrol/codec/impl/protobuf.ipp>
#include <kcontrol/codec/impl/protobuf_stream.ipp>

// Apart from client.cpp: programs whose clients speak JSON link none of it.
#include <kcontrol/client/impl/protobuf_encoding.ipp>

// release_workspace(): a pool that is not needed for a while keeps what it shares, and none of the decoder's memory.
#pragma once

#include <kcontrol/codec/share_pool.hpp>

namespace kcontrol::inline v0_1 {

/// Gives the decoder's working memory back: some 30 KB after an object of 10. The next object that is decoded with the
/// pool takes it again. Not to be called while one is being decoded.
KCONTROL_DECL void release_workspace(share_pool& pool);

}  // namespace kcontrol

#ifdef KCONTROL_HEADER_ONLY
#include <kcontrol/codec/impl/share_pool.ipp>
#endif

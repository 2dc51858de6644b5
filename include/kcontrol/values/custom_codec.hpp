// custom_codec: how a type that is not a struct of fields stands in JSON.
#pragma once

namespace kcontrol::inline v0_1 {

/// JSON for a type that is not a struct of fields (a quantity, an enum): specialise it with
/// `static result<void> decode(json::node, T&)`, `static void encode(const T&, json::writer&)` and
/// `static bool empty(const T&)`, which says whether a member of that value is left out. T has operator==.
/// An object whose decode throws does not decode, as one whose decode returns an error; what encode throws comes out of
/// the call that writes the object. decode is not called for null, which is as good as absent. `static constexpr
/// std::string_view schema` may give the JSON of its structural schema; without it a CRD allows any value there.
template <class T>
struct custom_codec {};

}  // namespace kcontrol

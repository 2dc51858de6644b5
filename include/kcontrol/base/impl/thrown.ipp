#pragma once

#include <kcontrol/base/errc.hpp>
#include <kcontrol/base/thrown.hpp>

#include <exception>

namespace kcontrol::inline v0_1 {

KCONTROL_DECL std::string describe_thrown() {
    try {
        throw;
    } catch (const std::exception& e) {
        return e.what();
    } catch (const std::string& text) {
        return text;
    } catch (const char* text) {
        return text != nullptr ? text : "";
    } catch (...) {
        return "an exception that is no std::exception";
    }
}

KCONTROL_DECL error error_of_thrown(std::string_view who) {
    try {
        throw;
    } catch (const exception& e) {  // of result::value()
        return e.cause();
    } catch (...) {
        return error(errc::callback_failed, std::string(who) + " threw: " + describe_thrown());
    }
}

}  // namespace kcontrol

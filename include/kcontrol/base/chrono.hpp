// std::chrono's durations, time points, clocks and literals, without the calendars, time zones and streams of <chrono>.
//
// In libstdc++ 12 and later <chrono> brings all of <sstream> and <locale>, for formatting that a header of ours never
// does; that is some 5 % of the compile time of a user's file. Include <chrono> itself where a calendar is wanted.
#pragma once

#include <ratio>

#if defined(__GLIBCXX__) && defined(__has_include)
#if __has_include(<bits/chrono.h>)
#include <bits/chrono.h>
#define KCONTROL_HAS_LIGHT_CHRONO
#endif
#endif

#ifndef KCONTROL_HAS_LIGHT_CHRONO
#include <chrono>
#endif

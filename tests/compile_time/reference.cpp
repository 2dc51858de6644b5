// What any program on Asio includes before it does a thing: the measure of the machine beside the user's file.
#include <boost/asio/awaitable.hpp>

#include <functional>
#include <map>
#include <string>
#include <vector>

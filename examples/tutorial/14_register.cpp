// A service that says that it is there: an object is registered as long as the program runs.
// usage: 14_register KUBECONFIG OBJECT, a JSON object such as a ConfigMap
#include <kcontrol/service/connection.hpp>
#include <kcontrol/service/registration.hpp>

#include <csignal>
#include <iostream>

namespace service = kcontrol::service;

int main(int argc, char** argv) {
    if (argc != 3) return std::cerr << "usage: 14_register KUBECONFIG OBJECT\n", 2;
    sigset_t ends;
    sigemptyset(&ends), sigaddset(&ends, SIGINT), sigaddset(&ends, SIGTERM);
    pthread_sigmask(SIG_BLOCK, &ends, nullptr);  // they are waited for below

    auto cluster = service::connection::open(service::connection_options().kubeconfig(argv[1]));
    if (!cluster) return std::cerr << cluster.error().what() << "\n", 1;

    const auto object = cluster->start<service::registration>(std::string(argv[2]), service::registration_options());
    if (!object) return std::cerr << object.error().what() << "\n", 1;
    const auto there = cluster->run([&] { return (*object)->wait_applied(); });
    if (!there) return std::cerr << there.error().what() << "\n", 1;
    std::cout << "registered" << std::endl;

    int signal = 0;
    sigwait(&ends, &signal);
}  // the object is deleted

/* examples/service_c/poll.c, with client-go in place of kcontrol: a loop around poll(). usage: program NAMESPACE LEASE SERVICE */
#include <poll.h>
#include <signal.h>
#include <stdio.h>
#include <unistd.h>

extern int peer_start(char *namespace, char *lease, char *service, int pipe);
extern void peer_stop(void);

static volatile sig_atomic_t ended;
static void end(int number) { (void)number; ended = 1; }

int main(int argc, char **argv) {
    int ends[2];
    struct sigaction action = {.sa_handler = end, .sa_flags = SA_ONSTACK};
    if (argc != 4) return fprintf(stderr, "usage: program NAMESPACE LEASE SERVICE\n"), 2;
    sigaction(SIGTERM, &action, NULL);
    if (pipe(ends) != 0 || peer_start(argv[1], argv[2], argv[3], ends[1]) != 0) return 1;
    struct pollfd waiting = {.fd = ends[0], .events = POLLIN};
    while (!ended) {
        char text[4096];
        if (poll(&waiting, 1, -1) != 1) continue;
        ssize_t length = read(ends[0], text, sizeof text);
        if (length > 0 && write(1, text, (size_t)length) != length) return 1;
    }
    peer_stop();
    return 0;
}

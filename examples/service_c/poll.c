/* Leads, and prints who serves: a program with a loop around poll(), and no thread.
 * usage: poll NAMESPACE LEASE SERVICE */
#include <kcontrol_service.h>
#include <poll.h>
#include <signal.h>
#include <stdio.h>

static volatile sig_atomic_t ended;
static void end(int number) { (void)number; ended = 1; }

static int failed(const char *what) {
    char text[512];
    kc_error(text, sizeof text);
    fprintf(stderr, "%s: %s\n", what, text);
    return 1;
}

static void on_lead(void *user, int leading, uint64_t token) {
    (void)user;
    printf(leading ? "leading, token %llu\n" : "lost, token %llu\n", (unsigned long long)token);
    fflush(stdout);
}

static void on_change(void *user, kc_handle endpoints) {
    kc_handle snapshot;
    kc_endpoint at = {.size = sizeof at};
    (void)user;
    if (kc_snapshot(endpoints, &snapshot) != KC_OK) return (void)failed("endpoints");
    for (size_t i = 0; kc_snapshot_at(snapshot, i, &at) == KC_OK; i++)
        printf("%s:%u%s\n", at.address, at.port, at.ready ? "" : " not ready");
    printf("--\n");
    fflush(stdout);
    kc_free(snapshot);
}

int main(int argc, char **argv) {
    kc_handle client, lead, endpoints;
    char options[512], target[512];
    struct pollfd waiting = {.events = POLLIN};
    if (argc != 4) return fprintf(stderr, "usage: poll NAMESPACE LEASE SERVICE\n"), 2;
    snprintf(options, sizeof options, "{\"namespace\":\"%s\",\"lease\":\"%s\"}", argv[1], argv[2]);
    snprintf(target, sizeof target, "%s/%s", argv[1], argv[3]);
    signal(SIGTERM, end);
    signal(SIGINT, end);

    if (kc_client_new("{\"thread\":false}", &client) != KC_OK) return failed("client");
    if (kc_client_fd(client, &waiting.fd) != KC_OK) return failed("descriptor");
    if (kc_lead(client, options, on_lead, NULL, &lead) != KC_OK) return failed("lead");
    if (kc_endpoints(client, target, NULL, on_change, NULL, &endpoints) != KC_OK) return failed("endpoints");
    while (!ended) {
        /* The program's own descriptors stand beside this one. */
        poll(&waiting, 1, -1);
        int code = kc_client_dispatch(client, 0);
        if (code != KC_OK && code != KC_ETIMEDOUT) return failed("dispatch");
    }
    return kc_free(client) == KC_OK ? 0 : failed("end"); /* gives the Lease up */
}

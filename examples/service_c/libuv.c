/* Prints the leader's address at each change: a program with libuv's loop, and no thread of the library.
 * usage: libuv k8s://NAMESPACE/LEASE */
#include <kcontrol_service.h>
#include <stdio.h>
#include <uv.h>

static const char *const states[] = {"live", "resuming", "stale"};

static int failed(const char *what) {
    char text[512];
    kc_error(text, sizeof text);
    fprintf(stderr, "%s: %s\n", what, text);
    return 1;
}

static void on_change(void *user, kc_handle follow) {
    char address[256] = "";
    int state = KC_STALE;
    int code = kc_follow_get(follow, address, sizeof address, &state, NULL);
    (void)user;
    if (code != KC_OK && code != KC_ENOTFOUND) return (void)failed("follow");
    printf("%s %s\n", code == KC_OK ? address : "-", states[state]);
    fflush(stdout);
}

static void on_readable(uv_poll_t *poll, int status, int events) {
    (void)status, (void)events;
    kc_client_dispatch(*(kc_handle *)poll->data, 0);
}

static void on_signal(uv_signal_t *signal, int number) {
    (void)number;
    uv_stop(signal->loop);
}

int main(int argc, char **argv) {
    kc_handle client, follow;
    uv_loop_t *loop = uv_default_loop();
    uv_poll_t poll;
    uv_signal_t ends;
    int fd;
    if (argc != 2) return fprintf(stderr, "usage: libuv k8s://NAMESPACE/LEASE\n"), 2;
    if (kc_client_new("{\"thread\":false}", &client) != KC_OK) return failed("client");
    if (kc_follow(client, argv[1], on_change, NULL, &follow) != KC_OK) return failed("follow");
    if (kc_client_fd(client, &fd) != KC_OK) return failed("descriptor");
    uv_poll_init(loop, &poll, fd);
    poll.data = &client;
    uv_poll_start(&poll, UV_READABLE, on_readable);
    uv_signal_init(loop, &ends);
    uv_signal_start(&ends, on_signal, SIGTERM);
    uv_run(loop, UV_RUN_DEFAULT);
    uv_poll_stop(&poll); /* before the descriptor goes */
    return kc_free(client) == KC_OK ? 0 : failed("end");
}

/* Registers an object, and prints how many endpoints of a Service are ready: a program with GLib's main loop.
 * usage: glib NAMESPACE SERVICE OBJECT-JSON */
#include <glib-unix.h>
#include <kcontrol_service.h>

static kc_handle client;

static int failed(const char *what) {
    char text[512];
    kc_error(text, sizeof text);
    g_printerr("%s: %s\n", what, text);
    return 1;
}

static void on_change(void *user, kc_handle endpoints) {
    kc_handle snapshot;
    kc_endpoint at = {.size = sizeof at};
    unsigned ready = 0;
    (void)user;
    if (kc_snapshot(endpoints, &snapshot) != KC_OK) return (void)failed("endpoints");
    for (size_t i = 0; kc_snapshot_at(snapshot, i, &at) == KC_OK; i++) ready += at.ready;
    g_print("%u ready\n", ready);
    kc_free(snapshot);
}

static gboolean on_readable(gint fd, GIOCondition condition, gpointer user) {
    (void)fd, (void)condition, (void)user;
    kc_client_dispatch(client, 0);
    return G_SOURCE_CONTINUE;
}

static gboolean on_signal(gpointer loop) {
    g_main_loop_quit(loop);
    return G_SOURCE_REMOVE;
}

int main(int argc, char **argv) {
    kc_handle endpoints, registration;
    int fd;
    if (argc != 4) return g_printerr("usage: glib NAMESPACE SERVICE OBJECT-JSON\n"), 2;
    GMainLoop *loop = g_main_loop_new(NULL, FALSE);
    char *target = g_strdup_printf("%s/%s", argv[1], argv[2]);
    if (kc_client_new("{\"thread\":false}", &client) != KC_OK) return failed("client");
    if (kc_client_fd(client, &fd) != KC_OK) return failed("descriptor");
    if (kc_register(client, argv[3], &registration) != KC_OK) return failed("register");
    if (kc_endpoints(client, target, NULL, on_change, NULL, &endpoints) != KC_OK) return failed("endpoints");
    guint source = g_unix_fd_add(fd, G_IO_IN, on_readable, NULL);
    g_unix_signal_add(SIGTERM, on_signal, loop);
    g_main_loop_run(loop);
    g_source_remove(source); /* before the descriptor goes */
    g_free(target);
    g_main_loop_unref(loop);
    return kc_free(client) == KC_OK ? 0 : failed("end"); /* deletes the object */
}

/* A program in C99: all calls, and ways in which a process ends. It is linked with the archive and its sanitizers, and with the
 * shared library.
 * usage: probe all|exit|return|exit-in-callback|pthread|abort KUBECONFIG [LOG-LEVEL]
 *        probe abort-without-core KUBECONFIG
 *        probe cycles|cycles-without-thread KUBECONFIG COUNT */
#include <dirent.h>
#include <kcontrol_service.h>
#include <malloc.h>
#include <pthread.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#define CHECK(condition)                                                                          \
    do {                                                                                          \
        if (!(condition)) {                                                                       \
            char text_[512];                                                                      \
            kc_error(text_, sizeof text_);                                                        \
            fprintf(stderr, "probe.c:%d: %s (last failure: %s)\n", __LINE__, #condition, text_); \
            exit(1);                                                                              \
        }                                                                                         \
    } while (0)

#define OBJECT "{\"apiVersion\":\"v1\",\"kind\":\"ConfigMap\",\"metadata\":{\"name\":\"probe\",\"namespace\":\"default\"}}"

static pthread_mutex_t mutex = PTHREAD_MUTEX_INITIALIZER;
static pthread_cond_t changed = PTHREAD_COND_INITIALIZER;
static int led;
static int exit_in_callback;

static void on_lead(void *user, int leading, uint64_t token) {
    CHECK(strcmp((const char *)user, "user") == 0);
    CHECK(leading == 1 && token > 0);
    if (exit_in_callback) exit(0);
    pthread_mutex_lock(&mutex);
    led = 1;
    pthread_cond_broadcast(&changed);
    pthread_mutex_unlock(&mutex);
}

static void on_change(void *user, kc_handle what) { CHECK(user == NULL && what != 0); }

static void *free_handle(void *handle) {
    CHECK(kc_free(*(kc_handle *)handle) == KC_OK);
    return NULL;
}

static int entries_of(const char *path) {
    int count = 0;
    DIR *folder = opendir(path);
    CHECK(folder != NULL);
    while (readdir(folder) != NULL) count++;
    closedir(folder);
    return count;
}

/* A client with all parts, made and freed. */
static void cycle(const char *options, int parts_first) {
    kc_handle client, parts[4], snapshot;
    CHECK(kc_client_new(options, &client) == KC_OK);
    CHECK(kc_lead(client, "{\"namespace\":\"default\",\"lease\":\"probe\"}", NULL, NULL, &parts[0]) == KC_OK);
    CHECK(kc_register(client, OBJECT, &parts[1]) == KC_OK);
    CHECK(kc_follow(client, "k8s://default/probe", NULL, NULL, &parts[2]) == KC_OK);
    CHECK(kc_endpoints(client, "default/web", NULL, NULL, NULL, &parts[3]) == KC_OK);
    CHECK(kc_snapshot(parts[3], &snapshot) == KC_OK);
    for (int i = 0; parts_first && i < 4; i++) CHECK(kc_free(parts[i]) == KC_OK);
    CHECK(kc_free(client) == KC_OK);
    CHECK(kc_free(snapshot) == KC_OK);
}

/* Prints BYTES DESCRIPTORS THREADS after a tenth of the cycles, and after all. */
static int run_cycles(const char *options, int count) {
    for (int i = 1; i <= count; i++) {
        cycle(options, i % 2);
        if (i == count / 10 || i == count)
            printf("%zu %d %d\n", mallinfo2().uordblks, entries_of("/proc/self/fd"), entries_of("/proc/self/task"));
    }
    return 0;
}

int main(int argc, char **argv) {
    kc_handle client, lead, follow, endpoints, registration, snapshot;
    kc_endpoint at = {.size = sizeof at};
    char options[1024], address[256];
    int state, fd;
    int64_t ms;
    uint64_t token;
    size_t count;
    CHECK(argc == 3 || argc == 4);
    exit_in_callback = strcmp(argv[1], "exit-in-callback") == 0;
    CHECK(kc_abi_version() == 1);
    if (strncmp(argv[1], "cycles", 6) == 0) {
        snprintf(options, sizeof options, "{\"kubeconfig\":\"%s\",\"log\":\"off\",\"thread\":%s}", argv[2],
                 argv[1][6] == '\0' ? "true" : "false");
        return run_cycles(options, argc == 4 ? atoi(argv[3]) : 100);
    }
    snprintf(options, sizeof options, "{\"kubeconfig\":\"%s\",\"log\":\"%s\"%s}", argv[2], argc == 4 ? argv[3] : "off",
             strcmp(argv[1], "abort-without-core") == 0 ? "" : ",\"coreDumps\":true");
    CHECK(kc_client_new(options, &client) == KC_OK);
    CHECK(kc_client_fd(client, &fd) == KC_EINVAL);
    CHECK(kc_client_dispatch(client, 0) == KC_EINVAL);
    CHECK(kc_lead(client, "{\"namespace\":\"default\",\"lease\":\"probe\"}", on_lead, "user", &lead) == KC_OK);
    pthread_mutex_lock(&mutex);
    while (!led) pthread_cond_wait(&changed, &mutex);
    pthread_mutex_unlock(&mutex);
    CHECK(kc_lead_left(lead, &ms, &token) == KC_OK && ms > 0 && token > 0);
    CHECK(kc_register(client, OBJECT, &registration) == KC_OK);
    CHECK(kc_follow(client, "k8s://default/probe", on_change, NULL, &follow) == KC_OK);
    state = kc_follow_get(follow, address, sizeof address, NULL, &ms);
    CHECK(state == KC_OK || state == KC_ENOTFOUND);
    CHECK(kc_endpoints(client, "default/web", "{\"staleAfterSeconds\":5}", on_change, NULL, &endpoints) == KC_OK);
    CHECK(kc_snapshot(endpoints, &snapshot) == KC_OK);
    CHECK(kc_snapshot_info(snapshot, &token, &count, &state, &ms) == KC_OK);
    CHECK(kc_snapshot_at(snapshot, count, &at) == KC_ENOTFOUND);
    if (strcmp(argv[1], "exit") == 0) exit(0);
    if (strncmp(argv[1], "abort", 5) == 0) abort();
    if (strcmp(argv[1], "return") == 0) return 0;
    CHECK(kc_free(snapshot) == KC_OK);
    CHECK(kc_free(lead) == KC_OK);
    CHECK(kc_free(lead) == KC_EHANDLE);
    if (strcmp(argv[1], "pthread") == 0) {
        pthread_t thread;
        CHECK(pthread_create(&thread, NULL, free_handle, &client) == 0);
        CHECK(pthread_join(thread, NULL) == 0);
    } else {
        CHECK(kc_free(client) == KC_OK);
    }
    CHECK(kc_free(follow) == KC_EHANDLE);
    printf("done\n");
    return 0;
}

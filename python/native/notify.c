/* Callbacks of the C interface that need no Python: each makes descriptors readable, on which Python's threads and loops wait. So
 * the library's thread never waits for the GIL, and a Lease is renewed whatever Python does. */
#include <errno.h>
#include <pthread.h>
#include <stdint.h>
#include <stdlib.h>
#include <sys/eventfd.h>
#include <unistd.h>

#define API __attribute__((visibility("default")))

typedef struct {
    pthread_mutex_t mutex;
    int *fds;
    size_t count, room;
} notifier;

API notifier *kn_new(void) {
    notifier *n = calloc(1, sizeof *n);
    if (n != NULL) pthread_mutex_init(&n->mutex, NULL);
    return n;
}

/* A new descriptor, readable after the next change; negative: the error number. */
API int kn_add(notifier *n) {
    int fd = eventfd(0, EFD_CLOEXEC | EFD_NONBLOCK);
    if (fd < 0) return -errno;
    pthread_mutex_lock(&n->mutex);
    if (n->count == n->room) {
        size_t room = n->room == 0 ? 4 : n->room * 2;
        int *fds = realloc(n->fds, room * sizeof *fds);
        if (fds == NULL) {
            pthread_mutex_unlock(&n->mutex);
            close(fd);
            return -ENOMEM;
        }
        n->fds = fds;
        n->room = room;
    }
    n->fds[n->count++] = fd;
    pthread_mutex_unlock(&n->mutex);
    return fd;
}

/* Closes it. */
API void kn_remove(notifier *n, int fd) {
    pthread_mutex_lock(&n->mutex);
    for (size_t i = 0; i < n->count; i++) {
        if (n->fds[i] != fd) continue;
        n->fds[i] = n->fds[--n->count];
        close(fd);
        break;
    }
    pthread_mutex_unlock(&n->mutex);
}

/* Makes all readable. */
API void kn_wake(notifier *n) {
    pthread_mutex_lock(&n->mutex);
    for (size_t i = 0; i < n->count; i++) eventfd_write(n->fds[i], 1);
    pthread_mutex_unlock(&n->mutex);
}

/* After kc_free() of what calls it. */
API void kn_free(notifier *n) {
    for (size_t i = 0; i < n->count; i++) close(n->fds[i]);
    pthread_mutex_destroy(&n->mutex);
    free(n->fds);
    free(n);
}

API void kn_changed(void *user, uint64_t what) {
    (void)what;
    kn_wake(user);
}

API void kn_led(void *user, int leading, uint64_t token) {
    (void)leading;
    (void)token;
    kn_wake(user);
}

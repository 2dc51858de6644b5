/* What a service needs of Kubernetes, in C: lead, register itself, follow a leader, know the endpoints of a Service.
 *
 * Library: libkcontrol_service.so.0; flags: pkg-config --cflags --libs kcontrol_service. The page: docs/service_c.md.
 *
 * Rules of all functions
 * - Each returns KC_OK or a code below, unless it says otherwise. After another code kc_error() has a sentence that names what
 *   was wrong and the remedy. A handle that could not be made is 0 in *out.
 * - Thread-safety: any function, from any thread, with any handles. Exceptions: kc_client_dispatch() of one client runs on one
 *   thread at a time, and what is said at kc_free().
 * - Options and objects are JSON (UTF-8). NULL is {}. An unknown key, a wrong type or a value out of range: KC_EINVAL.
 * - Text is copied before a function returns, and no pointer of the caller is kept but `user`.
 * - In the child of a fork() each function that takes or makes a handle returns KC_EFORKED if a client existed at the fork.
 *   A child of a process without a client makes its own.
 * - No exception leaves a function, no signal handler is installed, no locale is set, no environment variable is written.
 *   Variables that are read: KUBECONFIG and HOME (which kubeconfig); KUBERNETES_SERVICE_HOST, KUBERNETES_SERVICE_PORT,
 *   POD_NAMESPACE and HOSTNAME (in a pod); HTTP_PROXY, HTTPS_PROXY and NO_PROXY, also in small letters, and REQUEST_METHOD (which
 *   proxy); client-go's DISABLE_HTTP2, HTTP2_READ_IDLE_TIMEOUT_SECONDS and HTTP2_PING_TIMEOUT_SECONDS; KCONTROL_TLS_HANDSHAKES
 *   (how many at a time); those of the resolver, LOCALDOMAIN, RES_OPTIONS and CARES_HOSTS; those of OpenSSL and simdjson,
 *   OPENSSL_CONF, OPENSSL_ia32cap, SSL_CERT_FILE, SSL_CERT_DIR and SIMDJSON_FORCE_IMPLEMENTATION. A credential plugin that a
 *   kubeconfig names is looked for in PATH (or from PWD), and gets all variables.
 *
 * Callbacks
 * - They are called one at a time per client: on the client's own thread. With {"thread":false} in kc_client_dispatch(), and in
 *   functions that do the client's work until they can return: kc_lead(), kc_register(), kc_follow(), kc_endpoints(), kc_free().
 * - One may be called before the function that registered it has returned; *out is set by then.
 * - None is called after kc_free() of its handle has returned. It must not throw, and returns soon: while one runs, no Lease is
 *   renewed. Within one all functions may be called, but see kc_free() and kc_client_dispatch().
 */
#ifndef KCONTROL_SERVICE_H
#define KCONTROL_SERVICE_H

#include <stddef.h>
#include <stdint.h>

#if defined(__GNUC__)
#define KC_API __attribute__((visibility("default")))
#else
#define KC_API
#endif

#ifdef __cplusplus
extern "C" {
#endif

/* A client, a part of one, or a snapshot. 0: none. A number is never used twice in a process. */
typedef uint64_t kc_handle;

enum {
    KC_OK = 0,
    KC_EINVAL,       /* an argument, an option, a kubeconfig or an object is wrong */
    KC_EHANDLE,      /* no such handle: 0, freed, never given, or of another kind */
    KC_EFORKED,      /* this process is the child of one that had a client */
    KC_EBUSY,        /* not in this callback, or not while another thread dispatches */
    KC_ETIMEDOUT,    /* the time was over first */
    KC_EUNREACHABLE, /* no API server, or no answer of it that can be used */
    KC_EFORBIDDEN,   /* the API server refuses the credentials or the right (401, 403) */
    KC_ENOTFOUND,    /* nothing there: no object, no leader, no such index */
    KC_ENOMEM        /* out of memory */
};

/* How far a followed value can be relied on. */
enum {
    KC_LIVE = 0, /* the watch is open, and the server gave a sign of life within staleAfterSeconds */
    KC_RESUMING, /* the watch is broken; the last sign of life is younger than that */
    KC_STALE     /* the last sign of life is older, there was none yet, or the value is from the cache file */
};

/* One backend. Set `size` to sizeof(kc_endpoint) before the call: a later library writes no further than the caller's struct
 * reaches. Strings are never NULL, empty where the server has not said them, and live as long as the snapshot. */
typedef struct {
    size_t size;
    const char *address;                 /* IPv4 or IPv6, without brackets */
    uint16_t port;
    uint8_t ready, serving, terminating; /* 0 or 1 */
    const char *zone, *node, *pod;
} kc_endpoint;

/* leading: 1 when this process has begun to lead, with the term's token; 0 when it leads no longer, with the token of the term
 * that has ended. */
typedef void (*kc_lead_fn)(void *user, int leading, uint64_t token);
/* The value or the state of `what` has changed; read it with kc_follow_get() or kc_snapshot(). */
typedef void (*kc_change_fn)(void *user, kc_handle what);

/* The version of this interface: 1. It grows when functions or members of structs are added. */
KC_API uint32_t kc_abi_version(void);

/* Copies the text of this thread's last failure, cut to `size` bytes with its final NUL; NULL and 0 only ask for the length.
 * Returns the length of the whole text without NUL; 0: nothing has failed on this thread. Other calls leave the text as it is
 * until one fails. It never holds a secret. */
KC_API size_t kc_error(char *buffer, size_t size);

/* Makes a client; nothing is sent yet.
 * options: "kubeconfig": path (else as kubectl: KUBECONFIG, ~/.kube/config, the pod's service account); "context": name in the
 * kubeconfig (else its current one); "thread": true: the library starts one thread, in which all signals are blocked. With false
 * it starts none, and works only in kc_client_dispatch(); "log": "off", "error", "warning" (as without it), "info" or "debug":
 * what is written to standard error, never a secret; "coreDumps": false: from now on no core of the process is
 * dumped, and no other program of its user can read its memory, for that holds the client's credentials. With true the process
 * stays as it is.
 * Errors: KC_EINVAL (options; a kubeconfig or a context that is missing or wrong), KC_EFORKED, KC_ENOMEM (also of threads and
 * descriptors). */
KC_API int kc_client_new(const char *options, kc_handle *out);

/* A descriptor that is readable when kc_client_dispatch() has work, timers included: for poll(), epoll, libuv, GLib. It stays the
 * same and belongs to the client: only wait for POLLIN. It may be readable once too often.
 * Errors: KC_EINVAL (the client has a thread), KC_EHANDLE, KC_EFORKED. */
KC_API int kc_client_fd(kc_handle client, int *fd);

/* Does the work that there is. If there is none, waits up to timeout_ms for some; 0: not at all, negative: without a limit.
 * Returns KC_OK after work, KC_ETIMEDOUT where there was none.
 * Errors: KC_EINVAL (the client has a thread), KC_EBUSY (in a callback, or while another thread dispatches this client),
 * KC_EHANDLE (also when the client is freed meanwhile), KC_EFORKED. */
KC_API int kc_client_dispatch(kc_handle client, int timeout_ms);

/* Takes part in the election of a Lease, until kc_free(). After a loss it takes part again.
 * options: "namespace" (else the pod's own); "lease": name, required; "identity" (else the host name and a random part);
 * "address": HOST:PORT for followers, in the Lease's annotation service.kcontrol.dev/address; "leaseDurationSeconds" 15,
 * "renewDeadlineSeconds" 10, "retryPeriodSeconds" 2: numbers, in this order from large to small; "label": {"key", "value", "pod"}:
 * on this pod while it leads (pod: else the host name); "acceptTokenReset" false: lead also when the server's versions went back
 * (a restored etcd), so that tokens may be smaller than earlier ones.
 * The token is a number that grows with each term of the Lease, whoever leads. A store refuses writes with a token smaller than
 * one it has seen: that, and not the callback, keeps a former leader out.
 * Errors: KC_EINVAL, KC_EHANDLE, KC_EFORKED, KC_ENOMEM. What the server refuses is logged and retried. */
KC_API int kc_lead(kc_handle client, const char *options, kc_lead_fn fn, void *user, kc_handle *out);

/* For how much longer this process certainly leads, in ms, and the term's token; 0 ms: it does not lead, and the token is 0. The
 * clock counts suspension. Cheap, without a lock of the loop: ask before each write. ms and token may be NULL.
 * Errors: KC_EHANDLE, KC_EFORKED. */
KC_API int kc_lead_left(kc_handle lead, int64_t *ms, uint64_t *token);

/* Keeps one object in the cluster: server-side apply, again when it was changed or deleted; deleted by kc_free(). The own pod, if
 * there is one, becomes its owner. object: whole, with apiVersion, kind and metadata.name.
 * Errors: KC_EINVAL, KC_EHANDLE, KC_EFORKED, KC_ENOMEM. What the server refuses is logged and retried. */
KC_API int kc_register(kc_handle client, const char *object, kc_handle *out);

/* Follows the leader of a Lease. url: "k8s://NAMESPACE/LEASE". fn may be NULL.
 * Errors: KC_EINVAL, KC_EHANDLE, KC_EFORKED, KC_ENOMEM. */
KC_API int kc_follow(kc_handle client, const char *url, kc_change_fn fn, void *user, kc_handle *out);

/* The leader's address with its final NUL; the annotation of the Lease, else a holder HOST:PORT. state: KC_LIVE, KC_RESUMING or
 * KC_STALE; age_ms: since the server's last sign of life, -1: there was none. Each pointer but follow may be NULL.
 * Errors, with state and age set: KC_ENOTFOUND (no leader, or none with an address: the address is "" then), KC_EFORBIDDEN and
 * KC_EUNREACHABLE (the same, because the server refuses or does not answer), KC_EINVAL (size is too small: kc_error() names the
 * size that is needed). Others: KC_EHANDLE, KC_EFORKED. */
KC_API int kc_follow_get(kc_handle follow, char *address, size_t size, int *state, int64_t *age_ms);

/* Follows the endpoints of a Service, or of pods.
 * target: "NAMESPACE/SERVICE", or "NAMESPACE" with the option "selector". options: "selector": label selector of pods, such as
 * "app=store,tier!=test"; "port": name or number, required where there are several; "staleAfterSeconds" 10; "cache": path of a
 * file for the last snapshot, from which the next start is filled (state KC_STALE) until the server has answered. fn may be NULL.
 * Errors: KC_EINVAL, KC_EHANDLE, KC_EFORKED, KC_ENOMEM. */
KC_API int kc_endpoints(kc_handle client, const char *target, const char *options, kc_change_fn fn, void *user,
                        kc_handle *out);

/* The endpoints as they are now: a value that never changes. It is the caller's, who frees it with kc_free(); it outlives
 * endpoints and client. Before the server has answered it has version 0 and no endpoints.
 * Errors: KC_EHANDLE, KC_EFORKED, KC_ENOMEM. Where nothing is known, and it is known why: KC_EFORBIDDEN (the text has the rule that
 * a Role lacks), KC_ENOTFOUND (no such Service), KC_EINVAL (no such port: the text lists those there are), KC_EUNREACHABLE. */
KC_API int kc_snapshot(kc_handle endpoints, kc_handle *out);

/* version: grows with each change; count: number of endpoints; state and age_ms: at the time of kc_snapshot(), as in
 * kc_follow_get(). Each pointer may be NULL. Errors: KC_EHANDLE, KC_EFORKED. */
KC_API int kc_snapshot_info(kc_handle snapshot, uint64_t *version, size_t *count, int *state, int64_t *age_ms);

/* Endpoint i, in order of address and port. Its strings live as long as the snapshot.
 * Errors: KC_ENOTFOUND (i is not below the count; the text says what stands in the way, if anything), KC_EINVAL (out is NULL or
 * its size is not set), KC_EHANDLE, KC_EFORKED. */
KC_API int kc_snapshot_at(kc_handle snapshot, size_t i, kc_endpoint *out);

/* Ends what the handle names, and waits for a callback of it that runs on another thread. A leader gives the Lease up, a
 * registered object is deleted; freeing a client does so with all its parts, whose handles end too. Snapshots stay. What needs
 * the server is bounded in time (some seconds): if it does not answer, all ends all the same.
 * With {"thread":false} it does the client's work itself meanwhile; another thread's kc_client_dispatch() returns KC_EHANDLE after
 * that. A part that is freed in the callback of another part ends without waiting: its Lease is given up soon after. No callback
 * reports what kc_free() ends. Two callbacks of two clients that free each other's handles wait for each other: do not.
 * At exit() handles need not be freed. A Lease that is held then is not given up, and its time runs out.
 * Errors: KC_EBUSY (in its own callback; for a client: in any callback of its parts; nothing is freed then), KC_EHANDLE,
 * KC_EFORKED. */
KC_API int kc_free(kc_handle any);

#ifdef __cplusplus
}
#endif

#endif

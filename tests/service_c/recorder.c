/* Preloaded into a program: records what the library, or a library that it needs, asks of the process's own settings: variables,
 * signals, locale. Each line of the file RECORD: OBJECT FUNCTION NAME. */
#define _GNU_SOURCE
#include <dlfcn.h>
#include <fcntl.h>
#include <locale.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

static void record(const void *caller, const char *function, const char *name) {
    Dl_info at;
    char line[512];
    const char *object = dladdr(caller, &at) != 0 && at.dli_fname != NULL ? at.dli_fname : "?";
    const char *slash = strrchr(object, '/');
    int length = snprintf(line, sizeof line, "%s %s %s\n", slash != NULL ? slash + 1 : object, function, name);
    int fd = open(RECORD, O_WRONLY | O_APPEND | O_CREAT | O_CLOEXEC, 0600);
    if (fd < 0 || write(fd, line, (size_t)length) != length) abort();
    close(fd);
}

#define RECORDED(result, function, parameters, arguments, condition, name) \
    result function parameters {                                           \
        result(*real) parameters;                                          \
        *(void **)&real = dlsym(RTLD_NEXT, #function);                     \
        if (condition) record(__builtin_return_address(0), #function, name); \
        return real arguments;                                             \
    }

RECORDED(char *, getenv, (const char *name), (name), 1, name)
RECORDED(char *, secure_getenv, (const char *name), (name), 1, name)
RECORDED(int, setenv, (const char *name, const char *value, int over), (name, value, over), 1, name)
RECORDED(int, unsetenv, (const char *name), (name), 1, name)
RECORDED(int, putenv, (char *text), (text), 1, text)
RECORDED(char *, setlocale, (int category, const char *locale), (category, locale), locale != NULL, locale)
RECORDED(locale_t, uselocale, (locale_t locale), (locale), locale != (locale_t)0, "-")
RECORDED(int, sigaction, (int number, const struct sigaction *act, struct sigaction *old), (number, act, old), act != NULL, "-")
RECORDED(sighandler_t, signal, (int number, sighandler_t handler), (number, handler), 1, "-")

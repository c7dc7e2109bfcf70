/*
 * Loaded into a process by LD_PRELOAD: notes what all of its threads do to files below $DISK_TRACE_ROOT, and the first line
 * of each HTTP answer, in the order in which it happens. One line of $DISK_TRACE_FILE for each call:
 *
 *     operation TAB thread TAB path TAB second path, or the beginning of what is written to the ledger
 *
 * What changes something is noted before it happens, a sync when it begins and when it has succeeded.
 */
#define _GNU_SOURCE
#include <dlfcn.h>
#include <errno.h>
#include <fcntl.h>
#include <limits.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <sys/syscall.h>
#include <sys/uio.h>
#include <unistd.h>

#define CONTENT 8192

static const char *root;
static size_t root_length;
static int file = -1;

__attribute__((constructor)) static void begin(void) {
  const char *path = getenv("DISK_TRACE_FILE");
  root = getenv("DISK_TRACE_ROOT");
  if (path == NULL || root == NULL) return;
  root_length = strlen(root);
  file = syscall(SYS_openat, AT_FDCWD, path, O_WRONLY | O_CREAT | O_APPEND | O_CLOEXEC, 0600);
}

static int is_ours(const char *path) { return file >= 0 && path != NULL && strncmp(path, root, root_length) == 0; }

static void note(const char *operation, const char *path, const char *rest, size_t length) {
  char line[2 * PATH_MAX + CONTENT];
  int saved = errno;
  int end = snprintf(line, sizeof line - CONTENT - 2, "%s\t%ld\t%s\t", operation, (long)syscall(SYS_gettid), path);
  for (size_t i = 0; i < length && i < CONTENT; i++) line[end++] = rest[i] >= ' ' && rest[i] <= '~' ? rest[i] : '.';
  line[end++] = '\n';
  syscall(SYS_write, file, line, end);
  errno = saved;
}

static void note_path(const char *operation, const char *path) {
  if (is_ours(path)) note(operation, path, "", 0);
}

static int path_of(int fd, char *path) {
  char link[64];
  int saved = errno;
  snprintf(link, sizeof link, "/proc/self/fd/%d", fd);
  ssize_t length = readlink(link, path, PATH_MAX - 1);
  errno = saved;
  if (length < 0) return 0;
  path[length] = 0;
  return is_ours(path);
}

static void note_write(int fd, const char *bytes, size_t length) {
  char path[PATH_MAX];
  if (file < 0) return;
  if (length > 12 && memcmp(bytes, "HTTP/1.1 ", 9) == 0) return note("answer", "", bytes + 9, 3);
  if (!path_of(fd, path)) return;
  int is_ledger = strstr(path, "/ledger") != NULL;
  note("write", path, bytes, is_ledger ? length : 0);
}

static void note_vector(int fd, const struct iovec *parts, int count) {
  if (count > 0) note_write(fd, parts[0].iov_base, parts[0].iov_len);
}

static void note_open(const char *path, int flags) {
  if ((flags & O_CREAT) == 0 || !is_ours(path)) return;
  int saved = errno;
  if (access(path, F_OK) != 0) note_path("create", path);
  errno = saved;
}

#define REAL(name) ((__typeof__(&name))dlsym(RTLD_NEXT, #name))

#define OPEN(name)                                          \
  int name(const char *path, int flags, ...) {              \
    va_list rest;                                           \
    va_start(rest, flags);                                  \
    mode_t mode = flags & O_CREAT ? va_arg(rest, int) : 0;  \
    va_end(rest);                                           \
    note_open(path, flags);                                 \
    return REAL(name)(path, flags, mode);                   \
  }
OPEN(open)
OPEN(open64)

#define SYNC(name)                       \
  int name(int fd) {                     \
    char path[PATH_MAX];                 \
    int ours = path_of(fd, path);        \
    if (ours) note_path("syncing", path);\
    int result = REAL(name)(fd);         \
    if (ours && result == 0) note_path("synced", path); \
    return result;                       \
  }
SYNC(fsync)
SYNC(fdatasync)

ssize_t write(int fd, const void *bytes, size_t length) {
  note_write(fd, bytes, length);
  return REAL(write)(fd, bytes, length);
}
ssize_t pwrite64(int fd, const void *bytes, size_t length, off64_t at) {
  note_write(fd, bytes, length);
  return REAL(pwrite64)(fd, bytes, length, at);
}
ssize_t pwrite(int fd, const void *bytes, size_t length, off_t at) {
  note_write(fd, bytes, length);
  return REAL(pwrite)(fd, bytes, length, at);
}
ssize_t writev(int fd, const struct iovec *parts, int count) {
  note_vector(fd, parts, count);
  return REAL(writev)(fd, parts, count);
}
ssize_t pwritev64(int fd, const struct iovec *parts, int count, off64_t at) {
  note_vector(fd, parts, count);
  return REAL(pwritev64)(fd, parts, count, at);
}
int ftruncate64(int fd, off64_t length) {
  char path[PATH_MAX];
  if (path_of(fd, path)) note_path("write", path);
  return REAL(ftruncate64)(fd, length);
}

/* Bits and times are lost with a power cut like bytes. */
int fchmod(int fd, mode_t mode) {
  char path[PATH_MAX];
  if (path_of(fd, path)) note_path("write", path);
  return REAL(fchmod)(fd, mode);
}
int futimens(int fd, const struct timespec times[2]) {
  char path[PATH_MAX];
  if (path_of(fd, path)) note_path("write", path);
  return REAL(futimens)(fd, times);
}

#define PATH(name, operation)                \
  int name(const char *path) {               \
    note_path(operation, path);              \
    return REAL(name)(path);                 \
  }
PATH(unlink, "unlink")
PATH(rmdir, "rmdir")

int mkdir(const char *path, mode_t mode) {
  if (is_ours(path) && access(path, F_OK) != 0) note_path("mkdir", path);
  return REAL(mkdir)(path, mode);
}

#define PATHS(name, operation)                                               \
  int name(const char *from, const char *to) {                               \
    if (is_ours(from) && is_ours(to)) note(operation, from, to, strlen(to)); \
    return REAL(name)(from, to);                                             \
  }
PATHS(rename, "rename")
PATHS(link, "link")

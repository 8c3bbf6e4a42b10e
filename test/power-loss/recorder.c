// Records every change that a process makes below a folder, so that a test can say what a power loss would have left.
//
// Preloaded into the server (LD_PRELOAD). Each record is one append to the log, made under a lock together with its
// call, so that the order of records is the order of calls; those of child processes mix with it, since appends are
// atomic. A write is recorded before its call, other changes after it. A sync has two records, for its beginning and its
// end: only what was written before the beginning is durable. The process ends itself once a file says so, between two
// changes: SIGKILL from outside might come between a change and its record.
//
// Record, little-endian: u32 magic, u8 operation, u8 flags, u16 length of path, u16 length of other path, u16 zero,
// u32 zero, u64 nanoseconds (monotonic), u64 inode, u64 offset, u64 length; then both paths, then the bytes of a write.
#define _GNU_SOURCE
#include <dlfcn.h>
#include <errno.h>
#include <fcntl.h>
#include <pthread.h>
#include <signal.h>
#include <stdarg.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/sendfile.h>
#include <sys/stat.h>
#include <sys/syscall.h>
#include <sys/uio.h>
#include <time.h>
#include <unistd.h>

enum { CREATE = 1, WRITE, TRUNCATE, SYNC_BEGIN, SYNC_END, RENAME, UNLINK, MKDIR, RMDIR, LINK, MAP, SYNC_ALL };
enum { DURABLE = 1 };

#define MAGIC 0x474c5750u
#define FILES_MAX 65536
#define PATH_BYTES 4096
#define PIECE_BYTES (1 << 20)
#define LOOK_NANOSECONDS 1000000

struct record {
  uint32_t magic;
  uint8_t operation, flags;
  uint16_t path_bytes, other_bytes, zero;
  uint32_t more;
  uint64_t time, inode, offset, length;
};

struct followed {
  uint64_t inode;
  uint8_t is_followed, is_durable, is_appending;
};

static pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER;
static struct followed files[FILES_MAX];
static const char *root;
static size_t root_bytes;
static int log_file = -1;

static void fail(const char *what) {
  fprintf(stderr, "recorder: %s: %s\n", what, strerror(errno));
  abort();
}

static void *wait_for_end(void *path) {
  const struct timespec pause = {.tv_nsec = LOOK_NANOSECONDS};
  while (syscall(SYS_faccessat, AT_FDCWD, path, F_OK) != 0) nanosleep(&pause, NULL);
  pthread_mutex_lock(&lock);
  kill(getpid(), SIGKILL);
  return NULL;
}

__attribute__((constructor)) static void start(void) {
  const char *path = getenv("RECORDER_LOG");
  root = getenv("RECORDER_ROOT");
  if (path == NULL || root == NULL) return;
  root_bytes = strlen(root);
  int fd = (int)syscall(SYS_openat, AT_FDCWD, path, O_WRONLY | O_APPEND | O_CREAT | O_CLOEXEC, 0600);
  if (fd < 0) fail("cannot open the log");
  // Out of the way of programs that close all small descriptors.
  log_file = fcntl(fd, F_DUPFD_CLOEXEC, 50000);
  if (log_file < 0) log_file = fd;
  else syscall(SYS_close, fd);
  pthread_t thread;
  char *end = getenv("RECORDER_END");
  if (end != NULL && pthread_create(&thread, NULL, wait_for_end, end) != 0) fail("cannot wait for the end");
}

static int is_below(const char *path) {
  return log_file >= 0 && path != NULL && strncmp(path, root, root_bytes) == 0 &&
         (path[root_bytes] == '/' || path[root_bytes] == 0);
}

static const char *absolute(int folder, const char *path, char *into) {
  if (path == NULL || path[0] == '/' || log_file < 0) return path;
  char base[PATH_BYTES];
  if (folder == AT_FDCWD) {
    if (getcwd(base, sizeof base) == NULL) return path;
  } else {
    char link_path[64];
    snprintf(link_path, sizeof link_path, "/proc/self/fd/%d", folder);
    ssize_t got = readlink(link_path, base, sizeof base - 1);
    if (got < 0) return path;
    base[got] = 0;
  }
  if (snprintf(into, PATH_BYTES, "%s/%s", base, path) >= PATH_BYTES) return path;
  return into;
}

static uint64_t now(void) {
  struct timespec time;
  clock_gettime(CLOCK_MONOTONIC, &time);
  return (uint64_t)time.tv_sec * 1000000000u + (uint64_t)time.tv_nsec;
}

static void append(struct record record, const char *path, const char *other, const void *bytes) {
  record.magic = MAGIC;
  record.time = now();
  record.path_bytes = path == NULL ? 0 : (uint16_t)strlen(path);
  record.other_bytes = other == NULL ? 0 : (uint16_t)strlen(other);
  struct iovec parts[4] = {{&record, sizeof record},
                           {(void *)path, record.path_bytes},
                           {(void *)other, record.other_bytes},
                           {(void *)bytes, record.operation == WRITE ? record.length : 0}};
  ssize_t whole = (ssize_t)(sizeof record + record.path_bytes + record.other_bytes + parts[3].iov_len);
  if (syscall(SYS_writev, log_file, parts, 4) != whole) fail("cannot append to the log");
}

/** The entry of a descriptor that is followed; NULL for others, also where the number was used again. */
static struct followed *followed(int fd) {
  if (log_file < 0 || fd < 0 || fd >= FILES_MAX || !files[fd].is_followed) return NULL;
  struct stat details;
  if (syscall(SYS_fstat, fd, &details) != 0 || details.st_ino != files[fd].inode) {
    files[fd].is_followed = 0;
    return NULL;
  }
  return &files[fd];
}

static void follow(int fd, int flags) {
  struct stat details;
  if (fd < 0 || fd >= FILES_MAX || syscall(SYS_fstat, fd, &details) != 0) return;
  files[fd] = (struct followed){details.st_ino, 1, (flags & (O_DSYNC | O_SYNC)) != 0, (flags & O_APPEND) != 0};
}

static int open_file(int folder, const char *given, int flags, mode_t mode) {
  char buffer[PATH_BYTES];
  const char *path = absolute(folder, given, buffer);
  if (!is_below(path)) {
    int fd = (int)syscall(SYS_openat, folder, given, flags, mode);
    if (log_file >= 0 && fd >= 0 && fd < FILES_MAX) files[fd].is_followed = 0;
    return fd;
  }
  pthread_mutex_lock(&lock);
  struct stat before;
  int was_there = syscall(SYS_newfstatat, AT_FDCWD, path, &before, 0) == 0;
  int fd = (int)syscall(SYS_openat, folder, given, flags, mode);
  int error = errno;
  if (fd >= 0) {
    follow(fd, flags);
    struct record record = {.inode = files[fd].inode};
    record.operation = CREATE;
    if (!was_there) append(record, path, NULL, NULL);
    record.operation = TRUNCATE;
    if (was_there && (flags & O_TRUNC) != 0 && before.st_size > 0) append(record, NULL, NULL, NULL);
  }
  pthread_mutex_unlock(&lock);
  errno = error;
  return fd;
}

static mode_t mode_of(int flags, va_list rest) {
  return (flags & (O_CREAT | O_TMPFILE)) != 0 ? (mode_t)va_arg(rest, int) : 0;
}

#define OPEN(name) \
  int name(const char *path, int flags, ...) { \
    va_list rest; \
    va_start(rest, flags); \
    mode_t mode = mode_of(flags, rest); \
    va_end(rest); \
    return open_file(AT_FDCWD, path, flags, mode); \
  }
OPEN(open)
OPEN(open64)
#define OPENAT(name) \
  int name(int folder, const char *path, int flags, ...) { \
    va_list rest; \
    va_start(rest, flags); \
    mode_t mode = mode_of(flags, rest); \
    va_end(rest); \
    return open_file(folder, path, flags, mode); \
  }
OPENAT(openat)
OPENAT(openat64)

static ssize_t recorded(int fd, const struct iovec *parts, int count, off_t offset, int is_positioned) {
  pthread_mutex_lock(&lock);
  struct followed *file = followed(fd);
  if (file == NULL) {
    pthread_mutex_unlock(&lock);
    if (is_positioned) return syscall(SYS_pwritev, fd, parts, count, offset, 0);
    return syscall(SYS_writev, fd, parts, count);
  }
  if (file->is_appending) {
    struct stat details;
    syscall(SYS_fstat, fd, &details);
    offset = details.st_size;
  } else if (!is_positioned) offset = (off_t)syscall(SYS_lseek, fd, 0, SEEK_CUR);
  // Before the call, as a kill between the two must not leave bytes on the disk that no record has.
  struct record record = {.operation = WRITE, .flags = file->is_durable ? DURABLE : 0, .inode = file->inode};
  off_t at = offset;
  size_t length = 0;
  for (int i = 0; i < count; i++) {
    record.offset = (uint64_t)at;
    record.length = parts[i].iov_len;
    if (record.length > 0) append(record, NULL, NULL, parts[i].iov_base);
    at += (off_t)record.length;
    length += record.length;
  }
  ssize_t done = is_positioned ? syscall(SYS_pwritev, fd, parts, count, offset, 0) : syscall(SYS_writev, fd, parts, count);
  int error = errno;
  if (done != (ssize_t)length) fail("a write was short");
  pthread_mutex_unlock(&lock);
  errno = error;
  return done;
}

ssize_t write(int fd, const void *bytes, size_t length) {
  if (log_file < 0 || fd < 0 || fd >= FILES_MAX || !files[fd].is_followed) return syscall(SYS_write, fd, bytes, length);
  struct iovec part = {(void *)bytes, length};
  return recorded(fd, &part, 1, 0, 0);
}
ssize_t writev(int fd, const struct iovec *parts, int count) {
  if (log_file < 0 || fd < 0 || fd >= FILES_MAX || !files[fd].is_followed) return syscall(SYS_writev, fd, parts, count);
  return recorded(fd, parts, count, 0, 0);
}
ssize_t pwrite(int fd, const void *bytes, size_t length, off_t offset) {
  struct iovec part = {(void *)bytes, length};
  return recorded(fd, &part, 1, offset, 1);
}
ssize_t pwrite64(int fd, const void *bytes, size_t length, off64_t offset) { return pwrite(fd, bytes, length, offset); }
ssize_t pwritev(int fd, const struct iovec *parts, int count, off_t offset) {
  return recorded(fd, parts, count, offset, 1);
}
ssize_t pwritev64(int fd, const struct iovec *parts, int count, off64_t offset) {
  return recorded(fd, parts, count, offset, 1);
}

/** Copies inside the kernel are recorded as writes of what was copied. */
static void record_copied(int to, off_t offset, ssize_t length) {
  static char piece[PIECE_BYTES];
  char path[64];
  snprintf(path, sizeof path, "/proc/self/fd/%d", to);
  int fd = (int)syscall(SYS_openat, AT_FDCWD, path, O_RDONLY | O_CLOEXEC, 0);
  if (fd < 0) fail("cannot read a copied file");
  while (length > 0) {
    ssize_t got = syscall(SYS_pread64, fd, piece, length < PIECE_BYTES ? length : PIECE_BYTES, offset);
    if (got <= 0) fail("cannot read what was copied");
    struct record record = {.operation = WRITE, .inode = files[to].inode, .offset = (uint64_t)offset, .length = (uint64_t)got};
    append(record, NULL, NULL, piece);
    offset += got;
    length -= got;
  }
  syscall(SYS_close, fd);
}

ssize_t sendfile64(int to, int from, off64_t *position, size_t length) {
  pthread_mutex_lock(&lock);
  struct followed *file = followed(to);
  off_t offset = file == NULL ? 0 : (off_t)syscall(SYS_lseek, to, 0, SEEK_CUR);
  ssize_t done = syscall(SYS_sendfile, to, from, position, length);
  int error = errno;
  if (file != NULL && done > 0) record_copied(to, offset, done);
  pthread_mutex_unlock(&lock);
  errno = error;
  return done;
}
ssize_t sendfile(int to, int from, off_t *position, size_t length) { return sendfile64(to, from, position, length); }

ssize_t copy_file_range(int from, off64_t *from_at, int to, off64_t *to_at, size_t length, unsigned flags) {
  pthread_mutex_lock(&lock);
  struct followed *file = followed(to);
  off_t offset = file == NULL ? 0 : to_at != NULL ? *to_at : (off_t)syscall(SYS_lseek, to, 0, SEEK_CUR);
  ssize_t done = syscall(SYS_copy_file_range, from, from_at, to, to_at, length, flags);
  int error = errno;
  if (file != NULL && done > 0) record_copied(to, offset, done);
  pthread_mutex_unlock(&lock);
  errno = error;
  return done;
}

static int truncate_file(int fd, off_t length) {
  pthread_mutex_lock(&lock);
  struct followed *file = followed(fd);
  int result = (int)syscall(SYS_ftruncate, fd, length);
  int error = errno;
  struct record record = {.operation = TRUNCATE, .length = (uint64_t)length};
  if (file != NULL && result == 0) {
    record.inode = file->inode;
    append(record, NULL, NULL, NULL);
  }
  pthread_mutex_unlock(&lock);
  errno = error;
  return result;
}
int ftruncate(int fd, off_t length) { return truncate_file(fd, length); }
int ftruncate64(int fd, off64_t length) { return truncate_file(fd, length); }

static int allocate(int fd, int mode, off_t offset, off_t length) {
  pthread_mutex_lock(&lock);
  struct followed *file = followed(fd);
  int result = (int)syscall(SYS_fallocate, fd, mode, offset, length);
  int error = errno;
  struct stat details;
  if (file != NULL && result == 0) {
    if (mode != 0) fail("fallocate with a mode is not recorded");
    syscall(SYS_fstat, fd, &details);
    append((struct record){.operation = TRUNCATE, .inode = file->inode, .length = (uint64_t)details.st_size}, NULL, NULL, NULL);
  }
  pthread_mutex_unlock(&lock);
  errno = error;
  return result;
}
int fallocate(int fd, int mode, off_t offset, off_t length) { return allocate(fd, mode, offset, length); }
int fallocate64(int fd, int mode, off64_t offset, off64_t length) { return allocate(fd, mode, offset, length); }
int posix_fallocate(int fd, off_t offset, off_t length) { return allocate(fd, 0, offset, length) == 0 ? 0 : errno; }
int posix_fallocate64(int fd, off64_t offset, off64_t length) { return allocate(fd, 0, offset, length) == 0 ? 0 : errno; }

static int sync_file(int fd, long call) {
  static uint64_t number = 0;
  pthread_mutex_lock(&lock);
  struct followed *file = followed(fd);
  struct record record = {.operation = SYNC_BEGIN};
  if (file != NULL) {
    record.inode = file->inode;
    // Of this process: numbers of others do not matter, as an end follows its beginning by inode and number.
    record.offset = ((uint64_t)getpid() << 32) + ++number;
    append(record, NULL, NULL, NULL);
  }
  pthread_mutex_unlock(&lock);
  int result = (int)syscall(call, fd);
  int error = errno;
  if (file != NULL && result == 0) {
    pthread_mutex_lock(&lock);
    record.operation = SYNC_END;
    append(record, NULL, NULL, NULL);
    pthread_mutex_unlock(&lock);
  }
  errno = error;
  return result;
}
int fsync(int fd) { return sync_file(fd, SYS_fsync); }
int fdatasync(int fd) { return sync_file(fd, SYS_fdatasync); }

void sync(void) {
  syscall(SYS_sync);
  pthread_mutex_lock(&lock);
  if (log_file >= 0) append((struct record){.operation = SYNC_ALL}, NULL, NULL, NULL);
  pthread_mutex_unlock(&lock);
}

static int renamed(int from_folder, const char *from, int to_folder, const char *to, unsigned flags) {
  char one[PATH_BYTES], other[PATH_BYTES];
  const char *path = absolute(from_folder, from, one), *target = absolute(to_folder, to, other);
  pthread_mutex_lock(&lock);
  int result = (int)syscall(SYS_renameat2, from_folder, from, to_folder, to, flags);
  int error = errno;
  if (result == 0 && (is_below(path) || is_below(target))) append((struct record){.operation = RENAME}, path, target, NULL);
  pthread_mutex_unlock(&lock);
  errno = error;
  return result;
}
int rename(const char *from, const char *to) { return renamed(AT_FDCWD, from, AT_FDCWD, to, 0); }
int renameat(int a, const char *from, int b, const char *to) { return renamed(a, from, b, to, 0); }
int renameat2(int a, const char *from, int b, const char *to, unsigned flags) { return renamed(a, from, b, to, flags); }

static int named(int folder, const char *given, int operation, long argument, const char *other) {
  char one[PATH_BYTES], two[PATH_BYTES];
  const char *path = absolute(folder, given, one), *target = absolute(AT_FDCWD, other, two);
  pthread_mutex_lock(&lock);
  int result;
  if (operation == MKDIR) result = (int)syscall(SYS_mkdirat, folder, given, argument);
  else if (operation == LINK) result = (int)syscall(SYS_linkat, folder, given, AT_FDCWD, other, argument);
  else result = (int)syscall(SYS_unlinkat, folder, given, argument);
  int error = errno;
  struct stat details = {0};
  if (result == 0 && is_below(operation == LINK ? target : path)) {
    if (operation == MKDIR) syscall(SYS_newfstatat, AT_FDCWD, path, &details, 0);
    struct record record = {.operation = (uint8_t)operation, .inode = details.st_ino};
    append(record, path, operation == LINK ? target : NULL, NULL);
  }
  pthread_mutex_unlock(&lock);
  errno = error;
  return result;
}
int unlink(const char *path) { return named(AT_FDCWD, path, UNLINK, 0, NULL); }
int rmdir(const char *path) { return named(AT_FDCWD, path, RMDIR, AT_REMOVEDIR, NULL); }
int unlinkat(int folder, const char *path, int flags) {
  return named(folder, path, (flags & AT_REMOVEDIR) != 0 ? RMDIR : UNLINK, flags, NULL);
}
int remove(const char *path) {
  struct stat details;
  if (syscall(SYS_newfstatat, AT_FDCWD, path, &details, AT_SYMLINK_NOFOLLOW) != 0) return -1;
  return S_ISDIR(details.st_mode) ? rmdir(path) : unlink(path);
}
int mkdir(const char *path, mode_t mode) { return named(AT_FDCWD, path, MKDIR, mode, NULL); }
int mkdirat(int folder, const char *path, mode_t mode) { return named(folder, path, MKDIR, mode, NULL); }
int link(const char *path, const char *other) { return named(AT_FDCWD, path, LINK, 0, other); }

/** Chooses the name inside libc. */
char *mkdtemp(char *template) {
  char *(*original)(char *) = (char *(*)(char *))dlsym(RTLD_NEXT, "mkdtemp");
  char buffer[PATH_BYTES];
  pthread_mutex_lock(&lock);
  char *made = original(template);
  int error = errno;
  const char *path = absolute(AT_FDCWD, made, buffer);
  struct stat details;
  if (made != NULL && is_below(path) && syscall(SYS_newfstatat, AT_FDCWD, path, &details, 0) == 0)
    append((struct record){.operation = MKDIR, .inode = details.st_ino}, path, NULL, NULL);
  pthread_mutex_unlock(&lock);
  errno = error;
  return made;
}

static void *map(void *address, size_t length, int protection, int flags, int fd, off_t offset) {
  if ((flags & MAP_SHARED) != 0 && (protection & PROT_WRITE) != 0 && fd >= 0) {
    pthread_mutex_lock(&lock);
    struct followed *file = followed(fd);
    if (file != NULL) append((struct record){.operation = MAP, .inode = file->inode}, NULL, NULL, NULL);
    pthread_mutex_unlock(&lock);
  }
  return (void *)syscall(SYS_mmap, address, length, protection, flags, fd, offset);
}
void *mmap(void *a, size_t length, int protection, int flags, int fd, off_t offset) {
  return map(a, length, protection, flags, fd, offset);
}
void *mmap64(void *a, size_t length, int protection, int flags, int fd, off64_t offset) {
  return map(a, length, protection, flags, fd, offset);
}

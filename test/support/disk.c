/*
 * A disk that can lose its power, for tests: loaded into a process with LD_PRELOAD, it keeps a copy of what that disk would hold.
 *
 * A page that was written is in the copy once its file has been flushed (fsync, fdatasync), a name once its folder has been. So the copy is
 * what a machine finds after a power cut at its worst: everything that was flushed, and nothing else. A flush that is told to fail
 * leaves the pages out for good, unless they are written again: Linux marks them clean, and the next flush has nothing to do with them
 * (https://lwn.net/Articles/752063/, 2018-04-18).
 *
 *   DISK_FOLDER  the folder that is watched; of folders below it the names alone
 *   DISK_COPY    an empty folder: f-<file> content, d-<file> a byte for each page that is dirty, names, syncs
 *   DISK_ORDERS  a file with four numbers: ms that a flush takes; 1: flushes fail, 2: writes fail, 3: both;
 *                the flush at which the process is killed, 0 for none; 1: after it, 0: before it
 */
#define _GNU_SOURCE
#include <dirent.h>
#include <dlfcn.h>
#include <errno.h>
#include <fcntl.h>
#include <limits.h>
#include <pthread.h>
#include <signal.h>
#include <stdatomic.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/stat.h>
#include <sys/uio.h>
#include <time.h>
#include <unistd.h>

#define PAGE 4096
#define MOST_PAGES (1 << 18)

struct file {
  struct file *next;
  unsigned long long ino, born, device;
  int copy; /* -1: outside the folder */
  int unflushed; /* never yet, and new: the kernel may have copied into it without a write that is seen here (copy_file_range) */
  unsigned char *dirty;
};

static char folder[PATH_MAX], copy[PATH_MAX], orders[PATH_MAX];
static struct file *files;
static _Atomic unsigned long *syncs;
static pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER;

#define REAL(type, name, ...) \
  static type (*real)(__VA_ARGS__); \
  if (!real) real = (type(*)(__VA_ARGS__))dlsym(RTLD_NEXT, name)

static ssize_t put(int fd, const void *bytes, size_t size, off_t at) {
  REAL(ssize_t, "pwrite64", int, const void *, size_t, off_t);
  return real(fd, bytes, size, at);
}

static int resize(int fd, off_t size) {
  REAL(int, "ftruncate64", int, off_t);
  return real(fd, size);
}

static int open_in_copy(const char *kind, unsigned long long ino, unsigned long long born, int *fresh) {
  char path[PATH_MAX + 64];
  snprintf(path, sizeof path, "%s/%s-%llu-%llu", copy, kind, ino, born);
  *fresh = access(path, F_OK) != 0;
  return open(path, O_RDWR | O_CREAT | O_CLOEXEC, 0600);
}

static int look(int fd, const char *path, struct statx *found) {
  return statx(fd, path, AT_EMPTY_PATH, STATX_BASIC_STATS | STATX_BTIME, found);
}

static unsigned long long born_of(const struct statx *of) {
  return (unsigned long long)of->stx_btime.tv_sec * 1000000000ull + of->stx_btime.tv_nsec;
}

static unsigned long long device_of(const struct statx *of) {
  return ((unsigned long long)of->stx_dev_major << 32) | of->stx_dev_minor;
}

/* A file that has never been flushed has no content. `whole`: what stands in it now counts as flushed. */
static struct file *add(int fd, const struct statx *of, int watched, int whole) {
  struct file *file = calloc(1, sizeof *file);
  file->ino = of->stx_ino, file->born = born_of(of), file->device = device_of(of), file->copy = -1;
  file->next = files, files = file;
  if (!watched) return file;
  int fresh, ignored;
  file->copy = open_in_copy("f", file->ino, file->born, &fresh);
  int map = open_in_copy("d", file->ino, file->born, &ignored);
  resize(map, MOST_PAGES);
  file->dirty = mmap(NULL, MOST_PAGES, PROT_READ | PROT_WRITE, MAP_SHARED, map, 0);
  close(map);
  /* It was written before it was watched: all of it is to be flushed, or is taken as it is. */
  file->unflushed = fresh && !whole;
  if (fresh) {
    char page[PAGE];
    ssize_t got;
    for (off_t at = 0; (got = pread(fd, page, PAGE, at)) > 0; at += got) {
      if (whole) put(file->copy, page, got, at);
      else file->dirty[at / PAGE] = 1;
    }
  }
  return file;
}

static struct file *file_of(int fd, const struct statx *of) {
  for (struct file *file = files; file; file = file->next)
    if (file->ino == of->stx_ino && file->born == born_of(of) && file->device == device_of(of)) return file;
  char link[64], path[PATH_MAX];
  snprintf(link, sizeof link, "/proc/self/fd/%d", fd);
  ssize_t size = readlink(link, path, sizeof path - 1);
  path[size > 0 ? size : 0] = 0;
  size_t prefix = strlen(folder);
  int watched = strncmp(path, folder, prefix) == 0 && path[prefix] == '/' && !strstr(path, "-shm");
  return add(fd, of, watched, 0);
}

/* Null for what is not watched. */
static struct file *watched(int fd, struct statx *of) {
  if (!folder[0] || look(fd, "", of) != 0 || !S_ISREG(of->stx_mode)) return NULL;
  struct file *file = file_of(fd, of);
  return file->copy < 0 ? NULL : file;
}

static void mark(struct file *file, off_t from, off_t to) {
  for (off_t page = from / PAGE; page * PAGE < to && page < MOST_PAGES; page++) file->dirty[page] = 1;
}

static void copy_pages(int fd, struct file *file, off_t size) {
  char bytes[PAGE], link[64];
  int readable = fd;
  /* Opened for writing only. SQLite's files are not: to close a second descriptor would drop its locks on them. */
  if ((fcntl(fd, F_GETFL) & O_ACCMODE) == O_WRONLY) {
    snprintf(link, sizeof link, "/proc/self/fd/%d", fd);
    readable = open(link, O_RDONLY | O_CLOEXEC);
  }
  for (off_t page = 0; page < MOST_PAGES && page * PAGE < size; page++) {
    if (!file->dirty[page] && !file->unflushed) continue;
    ssize_t got = pread(readable, bytes, PAGE, page * PAGE);
    if (got > 0) put(file->copy, bytes, got, page * PAGE);
  }
  if (readable != fd) close(readable);
  memset(file->dirty, 0, MOST_PAGES);
  file->unflushed = 0;
  resize(file->copy, size);
}

/* `whole`: the files are taken as they are, too. */
static void copy_names(int whole) {
  char path[PATH_MAX + 16], next[PATH_MAX + 16];
  snprintf(path, sizeof path, "%s/names", copy);
  snprintf(next, sizeof next, "%s/names.new", copy);
  DIR *dir = opendir(folder);
  if (!dir) return;
  FILE *names = fopen(next, "w");
  for (struct dirent *entry; (entry = readdir(dir));) {
    struct statx of;
    if (look(dirfd(dir), entry->d_name, &of) != 0) continue;
    if (S_ISDIR(of.stx_mode) && strcmp(entry->d_name, ".") != 0 && strcmp(entry->d_name, "..") != 0)
      fprintf(names, "%s folder\n", entry->d_name);
    if (!S_ISREG(of.stx_mode) || strstr(entry->d_name, "-shm")) continue;
    fprintf(names, "%s f-%llu-%llu\n", entry->d_name, (unsigned long long)of.stx_ino, born_of(&of));
    if (!whole) continue;
    int fd = openat(dirfd(dir), entry->d_name, O_RDONLY | O_CLOEXEC);
    add(fd, &of, 1, 1);
    close(fd);
  }
  fclose(names);
  closedir(dir);
  rename(next, path);
}

struct order { long delay, fail, cut, after; };

static struct order read_orders(void) {
  struct order order = {0, 0, 0, 0};
  char text[128];
  int fd = open(orders, O_RDONLY | O_CLOEXEC);
  if (fd < 0) return order;
  ssize_t size = read(fd, text, sizeof text - 1);
  close(fd);
  text[size > 0 ? size : 0] = 0;
  sscanf(text, "%ld %ld %ld %ld", &order.delay, &order.fail, &order.cut, &order.after);
  return order;
}

static void cut(void) {
  kill(getpid(), SIGKILL);
  for (;;) pause();
}

static int flush(int fd, int (*real)(int)) {
  struct statx of, whole;
  if (!folder[0] || look(fd, "", &of) != 0) return real(fd);
  int is_folder = S_ISDIR(of.stx_mode) && look(AT_FDCWD, folder, &whole) == 0 && whole.stx_ino == of.stx_ino;
  pthread_mutex_lock(&lock);
  struct file *file = is_folder ? NULL : watched(fd, &of);
  pthread_mutex_unlock(&lock);
  if (!is_folder && !file) return real(fd);
  struct order order = read_orders();
  unsigned long now = atomic_fetch_add(syncs, 1) + 1;
  if (order.cut == (long)now && !order.after) cut();
  if (order.delay) nanosleep(&(struct timespec){order.delay / 1000, order.delay % 1000 * 1000000}, NULL);
  pthread_mutex_lock(&lock);
  if (order.fail & 1) {
    if (file) memset(file->dirty, 0, MOST_PAGES), file->unflushed = 0;
  } else if (is_folder) copy_names(0);
  else if (look(fd, "", &of) == 0) copy_pages(fd, file, of.stx_size);
  if (order.cut == (long)now) cut();
  pthread_mutex_unlock(&lock);
  if (!(order.fail & 1)) return 0;
  errno = EIO;
  return -1;
}

int fsync(int fd) {
  REAL(int, "fsync", int);
  return flush(fd, real);
}

int fdatasync(int fd) {
  REAL(int, "fdatasync", int);
  return flush(fd, real);
}

/* Whether a write to it fails; -1 with errno, or 0. */
static int refused(int fd) {
  struct statx of;
  pthread_mutex_lock(&lock);
  struct file *file = watched(fd, &of);
  pthread_mutex_unlock(&lock);
  if (!file || !(read_orders().fail & 2)) return 0;
  errno = EIO;
  return -1;
}

/* `at` -1: it ends where the file's position is now. */
static ssize_t wrote(int fd, ssize_t size, off_t at) {
  if (size <= 0 || !folder[0]) return size;
  struct statx of;
  pthread_mutex_lock(&lock);
  struct file *file = watched(fd, &of);
  if (file) {
    off_t from = at < 0 ? lseek(fd, 0, SEEK_CUR) - size : at;
    mark(file, from, from + size);
  }
  pthread_mutex_unlock(&lock);
  return size;
}

ssize_t pwrite64(int fd, const void *bytes, size_t size, off64_t at) {
  return refused(fd) ? -1 : wrote(fd, put(fd, bytes, size, at), at);
}

ssize_t pwrite(int fd, const void *bytes, size_t size, off_t at) { return pwrite64(fd, bytes, size, at); }

ssize_t write(int fd, const void *bytes, size_t size) {
  REAL(ssize_t, "write", int, const void *, size_t);
  return refused(fd) ? -1 : wrote(fd, real(fd, bytes, size), -1);
}

ssize_t writev(int fd, const struct iovec *parts, int count) {
  REAL(ssize_t, "writev", int, const struct iovec *, int);
  return refused(fd) ? -1 : wrote(fd, real(fd, parts, count), -1);
}

ssize_t pwritev64(int fd, const struct iovec *parts, int count, off64_t at) {
  REAL(ssize_t, "pwritev64", int, const struct iovec *, int, off64_t);
  return refused(fd) ? -1 : wrote(fd, real(fd, parts, count, at), at);
}

ssize_t pwritev(int fd, const struct iovec *parts, int count, off_t at) { return pwritev64(fd, parts, count, at); }

int ftruncate64(int fd, off64_t size) {
  struct statx of;
  int before = fstat(fd, &(struct stat){0}) == 0 && look(fd, "", &of) == 0;
  if (refused(fd)) return -1;
  int result = resize(fd, size);
  pthread_mutex_lock(&lock);
  off_t old = before ? (off_t)of.stx_size : size;
  struct file *file = result == 0 ? watched(fd, &of) : NULL;
  if (file) mark(file, old < size ? old : size, old < size ? size : old);
  pthread_mutex_unlock(&lock);
  return result;
}

int ftruncate(int fd, off_t size) { return ftruncate64(fd, size); }

__attribute__((constructor)) static void begin(void) {
  const char *watch = getenv("DISK_FOLDER"), *to = getenv("DISK_COPY"), *from = getenv("DISK_ORDERS");
  /* Not for the programs that this one starts. */
  unsetenv("LD_PRELOAD");
  if (!watch || !to || !from) return;
  snprintf(copy, sizeof copy, "%s", to);
  snprintf(orders, sizeof orders, "%s", from);
  char path[PATH_MAX + 16];
  snprintf(path, sizeof path, "%s/syncs", copy);
  int fd = open(path, O_RDWR | O_CREAT | O_CLOEXEC, 0600);
  resize(fd, sizeof *syncs);
  syncs = mmap(NULL, sizeof *syncs, PROT_READ | PROT_WRITE, MAP_SHARED, fd, 0);
  close(fd);
  snprintf(path, sizeof path, "%s/names", copy);
  snprintf(folder, sizeof folder, "%s", watch);
  if (access(path, F_OK) != 0) copy_names(1);
}

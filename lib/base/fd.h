/* SPDX-License-Identifier: Apache-2.0 */
/* fd - descriptors that close themselves, and whole reads and writes. */
#ifndef PAI_BASE_FD_H
#define PAI_BASE_FD_H

#include <stdbool.h>
#include <stddef.h>
#include <sys/types.h>

#define AUTO(fn) __attribute__((cleanup(fn)))
#define AUTO_FD AUTO(fd_closep) int	/* declare with the call that opens it */

/* Closes *FD if it is open and makes it -1; errno is kept. */
void fd_closep(int *fd);
/* Gives the descriptor away: returns *FD and makes it -1. */
int fd_take(int *fd);
/* Writes all of DATA to a blocking descriptor; 0, or -1 and errno. */
int fd_write_all(int fd, const void *data, size_t n);
#define FD_SMALL 4096u		/* what a descriptor takes after POLLOUT without waiting */
/* So does to one of the caller's, which may be non-blocking and is not ours to set;
 * where its reader lets us wait, a signal may end us, even one that is blocked. After
 * MS (-1: never) without room for more it is given up (ETIME). */
int fd_write_caller(int fd, const void *data, size_t n, int ms);
/* Reads to the end or until N bytes; returns the count, or -1 and errno. */
ssize_t fd_read_all(int fd, void *data, size_t n);
/* The start of the file PATH as a string: its length, or -1 and errno, and then it is "". */
ssize_t fd_read_text(const char *path, char *text, size_t size);
int fd_nonblock(int fd, bool on);
/* Closes all but 0, 1, 2 and KEEP[0..N), which is put in order; -1s in it are none.
 * Linux before 5.9 closes nothing. */
void fd_close_but(int *keep, size_t n);
/* Opens /dev/null on each of 0, 1, 2 that is closed, so that nothing that is
 * opened later can be taken for them. Sets *WAS_OPEN's bit N if N was open. */
int fd_guard_stdio(unsigned *was_open);

#endif

/* SPDX-License-Identifier: Apache-2.0 */
/* frame - cut the control channel's byte stream into messages, and pack their
 * bodies. Both ends use it; neither trusts the other.
 *
 * Wire:      kind (1 byte), length (4 bytes, little endian, <= FRAME_MAX), body.
 *            A body is a row of fields: numbers in little endian, strings as
 *            length (4 bytes) and bytes.
 * Trust:     the peer chose every byte; a wrong one costs an ERR_GUEST.
 * Ownership: frame.body points into the caller's buffer and lives as long.
 * Cost:      no allocation, no I/O, no state between calls.
 */
#ifndef PAI_WIRE_FRAME_H
#define PAI_WIRE_FRAME_H

#include "base/err.h"

#include <stddef.h>
#include <stdint.h>
#include <sys/types.h>

#define FRAME_HEAD 5u		/* bytes before the body */
#define FRAME_MAX (1u << 20)	/* bytes of body */

struct frame {
	uint8_t kind;		/* enum msg_kind, not yet checked */
	uint32_t len;		/* bytes at body */
	const uint8_t *body;
};

/* Decodes the frame at the start of BUF[0..N).
 * Returns the bytes used (> 0), 0 if more must arrive first, or -1. */
ssize_t frame_next(const uint8_t *buf, size_t n, struct frame *out, struct err *e);

/* Writes the head of a frame of LEN bytes to HEAD. */
void frame_head(uint8_t head[FRAME_HEAD], uint8_t kind, uint32_t len);

/* A body that is being written into a fixed space. What does not fit sets
 * full; check it once at the end. */
struct packer {
	uint8_t *at;
	size_t len, cap;
	int full;
};
void pack_number(struct packer *p, uint64_t v, unsigned bytes);
void pack_bytes(struct packer *p, const void *data, size_t n);

/* A body that is being read. What is not there sets bad and reads as zeros
 * or as an empty string; check it once at the end with unpack_end(). */
struct unpacker {
	const uint8_t *at;
	size_t left;
	int bad;
};
struct unpacker unpack(const struct frame *f);
uint64_t unpack_number(struct unpacker *u, unsigned bytes);
const uint8_t *unpack_bytes(struct unpacker *u, size_t *n);
/* 0 if everything was there and nothing is left over, else -1. */
int unpack_end(const struct unpacker *u, const char *what, struct err *e);

#endif

/* SPDX-License-Identifier: Apache-2.0 */
/* heard - see heard.h */
#include "heard.h"

#include "bytes.h"
#include "wire/msg.h"

#include <string.h>

/* What the host heard of files: only what may be sent, and as much as was said. */
struct files {
	uint64_t left, bytes;
	size_t n;
	bool open;
	const struct heard_rules *rules;
};

static void check_file(struct files *s, const struct frame *f)
{
	static struct msg_text t;
	struct msg_file m;
	struct err e;

	if (f->kind == MSG_FILE) {
		MUST(!s->open && msg_get_file(f, &m, &t, &e) == 0 && m.type != MSG_LINK);
		MUST(m.place == MSG_IN_WORKSPACE || (m.place == MSG_AS_INPUT && s->rules->session));
		s->open = m.type == MSG_REGULAR;
		s->left = s->rules->list ? 0 : m.size;
		s->bytes += m.size;
		MUST(++s->n <= s->rules->files_max && s->bytes <= s->rules->output_max);
	} else if (f->kind == MSG_DATA) {
		MUST(s->open && f->len > 0 && f->len <= s->left);
		s->left -= f->len;
	} else {
		MUST(s->open && s->left == 0);
		s->open = false;
	}
}

static void check_gone(const struct frame *f, const struct heard_rules *rules)
{
	struct unpacker u = unpack(f);
	size_t n;
	const char *path = (const char *)unpack_bytes(&u, &n);

	MUST(rules->session && msg_path_ok(path, n) && u.left == 0);
}

/* Results and notes: in order, of a program that runs, and no more than may be. */
struct told {
	bool open;
	uint8_t key;
	size_t noted;
};

static void check_told(struct told *s, const struct frame *f, const unsigned seen[256])
{
	uint8_t what = f->len > 0 ? f->body[0] : 255;

	MUST(seen[MSG_STARTED] == 1 && !seen[MSG_ENDED] && f->len > 0);
	if (f->kind == MSG_NOTE) {
		s->noted += f->len - 1;
		MUST(what < MSG_NOTES && f->len > 1 && s->noted <= (size_t)MSG_NOTES * MSG_NOTE_MAX);
		return;
	}
	MUST(what <= MSG_RESULT_END && (what == MSG_RESULT_BEGIN || (s->open && what >= s->key)));
	MUST(what != MSG_RESULT_BEGIN || f->len == 2);
	s->open = what != MSG_RESULT_END;
	s->key = what;
}

/* The kernel of a session rests, and a next turn may come: another conversation. */
static bool rests(const struct frame *f)
{
	struct msg_ended m;
	struct err e;

	MUST(msg_get_ended(f, &m, &e) == 0);
	MUST(m.count == 0 || (!m.signaled && m.by == MSG_BY_ITSELF));
	return m.count > 0;
}

static void check_turn(const unsigned seen[256])
{
	MUST(seen[MSG_STARTED] <= 1 && seen[MSG_ENDED] <= seen[MSG_STARTED]);
	MUST(!seen[MSG_DONE] || seen[MSG_ENDED] == 1);
}

void heard_check(const struct buf *heard, const struct heard_rules *rules)
{
	struct files files = { .rules = rules };
	struct told told = { 0 };
	unsigned seen[256] = { 0 };
	struct frame f;
	struct err e;
	size_t at = 0;
	ssize_t used = 0;
	uint8_t last = 0;
	uint64_t credit = 0;
	bool rest = false;

	while (heard->len > 0 &&
	       (used = frame_next(heard->at + at, heard->len - at, &f, &e)) > 0) {
		struct unpacker u = unpack(&f);

		MUST((last != MSG_DONE || rest) && last != MSG_FAIL);
		if (last == MSG_DONE) {
			check_turn(seen);
			memset(seen, 0, sizeof(seen));
			files = (struct files){ .rules = rules };
			told = (struct told){ 0 };
			rest = false;
		}
		MUST(at > 0 || rules->dialled_anew || f.kind == MSG_HELLO || f.kind == MSG_FAIL);
		if (f.kind == MSG_FILE || f.kind == MSG_DATA || f.kind == MSG_END)
			check_file(&files, &f);
		else
			MUST(f.kind >= MSG_HELLO && f.kind <= MSG_GONE && !files.open);
		if (f.kind == MSG_GONE)
			check_gone(&f, rules);
		if (f.kind == MSG_NOTE || f.kind == MSG_RESULT)
			check_told(&told, &f, seen);
		if (f.kind == MSG_CREDIT_MORE)
			credit += unpack_number(&u, 4);
		if (f.kind == MSG_ENDED)
			rest = rests(&f);
		seen[last = f.kind]++;
		at += (size_t)used;
	}
	MUST(used == 0 && at == heard->len);
	MUST(credit <= rules->fed);
	check_turn(seen);
	/* the last word; a host that has left cannot hear it */
	if (!rules->cut)
		MUST(last == (rules->failed ? MSG_FAIL : MSG_DONE));
}

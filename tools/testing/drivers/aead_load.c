// SPDX-License-Identifier: GPL-2.0
/*
 * aead_load.ko - keeps requests of a cipher in flight, for scripts/drivers. A program cannot: since
 * 7.3, AF_ALG refuses ciphers that end a request later, such as pcrypt.
 *
 * Write "PLAIN NAME encrypt|decrypt BLOCK REQUESTS MS" to the parameter "run". The module keeps
 * REQUESTS of NAME, an AEAD, in flight, and checks that they end in the order of their submits,
 * each with the output of PLAIN. Then read MB/s, the p99 of one request in us, and a checksum.
 *
 * A message is ASSOC bytes that are only authenticated, then BLOCK bytes; an encrypted message has
 * a tag of TAG bytes at its end. Message N has content N % MESSAGES. The last tag to decrypt is
 * wrong.
 */
#define pr_fmt(fmt) "aead_load: " fmt

#include <crypto/aead.h>
#include <linux/completion.h>
#include <linux/jhash.h>
#include <linux/module.h>
#include <linux/scatterlist.h>
#include <linux/slab.h>
#include <linux/sort.h>

#define ASSOC		16
#define TAG		16
#define IV		12
#define MAX_BLOCK	65536
#define MESSAGES	64
#define MAX_REQUESTS	MESSAGES
#define MAX_OPS		1000000

struct load;

/* One of the requests in flight. */
struct slot {
	struct load *load;
	struct aead_request *request;
	struct scatterlist in, out;
	void *buf;
	u8 iv[IV];
	unsigned int nr;	/* of the request */
	u64 begun_ns, ended_ns;
	bool in_order;
	int status;
	struct completion ended;
};

struct load {
	struct crypto_aead *plain, *tfm;
	bool encrypt;
	size_t block;
	unsigned int nr_slots;
	struct slot slots[MAX_REQUESTS];
	void *in[MESSAGES], *want[MESSAGES];
	atomic_t nr_ended;
	u32 *ns;		/* of each request */
	u32 sum;
	int err;
};

static void slot_ended(void *data, int err)
{
	struct slot *slot = data;

	slot->ended_ns = ktime_get_ns();
	slot->status = err;
	slot->in_order = atomic_fetch_inc(&slot->load->nr_ended) == slot->nr;
	complete(&slot->ended);
}

static int slot_init(struct slot *slot, struct load *load, struct crypto_aead *tfm)
{
	slot->load = load;
	init_completion(&slot->ended);
	slot->request = aead_request_alloc(tfm, GFP_KERNEL);
	slot->buf = kmalloc(ASSOC + load->block + TAG, GFP_KERNEL);
	if (!slot->request || !slot->buf)
		return -ENOMEM;
	aead_request_set_callback(slot->request, 0, slot_ended, slot);
	aead_request_set_ad(slot->request, ASSOC);
	return 0;
}

static void slot_exit(struct slot *slot)
{
	aead_request_free(slot->request);
	kfree(slot->buf);
}

static void slot_submit(struct slot *slot, bool encrypt, unsigned int nr, void *in)
{
	unsigned int message = nr % MESSAGES, size = slot->load->block + (encrypt ? 0 : TAG);
	int err;

	slot->nr = nr;
	memcpy(slot->iv, &message, sizeof(message));
	sg_init_one(&slot->in, in, ASSOC + size);
	sg_init_one(&slot->out, slot->buf, ASSOC + slot->load->block + TAG);
	aead_request_set_crypt(slot->request, &slot->in, &slot->out, size, slot->iv);
	slot->begun_ns = ktime_get_ns();
	err = encrypt ? crypto_aead_encrypt(slot->request) : crypto_aead_decrypt(slot->request);
	if (err != -EINPROGRESS)
		slot_ended(slot, err);
}

/* Wait for the request in the slot, and check it. */
static void slot_finish(struct slot *slot)
{
	struct load *load = slot->load;
	unsigned int message = slot->nr % MESSAGES, size = load->block + (load->encrypt ? TAG : 0);
	bool bad = !load->encrypt && message == MESSAGES - 1;
	void *out = slot->buf + ASSOC;

	wait_for_completion(&slot->ended);
	load->ns[slot->nr] = slot->ended_ns - slot->begun_ns;
	if (slot->in_order && slot->status == (bad ? -EBADMSG : 0) &&
	    (bad || !memcmp(out, load->want[message] + ASSOC, size))) {
		if (!bad && slot->nr < MESSAGES)
			load->sum = jhash(out, size, load->sum);
		return;
	}
	pr_err("request %u: status %d, %s\n", slot->nr, slot->status,
	       slot->in_order ? "wrong content" : "out of order");
	load->err = -EIO;
}

/* Make the inputs, and the outputs of @plain. */
static int make_messages(struct load *load)
{
	struct slot slot = {};
	unsigned int i, word;
	int err = slot_init(&slot, load, load->plain);

	for (i = 0; i < MESSAGES && !err; i++) {
		u64 *text = kmalloc(ASSOC + load->block, GFP_KERNEL);
		void *secret = kmalloc(ASSOC + load->block + TAG, GFP_KERNEL);

		load->in[i] = load->encrypt ? text : secret;
		load->want[i] = load->encrypt ? secret : text;
		if (!text || !secret) {
			err = -ENOMEM;
			break;
		}
		for (word = 0; word < (ASSOC + load->block) / sizeof(*text); word++)
			text[word] = (word + ((u64)i << 40)) * 0x9e3779b97f4a7c15ULL;
		slot_submit(&slot, true, i, text);
		wait_for_completion(&slot.ended);
		err = slot.status;
		memcpy(secret, slot.buf, ASSOC + load->block + TAG);
		memcpy(secret, text, ASSOC);
	}
	if (!err && !load->encrypt)
		*(u8 *)(load->in[MESSAGES - 1] + ASSOC + load->block) ^= 1;
	atomic_set(&load->nr_ended, 0);
	slot_exit(&slot);
	return err;
}

static struct crypto_aead *new_aead(const char *name)
{
	struct crypto_aead *tfm = crypto_alloc_aead(name, 0, 0);
	int err;

	if (IS_ERR(tfm))
		return tfm;
	err = crypto_aead_setkey(tfm, "0123456789abcdef", 16) ?: crypto_aead_setauthsize(tfm, TAG);
	if (!err && crypto_aead_ivsize(tfm) == IV)
		return tfm;
	crypto_free_aead(tfm);
	return ERR_PTR(err ?: -EINVAL);
}

static int load_init(struct load *load, const char *plain, const char *name)
{
	unsigned int i;
	int err;

	load->plain = new_aead(plain);
	load->tfm = new_aead(name);
	if (IS_ERR(load->plain) || IS_ERR(load->tfm))
		return PTR_ERR_OR_ZERO(load->plain) ?: PTR_ERR(load->tfm);
	load->ns = kvcalloc(MAX_OPS, sizeof(*load->ns), GFP_KERNEL);
	err = load->ns ? make_messages(load) : -ENOMEM;
	for (i = 0; i < load->nr_slots && !err; i++)
		err = slot_init(&load->slots[i], load, load->tfm);
	return err;
}

static void load_exit(struct load *load)
{
	unsigned int i;

	for (i = 0; i < MESSAGES; i++) {
		slot_exit(&load->slots[i]);
		kfree(load->in[i]);
		kfree(load->want[i]);
	}
	kvfree(load->ns);
	crypto_free_aead(load->tfm);
	crypto_free_aead(load->plain);
	kvfree(load);
}

/* Submit requests for @ms milliseconds. Return how many. */
static unsigned int load_run(struct load *load, unsigned int ms)
{
	u64 end = ktime_get_ns() + ms * NSEC_PER_MSEC;
	unsigned int nr, first;

	for (nr = 0; nr < MAX_OPS && (nr < MESSAGES || ktime_get_ns() < end) && !load->err; nr++) {
		struct slot *slot = &load->slots[nr % load->nr_slots];

		if (nr >= load->nr_slots)
			slot_finish(slot);
		slot_submit(slot, load->encrypt, nr, load->in[nr % MESSAGES]);
	}
	for (first = nr - min(nr, load->nr_slots); first < nr; first++)
		slot_finish(&load->slots[first % load->nr_slots]);
	return nr;
}

static int compare_u32(const void *a, const void *b)
{
	u32 x = *(const u32 *)a, y = *(const u32 *)b;

	return x < y ? -1 : x > y;
}

static char result[64];

static int run_set(const char *value, const struct kernel_param *kp)
{
	char plain[CRYPTO_MAX_ALG_NAME], name[CRYPTO_MAX_ALG_NAME], what[8];
	struct load *load = kvzalloc(sizeof(*load), GFP_KERNEL);
	unsigned int nr, ms;
	u64 start, mb, p99;
	int err = -EINVAL;

	if (!load)
		return -ENOMEM;
	if (sscanf(value, "%127s %127s %7s %zu %u %u", plain, name, what, &load->block,
		   &load->nr_slots, &ms) == 6 &&
	    load->block <= MAX_BLOCK && load->nr_slots - 1 < MAX_REQUESTS) {
		load->encrypt = !strcmp(what, "encrypt");
		err = load_init(load, plain, name);
	}
	if (!err) {
		start = ktime_get_ns();
		nr = load_run(load, ms);
		mb = div64_u64((u64)nr * load->block * 100000, ktime_get_ns() - start);
		sort(load->ns, nr, sizeof(*load->ns), compare_u32, NULL);
		p99 = load->ns[nr - 1 - nr / 100] / 100;
		snprintf(result, sizeof(result), "%llu.%02llu %llu.%llu %08x", mb / 100, mb % 100,
			 p99 / 10, p99 % 10, load->sum);
		err = load->err;
	}
	load_exit(load);
	return err;
}

static int run_get(char *buffer, const struct kernel_param *kp)
{
	return sysfs_emit(buffer, "%s\n", result);
}

static const struct kernel_param_ops run_ops = { .set = run_set, .get = run_get };
module_param_cb(run, &run_ops, NULL, 0600);
MODULE_PARM_DESC(run, "PLAIN NAME encrypt|decrypt BLOCK REQUESTS MS");

MODULE_DESCRIPTION("Requests of a cipher for scripts/drivers");
MODULE_LICENSE("GPL");

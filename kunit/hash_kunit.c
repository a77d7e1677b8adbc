// SPDX-License-Identifier: GPL-2.0
/* The workload hash of /dev/wpool hashes all of its bytes. */
#include "faces/dev/load/load.c"
#include "fixture.h"

/* Another program has computed these hashes of repeated blocks, each "wpool" and zeros. */
static const struct {
	u64 bytes;
	u32 hash;
} known[] = {
	{ 0, 0 },
	{ 1, 0x0fcf9765 },
	{ 4096, 0x97d56bd1 },
	{ 4097, 0x655f9023 },
	{ 100000, 0x73a28237 },
};

static void wpool_hash_run_hashes_every_byte(struct kunit *test)
{
	u32 i;

	if (IS_ENABLED(CONFIG_CPU_BIG_ENDIAN))
		kunit_skip(test, "the known values are those of little-endian machines");
	for (i = 0; i < ARRAY_SIZE(known); i++) {
		struct wpool_workload load = { .arg = known[i].bytes };

		KUNIT_EXPECT_EQ(test, wpool_hash_run(&load), 0);
		KUNIT_EXPECT_EQ(test, load.hash, known[i].hash);
	}
}

static void wpool_hash_run_stopped_hashes_nothing(struct kunit *test)
{
	struct wpool_workload load = { .arg = 4096, .stop = true };

	KUNIT_EXPECT_EQ(test, wpool_hash_run(&load), -ECANCELED);
	KUNIT_EXPECT_EQ(test, load.hash, 0);
}

WPK_SUITE(hash,
	  KUNIT_CASE(wpool_hash_run_hashes_every_byte),
	  KUNIT_CASE(wpool_hash_run_stopped_hashes_nothing));

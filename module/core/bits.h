/* SPDX-License-Identifier: GPL-2.0 */
/* Bitmaps of run queues. A CPU may change bits while another CPU visits them. */
#ifndef WPOOL_CORE_BITS_H
#define WPOOL_CORE_BITS_H

#include <linux/bitops.h>
#include <linux/compiler.h>
#include <linux/minmax.h>
#include <linux/types.h>

/** wpool_next_bit() - the first set bit from @i on, or @nr: racy, as CPUs change the bits */
static inline u32 wpool_next_bit(const unsigned long *mask, u32 nr, u32 i)
{
	unsigned long word;

	for (; i < nr; i = (i | (BITS_PER_LONG - 1)) + 1) {
		/* find_next_bit() does not use READ_ONCE() */
		word = READ_ONCE(mask[i / BITS_PER_LONG]) >> (i % BITS_PER_LONG);
		if (word)
			return min_t(u32, i + __ffs(word), nr);
	}
	return nr;
}

/* The first set bit from @i on, in a circle that begins and ends at @start; @nr if none is set. */
static inline u32 wpool_next_bit_wrap(const unsigned long *mask, u32 nr, u32 start, u32 i)
{
	u32 n;

	if (i >= start) {
		n = wpool_next_bit(mask, nr, i);
		if (n < nr)
			return n;
		i = 0;
	}
	n = wpool_next_bit(mask, start, i);
	return n < start ? n : nr;
}

/** wpool_for_each_bit() - visit the set bits; @i is the number of each */
#define wpool_for_each_bit(i, mask, nr)						\
	for ((i) = wpool_next_bit(mask, nr, 0); (i) < (nr);			\
	     (i) = wpool_next_bit(mask, nr, (i) + 1))

/** wpool_for_each_bit_wrap() - visit the set bits in a circle that begins at @start, below @nr */
#define wpool_for_each_bit_wrap(i, mask, nr, start)				\
	for ((i) = wpool_next_bit_wrap(mask, nr, start, start); (i) < (nr);	\
	     (i) = (i) + 1 == (start) ? (nr) :					\
		   wpool_next_bit_wrap(mask, nr, start, (i) + 1))

#endif /* WPOOL_CORE_BITS_H */

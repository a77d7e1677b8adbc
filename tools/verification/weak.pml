/* SPDX-License-Identifier: GPL-2.0 */
/*
 * A weak memory for spin, whose own memory is sequentially consistent.
 *
 * Each process has a store buffer: a store goes into the buffer, a load sees the
 * process' own buffer first, and memory(me) writes any store of the buffer to
 * memory at any time, in any order between locations (PSO: more than x86's TSO
 * allows, so that a release has an effect). A buffer holds one store for each
 * location; the next store to the same location waits until that one is written.
 *
 *   load(l)              an expression
 *   store(l, v)          WRITE_ONCE(). To a counter (l < NCOUNTERS) v is added:
 *                        atomic_inc() and atomic_dec(), which order nothing
 *   store_release(l, v)  is written after the earlier stores in the buffer
 *   full_barrier()       waits until the buffer is empty
 *   lock(m)              opens an atomic section that stands for one under a lock;
 *                        m: the stores of others under that lock are in memory.
 *                        Neither lock nor unlock is a barrier for what the process
 *                        stored before and loads afterwards
 *   mem[l]               by this name: a read-modify-write with a result, which goes
 *                        past the buffer; fully ordered if it follows full_barrier()
 *
 * Loads are not delayed. If the removal of a barrier lets a load move, the model moves
 * the load explicitly.
 *
 * Before the include: NPROCS buffers, NLOCS (at most 16) locations, NCOUNTERS.
 * Each process has the number of its buffer in me.
 */

typedef buffer {
	unsigned set : 16;	/* locations with a store that only the owner sees */
#ifdef RELEASES
	unsigned before : 16;	/* the stores among them that precede the release */
	byte release;		/* location of the release */
#endif
	byte val[NLOCS];
}

byte mem[NLOCS];
buffer buf[NPROCS];

#define BIT(l)		(1 << (l))
#define WAITS(l)	((buf[me].set >> (l)) & 1)
#define MINUS_1		255

#define load(l)									\
	(WAITS(l) -> ((l) < NCOUNTERS -> (mem[l] + buf[me].val[l]) & 255 :	\
		      buf[me].val[l]) :						\
	 mem[l])

#define store(l, v)								\
	d_step {								\
		!WAITS(l) ->							\
		buf[me].val[l] = (v);						\
		buf[me].set = buf[me].set | BIT(l)				\
	}

#ifdef RELEASES
#define store_release(l, v)							\
	d_step {								\
		!WAITS(l) && buf[me].before == 0 ->				\
		buf[me].before = buf[me].set;					\
		buf[me].release = (buf[me].set -> l : 0);			\
		buf[me].val[l] = (v);						\
		buf[me].set = buf[me].set | BIT(l)				\
	}
#define MAY_WRITE(l)	(buf[me].before == 0 || buf[me].release != (l))
#define WROTE(l)								\
		buf[me].before = buf[me].before & ~BIT(l);			\
		buf[me].release = (buf[me].before -> buf[me].release : 0);
#else
#define MAY_WRITE(l)	true
#define WROTE(l)
#endif

#define full_barrier()	(buf[me].set == 0)

#define SET(p)		(p == me -> 0 : buf[p].set)
#define lock(m)		(((ALL_SETS) & (m)) == 0 && (buf[me].set & (m)) == 0)

/* a branch of memory(me): the store to l is written */
#define write(l)								\
	:: d_step {								\
		WAITS(l) && MAY_WRITE(l) ->					\
		mem[l] = ((l) < NCOUNTERS -> (mem[l] + buf[me].val[l]) & 255 :	\
			  buf[me].val[l]);					\
		buf[me].val[l] = 0;						\
		buf[me].set = buf[me].set & ~BIT(l);				\
		WROTE(l)							\
	}

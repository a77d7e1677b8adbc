# SPDX-License-Identifier: GPL-2.0
#
# For the Kbuild file of a driver that uses wpool_wq.h. The file includes this one at its end:
#
#	obj-m += driver.o
#	include /usr/src/wpool/include/wpool_wq.mk
#
# The compiler finds the headers of wpool, and the build fails if an object has read a header of the
# kernel that names a type of workqueues after wpool_wq.h.

wpool_include := $(patsubst %/,%,$(dir $(lastword $(MAKEFILE_LIST))))
ccflags-y += -I$(wpool_include) -DWPOOL_WQ_HEADERS_CHECKED

# the objects of each module, or the module itself if it is one object
wpool_objects := $(addprefix $(obj)/,$(filter %.o,$(foreach one,$(obj-y) $(obj-m),\
	$(or $(strip $($(one:.o=-y)) $($(one:.o=-objs))),$(one)))))

always-y += wpool_wq.checked
$(obj)/wpool_wq.checked: $(wpool_objects)
	@awk -v kernel='$(patsubst ./%,%,$(srctree)/)' -f $(wpool_include)/wpool_wq.awk \
		$(foreach one,$^,$(dir $(one)).$(notdir $(one)).cmd) </dev/null
	@touch $@

# SPDX-License-Identifier: GPL-2.0
#
# Tell compat.h which functions and fields the kernel's headers have; compat.h itself tests macros.
# $(call have,HEADER,NAME,DEFINE): define COMPAT_HAVE_DEFINE if HEADER has the word NAME, a pattern.
have = $(if $(shell grep -sw $(2) $(srctree)/include/linux/$(1)),-DCOMPAT_HAVE_$(3))

ccflags-y += $(call have,hrtimer.h,hrtimer_setup,HRTIMER_SETUP)
ccflags-y += $(call have,kcov.h,kcov_common_handle_id,KCOV_HANDLE_ID)
ccflags-y += $(call have,sched.h,sched_delayed,SCHED_DELAYED)
ccflags-y += $(call have,sched.h,is_blocked,IS_BLOCKED)
ccflags-y += $(call have,shrinker.h,shrinker_alloc,SHRINKER_ALLOC)
ccflags-y += $(call have,../../arch/x86/include/asm/processor.h,per_cpu_llc_id,PER_CPU_LLC_ID)
ccflags-y += $(call have,rcupdate.h,call_rcu_hurry,CALL_RCU_HURRY)
ccflags-y += $(call have,sysfs.h,"read..struct.*kobject.*const",CONST_BIN_ATTR)
ccflags-y += $(call have,sysrq.h,"handler..u8",SYSRQ_U8)
ccflags-y += $(call have,timer.h,add_timer_global,ADD_TIMER_GLOBAL)
ccflags-y += $(call have,workqueue.h,system_dfl_wq,SYSTEM_DFL_WQ)
ccflags-y += $(call have,timer.h,timer_delete_sync,TIMER_DELETE_SYNC)
ccflags-y += $(call have,timer.h,timer_shutdown_sync,TIMER_SHUTDOWN_SYNC)
ccflags-y += $(call have,timer.h,timer_destroy_on_stack,TIMER_DESTROY_ON_STACK)

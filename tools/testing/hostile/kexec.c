// SPDX-License-Identifier: GPL-2.0
/* kexec KERNEL INITRAMFS COMMAND-LINE: replace the running kernel at once. */
#include <fcntl.h>
#include <stdio.h>
#include <string.h>
#include <sys/reboot.h>
#include <sys/syscall.h>
#include <unistd.h>

#include <linux/reboot.h>

int main(int argc, char **argv)
{
	int kernel, initramfs;

	if (argc != 4) {
		fprintf(stderr, "usage: kexec KERNEL INITRAMFS COMMAND-LINE\n");
		return 2;
	}
	kernel = open(argv[1], O_RDONLY);
	initramfs = open(argv[2], O_RDONLY);
	if (kernel < 0 || initramfs < 0 ||
	    syscall(SYS_kexec_file_load, kernel, initramfs, strlen(argv[3]) + 1, argv[3], 0)) {
		perror("kexec");
		return 1;
	}
	reboot(LINUX_REBOOT_CMD_KEXEC);
	perror("kexec");
	return 1;
}

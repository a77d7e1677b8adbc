// SPDX-License-Identifier: GPL-2.0
/* tell - in the virtual machine: send a line to the emulator's plugin, see ../module/mark.h. */
#include <sys/cdefs.h>

#include "../module/mark.h"

int main(int argc, char **argv)
{
	if (argc == 2)
		bench_mark_text(argv[1], "");
	return argc != 2;
}

# SPDX-License-Identifier: GPL-2.0
#
# Find headers of the kernel that were read after wpool_wq.h, and name a type of workqueues.
#
# Reads .OBJECT.cmd files: each names the files that the compiler has read, in that order. kernel is
# the directory of the kernel's source, with a slash, or nothing if names of its files begin there.
# Text in a comment of several lines does not count. Exit: 1 if there is such a header.

function names_type(file,	line, found)
{
	while (!found && (getline line <file) > 0)
		found = line ~ /struct[ \t]+(work_struct|delayed_work|rcu_work|workqueue_struct)([^_[:alnum:]]|$)|work_func_t/ &&
			line !~ /^[ \t]*\/?\*/
	close(file)
	return found
}

FNR == 1 { object = $1; sub(/^(saved)?cmd_/, "", object); late = 0 }

{
	for (i = 1; i <= NF; i++)
		if ($i ~ /linux\/wpool_wq_names\.h$/) {
			late = 1
		} else if (late && substr($i, 1, length(kernel)) == kernel) {
			header = substr($i, length(kernel) + 1)
			if (header ~ /^(include|arch)\// && names_type($i)) {
				print object ": error: include wpool_wq.h after " header
				bad = 1
			}
		}
}

END { exit bad }

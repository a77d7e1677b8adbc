// SPDX-License-Identifier: GPL-2.0
/* Files of sections. */
#include "ini.h"

#include <stdlib.h>
#include <string.h>

static const char blanks[] = " \t\r\n";

/* Without the blanks around it; @s is changed. */
static char *strip(char *s)
{
	char *end;

	s += strspn(s, blanks);
	for (end = s + strlen(s); end > s && strchr(blanks, end[-1]); end--)
		end[-1] = '\0';
	return s;
}

/* "[name]"; @line is changed. The name, or NULL and a message. */
static char *section_name(char *line, struct errmsg *e)
{
	size_t len = strlen(line);
	char *name;

	if (line[len - 1] != ']')
		goto err_bad;
	line[len - 1] = '\0';
	name = strip(line + 1);
	if (!*name || strpbrk(name, "[]"))
		goto err_bad;
	name = strdup(name);
	if (!name)
		errmsg_set(e, "out of memory");
	return name;

err_bad:
	errmsg_set(e, ERRMSG_Q " is no name of a section: [name]", line);
	return NULL;
}

static int take_line(char *line, char **section, ini_handler handler, void *arg,
		     struct errmsg *e)
{
	char *value;

	if (*line == '[') {
		free(*section);
		*section = section_name(line, e);
		return *section ? handler(arg, *section, NULL, NULL, e) : -1;
	}
	if (!*section)
		return errmsg_set(e, ERRMSG_Q " is in no section: [name] comes first", line);
	value = strchr(line, '=');
	if (value) {
		*value = '\0';
		value = strip(value + 1);
	}
	line = strip(line);
	if (!*line)
		return errmsg_set(e, "a name is missing before the =");
	return handler(arg, *section, line, value, e);
}

int ini_read(FILE *file, const char *name, ini_handler handler, void *arg, struct errmsg *e)
{
	char *buf = NULL, *section = NULL, *line;
	unsigned int nr = 0;
	size_t size = 0;
	ssize_t len;
	int err = 0;

	while (!err && (len = getline(&buf, &size, file)) >= 0) {
		nr++;
		if (memchr(buf, '\0', len)) {
			err = errmsg_set(e, "this is no text");
			break;
		}
		line = strip(buf);
		if (*line && *line != '#' && *line != ';')
			err = take_line(line, &section, handler, arg, e);
	}
	if (err)
		errmsg_in(e, "%.100s:%u", name, nr);
	else if (ferror(file))
		err = errmsg_set(e, "%.100s: %m", name);
	free(section);
	free(buf);
	return err;
}

// SPDX-License-Identifier: GPL-2.0
/* Files with sections, see ini.h. */
#include "ini.h"

#include <ctype.h>

#include "alloc.h"

static const char blanks[] = " \t\r\n";

/* Removes the blanks around @s, in place. */
static char *strip(char *s)
{
	char *end;

	s += strspn(s, blanks);
	for (end = s + strlen(s); end > s && strchr(blanks, end[-1]); end--)
		end[-1] = '\0';
	return s;
}

/* Parses "[name]" and changes @line. Returns the name, or NULL and a message. */
static char *section_name(char *line, struct errmsg *e)
{
	size_t len = strlen(line);
	char *name, *end;

	if (line[len - 1] != ']')
		goto err_bad;
	line[len - 1] = '\0';
	name = strip(line + 1);
	for (end = name; isprint((unsigned char)*end) && !strchr("[]", *end); end++)
		;
	if (end == name || *end)
		goto err_bad;
	return alloc_copy(name);

err_bad:
	errmsg_set(e, ERRMSG_Q " is no name of a section: [name]", line);
	return NULL;
}

/* The state of the reader. */
struct ini {
	unsigned int line;
	char *section;		/* NULL before the first section */
	bool skipped;		/* the line "[name]" was wrong */
	ini_handler handler;
	void *arg;
};

static int take_head(struct ini *ini, char *line, struct errmsg *e)
{
	free(ini->section);
	ini->section = section_name(line, e);
	ini->skipped = !ini->section ||
		       ini->handler(ini->arg, ini->line, ini->section, NULL, NULL, e);
	return ini->skipped ? -1 : 0;
}

static int take_line(struct ini *ini, char *line, struct errmsg *e)
{
	char *value;

	if (*line == '[')
		return take_head(ini, line, e);
	if (ini->skipped)
		return 0;
	if (!ini->section) {
		ini->skipped = true;
		return errmsg_set(e, ERRMSG_Q " is in no section: [name] comes first", line);
	}
	value = strchr(line, '=');
	if (value) {
		*value = '\0';
		value = strip(value + 1);
	}
	line = strip(line);
	if (!*line)
		return errmsg_set(e, "a name is missing before the =");
	return ini->handler(ini->arg, ini->line, ini->section, line, value, e);
}

int ini_parse(FILE *file, const char *name, ini_handler handler, ini_complain complain, void *arg)
{
	struct ini ini = { .handler = handler, .arg = arg };
	char *buf = NULL, *line;
	bool is_text = true;
	struct errmsg e;
	size_t size = 0;
	ssize_t len;
	int err = 0;

	while (is_text && (len = getline(&buf, &size, file)) >= 0) {
		ini.line++;
		is_text = !memchr(buf, '\0', len);
		line = strip(buf);
		if (is_text && (!*line || *line == '#' || *line == ';'))
			continue;
		if (is_text ? !take_line(&ini, line, &e) : !errmsg_set(&e, "this is no text"))
			continue;
		err = errmsg_set(&e, "%.100s:%u: %s", name, ini.line, e.text);
		complain(arg, &e);
	}
	if (ferror(file)) {
		err = errmsg_set(&e, "%.100s: %m", name);
		complain(arg, &e);
	}
	free(ini.section);
	free(buf);
	return err;
}

int ini_read(const char *name, ini_handler handler, ini_complain complain, void *arg)
{
	FILE *file = fopen(name, "re");
	struct errmsg e;
	int err;

	if (!file) {
		err = errmsg_set(&e, "%.100s: %m", name);
		complain(arg, &e);
		return err;
	}
	err = ini_parse(file, name, handler, complain, arg);
	fclose(file);
	return err;
}

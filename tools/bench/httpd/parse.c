// SPDX-License-Identifier: GPL-2.0
/* The sample's own file, compiled once more, since two modules cannot share an object. */
#include "../../../module/samples/httpd/parse.c"

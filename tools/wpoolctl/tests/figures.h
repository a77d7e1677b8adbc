/* SPDX-License-Identifier: GPL-2.0 */
/* Tests of figures, for the main program in parsers.c. */
#ifndef WPOOLCTL_FIGURES_H
#define WPOOLCTL_FIGURES_H

void test_timehist(void);
void test_arrivals(void);
void test_tally(void);
void test_coordinated_omission(void);
void test_window(void);
void test_overtaken(void);

#endif /* WPOOLCTL_FIGURES_H */

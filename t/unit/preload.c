/* SPDX-License-Identifier: Apache-2.0 */
#include "plan/preload.h"
#include "tap.h"

#include <string.h>

static struct preloads all;

static int guess(const char *text, const char *want)
{
	const struct preload *got = preload_guess(&all, text, strlen(text));

	if (!strcmp(got->name, want))
		return 1;
	printf("# got %s instead of %s\n", got->name, want);
	return 0;
}

static int module(const char *name)
{
	struct err e;

	return preload_check_module(name, &e) == 0;
}

static void test_builtin(void)
{
	OK(guess("", "python"), "an empty program");
	OK(guess("import os, sys\nfrom json import loads", "python"), "what no list has");
	OK(guess("import numpy as np", "numpy"), "a package");
	OK(guess("if 1:\n\timport numpy.random", "numpy"), "an indented part of a package");
	OK(guess("from scipy import stats", "numpy"), "a package that needs another");
	OK(guess("import os, pandas as pd", "pandas"), "the second of a line");
	OK(guess("import numpy\nimport pandas", "pandas"), "two lines");
	OK(guess("import numpyro, pandasql", "python"), "a name that begins alike");
	OK(guess("from matplotlib import pyplot as plt", "plot"), "a part by from");
	OK(guess("import pandas\nx.to_excel('x.xlsx')", "plot"), "a workbook");
	OK(guess("x.to_excel('x.xlsx')", "python"), "a workbook of somebody else");
	OK(guess("from .numpy import x\nfrom . import pandas", "python"), "the program's own modules");
	OK(guess("import", "python") && guess("from", "python") && guess("from numpy", "numpy"),
	   "lines that end early");
}

static void test_lists(void)
{
	char name[8], large[PRELOAD_MODULES_MAX + 1];
	struct err e;

	OK(preloads_set(&all, "stats", "numpy,pandas,scipy.stats", &e) == 0, "a list is added");
	OK(guess("import scipy.stats", "stats"), "it has the module");
	OK(guess("from scipy import (stats, optimize)", "stats"), "it has one of two");
	OK(guess("import pandas", "pandas"), "the least is taken");
	OK(guess("import scipy.stats, matplotlib", "stats"), "of two with as much the least is taken");
	OK(guess("from pandas import stats, DataFrame", "pandas"), "names that are no modules do not count");
	OK(preloads_set(&all, "plot", "", &e) == 0 && guess("import matplotlib", "python"),
	   "a list is taken away");
	OK(preloads_set(&all, "python", "json,re", &e) == 0 && guess("import os", "python") &&
	   !strcmp(all.list[0].modules, "json,re"), "the first list is replaced");
	OK(preloads_set(&all, "a b", "re", &e) < 0 && preloads_set(&all, "", "re", &e) < 0,
	   "a name is plain");
	memset(large, 'a', sizeof(large) - 1);
	large[sizeof(large) - 1] = 0;
	OK(preloads_set(&all, "large", large, &e) < 0, "the bytes are bounded");
	int rc = 0;
	for (int i = 0; i < PRELOAD_LISTS - 5 && rc == 0; i++) {
		snprintf(name, sizeof(name), "l%d", i);
		rc = preloads_set(&all, name, "re", &e);
	}
	OK(rc == 0 && preloads_set(&all, "more", "re", &e) < 0, "the lists are bounded");
	OK(preloads_set(&all, "l0", "os", &e) == 0, "but can be replaced");
}

int main(void)
{
	preloads_init(&all);
	test_builtin();
	test_lists();
	preloads_free(&all);
	OK(module("a") && module("_a.b2.C"), "names of modules");
	OK(!module("") && !module("a.") && !module(".a") && !module("a..b") && !module("a,b") &&
	   !module("2a") && !module("a.2") && !module("a b") && !module("-"), "others are none");
	return TAP_DONE();
}

/* SPDX-License-Identifier: Apache-2.0 */
/* config - which files and variables make the configuration, in which order.
 *
 *   built in < /etc/pai/pai.yaml < ${XDG_CONFIG_HOME:-~/.config}/pai/pai.yaml
 *   < the file of --config, or else of PAI_CONFIG < the environment < options
 *
 * A file `.env` beside a YAML file goes after it (conffile.h tells of both
 * forms); a given file whose name ends in .env is one. The given file must
 * exist, the others need not. A file is refused that neither root nor the user
 * owns, or that others can write. PAI_CONFIG_NOSYSTEM, if it is not empty,
 * leaves out the system's: for tests.
 */
#ifndef PAI_PLAN_CONFIG_H
#define PAI_PLAN_CONFIG_H

#include "plan/plan.h"

#define CONFIG_SYSTEM "/etc/pai/pai.yaml"

/* All but the options into *P, whose environ and config are set already. */
int config_load(struct plan *p, struct err *e);

#endif

/* SPDX-License-Identifier: Apache-2.0 */
/* scratch - a folder in memory with an output folder "out" in it, set with traps,
 * and a folder "victim" that nobody may touch. It is the working directory. */
#ifndef PAI_T_FUZZ_SCRATCH_H
#define PAI_T_FUZZ_SCRATCH_H

/* Makes it at the first call; removed at the end of the process. */
void scratch_enter(void);
/* "out" is empty but for the traps: links, a FIFO, a file of the victim's by
 * another name. */
void scratch_plant(void);
/* Aborts if anything was made or changed but regular files and folders in "out"
 * with plain modes, or if a file of ours was left there. */
void scratch_check(void);
/* Empties "out": something was put there. */
void scratch_clean(void);

#endif

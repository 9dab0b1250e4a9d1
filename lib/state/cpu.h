/* SPDX-License-Identifier: Apache-2.0 */
/* cpu - the processor, as far as a snapshot depends on it. */
#ifndef PAI_STATE_CPU_H
#define PAI_STATE_CPU_H

#define CPU_TEXT 256

/* What /proc/cpuinfo says of the first: the name of its model, and a digest of its features. */
void cpu_text(char text[CPU_TEXT]);

#endif

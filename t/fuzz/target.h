/* SPDX-License-Identifier: Apache-2.0 */
/* target - what libFuzzer, or replay.c in its place, calls. */
#ifndef PAI_T_FUZZ_TARGET_H
#define PAI_T_FUZZ_TARGET_H

#include <stddef.h>
#include <stdint.h>

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

#endif

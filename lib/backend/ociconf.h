/* SPDX-License-Identifier: Apache-2.0 */
/* ociconf - the config.json of a gVisor sandbox. It is a constant: a checkpoint
 * freezes nearly all of it, so whatever differs from run to run is applied by
 * pai-guest. */
#ifndef PAI_BACKEND_OCICONF_H
#define PAI_BACKEND_OCICONF_H

#define OCI_IMAGE "/image/rootfs.erofs"	/* where the keeper binds the image */
#define OCI_ROOT "/bundle/root"		/* an empty folder */

extern const char ociconf_json[];

#endif

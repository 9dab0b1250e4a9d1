/* SPDX-License-Identifier: Apache-2.0 */
/* ociconf - the config.json of a gVisor sandbox: a constant, for a checkpoint
 * freezes nearly all of it, and whatever differs from run to run is applied by
 * pai-guest. One is for an image, one for a folder in its place. */
#ifndef PAI_BACKEND_OCICONF_H
#define PAI_BACKEND_OCICONF_H

#define OCI_IMAGE "/image/rootfs.erofs"	/* where the keeper binds the image */
#define OCI_FOLDER "/image/rootfs"	/* or the folder */
#define OCI_ROOT "/bundle/root"		/* an empty folder */

extern const char ociconf_image[], ociconf_folder[];

#endif

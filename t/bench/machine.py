# SPDX-License-Identifier: Apache-2.0
"""What the figures were taken on."""

import json
import os
import platform
import subprocess


def first_line(*command):
    done = subprocess.run(command, capture_output=True, text=True, check=True)
    return done.stdout.partition("\n")[0]


def field_of(path, name):
    """The value of a "name : value" line of a file in /proc."""
    with open(path) as f:
        for line in f:
            key, _, value = line.partition(":")
            if key.strip() == name:
                return value.strip()
    return ""


def image_digest(image):
    with open(image / "image.json") as f:
        return json.load(f)["rootfs"]["digest"]


def describe(pai_exec, image, tree_how):
    return {
        "kernel": platform.release(),
        "cpu": field_of("/proc/cpuinfo", "model name"),
        "cpus": len(os.sched_getaffinity(0)),
        "memory": field_of("/proc/meminfo", "MemTotal"),
        "pai-exec": first_line(pai_exec, "--version"),
        "runsc": first_line("runsc", "--version"),
        "image": image_digest(image),
        "bare files": tree_how,
        "load before": os.getloadavg(),
    }

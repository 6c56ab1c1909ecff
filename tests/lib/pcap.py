# SPDX-License-Identifier: GPL-2.0-or-later
"""pcap files."""

import os
import struct

ETHERNET, RAW_IP = 1, 101


def write_pcap(path, frames, linktype):
    """frames: microseconds since 1970, bytes, and how many there were before a snap length cut them, if one did."""
    with open(path, "wb") as file:
        file.write(struct.pack("<IHHiIII", 0xA1B2C3D4, 2, 4, 0, 0, 0x7FFFFFFF, linktype))
        # Wireshark may run as another user.
        os.chmod(path, 0o644)
        for time, data, *length in frames:
            file.write(struct.pack("<IIII", *divmod(time, 1_000_000), len(data), *(length or [len(data)])))
            file.write(data)
    return path

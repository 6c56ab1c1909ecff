# SPDX-License-Identifier: GPL-2.0-or-later
"""Related requests of SMB2 in one message, of which only the first names the file: [MS-SMB2] 3.2.4.1.4."""

from functools import cache

import pytest

from lib import lossy
from lib.captures import CAPTURES, options_for
from lib.lossy import CLOSE, CREATE, IOCTL, READ, WRITE
from lib.pcap import ETHERNET, write_pcap
from lib.tables import named_rows

HOW = {
    "open, bind": {(CREATE, WRITE), (CREATE, IOCTL), (WRITE, READ)},
    "ask, read": {(WRITE, READ)},
    "ask, close": {(READ, CLOSE), (IOCTL, CLOSE)},
}
FIELDS = ["perflibv2.opnum", "perflibv2.path", "perflibv2.value", "perflibv2.return_code", "perfdata.path", "perfdata.value", "perflib_session.recognised"]
# In clear and sealed, of both APIs, with several pipes, one of a client that asks by FSCTL_PIPE_TRANSCEIVE.
NAMES = ["smb2-session", "both-apis", "sealed-smb2", "sealed-two-pipes", "sealed-spnego-smb2", "perfdata-samba", "perfdata-samba-sealed"]


def read(tshark, file, capture, *passes):
    """All that each of the fields shows."""
    rows = tshark.fields(file, *FIELDS, display_filter="perflibv2 || perfdata", options=[*options_for(capture), *passes])
    return [[item for row in rows for item in row[column]] for column in range(len(FIELDS))]


read_whole = cache(read)


@pytest.mark.parametrize("name, how", [(name, how) for name in NAMES for how in HOW if how != "ask, close" or name.startswith("sealed-")])
def test_related_requests_give_the_same_calls_and_values(tshark, folder, name, how):
    """The calls and values are those of the client that waits for each answer."""
    capture = CAPTURES / f"{name}.pcapng"
    frames = lossy.frames_of(capture, folder)
    path = write_pcap(folder / "related.pcap", lossy.with_related(frames, HOW[how]), ETHERNET)
    for passes in ((), ("-2",)):
        found, expected = read(tshark, path, capture, *passes), read_whole(tshark, capture, capture, *passes)
        assert any(expected[2] + expected[5]) and found == expected, passes


@pytest.mark.parametrize("how", HOW)
def test_related_requests_give_the_same_session(tshark, folder, how):
    capture = CAPTURES / "smb2-session.pcapng"
    path = write_pcap(folder / "related.pcap", lossy.with_related(lossy.frames_of(capture, folder), HOW[how]), ETHERNET)

    def told(file):
        return [[row[column] for column in ("Over", "For", "Reached", "Outcome", "Calls", "Faults")]
                for row in named_rows(tshark.run(file, "-q", "-z", "perflibv2,sessions"))]

    assert told(path) == told(capture) != []

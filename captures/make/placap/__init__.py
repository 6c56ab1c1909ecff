# SPDX-License-Identifier: GPL-2.0-or-later
"""A client (impacket's DCOM) and a server of [MS-PLA], for the sample captures."""

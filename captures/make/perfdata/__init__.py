# SPDX-License-Identifier: GPL-2.0-or-later
"""HKEY_PERFORMANCE_DATA for sample captures: blocks, the registry calls around them, TCP below them."""

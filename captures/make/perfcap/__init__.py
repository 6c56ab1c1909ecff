# SPDX-License-Identifier: GPL-2.0-or-later
"""What makes the captures of this folder; see ../make and ../../README.md."""

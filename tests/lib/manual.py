# SPDX-License-Identifier: GPL-2.0-or-later
"""The pages of the manual."""

import sys

from lib.captures import REPOSITORY

sys.path.append(str(REPOSITORY / "plugin" / "packaging"))
from manual import anchor, one_page, pages  # noqa: E402

__all__ = ["anchor", "one_page", "pages"]

#!/usr/bin/env python3
# SPDX-License-Identifier: GPL-2.0-or-later
"""ntlm-without-kerberos.py TREE: lets a Wireshark built without Kerberos's library, which is not to be had for Windows here,
take NTLM's passwords, as official builds do."""

import sys
from pathlib import Path

path = Path(sys.argv[1], "epan/dissectors/packet-ntlmssp.c")
before = "  (void) pool;\n  *p_pass_list = NULL;\n  return 0;\n"
after = """  char utf16[256] = "";
  int size = (int)strlen(ntlmssp_option_nt_password) * 2;
  if (size > 256) return 0;
  ansi_to_unicode(ntlmssp_option_nt_password, utf16);
  *p_pass_list = (md4_pass *)wmem_alloc0(pool, sizeof(md4_pass));
  gcry_md_hash_buffer(GCRY_MD_MD4, (*p_pass_list)->md4, utf16, size);
  snprintf((*p_pass_list)->key_origin, NTLMSSP_MAX_ORIG_LEN, "<Global NT Password>");
  return 1;
"""
text = path.read_text()
if text.count(before) != 1:
    sys.exit(f"{path} is another one")
path.write_text(text.replace(before, after))

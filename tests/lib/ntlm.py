# SPDX-License-Identifier: GPL-2.0-or-later
"""NTLM version 2 as [MS-NLMP] 3.3.2 has it: logons of a capture are made those of other users, with what they sealed as it is.

The key that seals is a random one, sent under a key that is made of the password: only that is changed.
"""

import hashlib
import hmac
import struct

AUTHENTICATE = b"NTLMSSP\0\3\0\0\0"
CHALLENGE = b"NTLMSSP\0\2\0\0\0"


def authenticate(user):
    """An AUTHENTICATE_MESSAGE with nothing but the user, [MS-NLMP] 2.2.1.3."""
    name = user.encode("utf-16-le")
    fields = b"".join(struct.pack("<HHI", size, size, 64) for size in (0, 0, 0, len(name), 0, 0))
    return AUTHENTICATE + fields + struct.pack("<I", 1) + name


def md4(data):
    """[RFC1320]; hashlib has it no longer everywhere."""
    def rotate(number, by):
        number &= 0xFFFFFFFF
        return (number << by | number >> 32 - by) & 0xFFFFFFFF

    padded = data + b"\x80" + bytes((55 - len(data)) % 64) + struct.pack("<Q", 8 * len(data))
    state = [0x67452301, 0xEFCDAB89, 0x98BADCFE, 0x10325476]
    rounds = (
        (lambda x, y, z: x & y | ~x & z, 0, list(range(16)), (3, 7, 11, 19)),
        (lambda x, y, z: x & y | x & z | y & z, 0x5A827999, [i % 4 * 4 + i // 4 for i in range(16)], (3, 5, 9, 13)),
        (lambda x, y, z: x ^ y ^ z, 0x6ED9EBA1, [0, 8, 4, 12, 2, 10, 6, 14, 1, 9, 5, 13, 3, 11, 7, 15], (3, 9, 11, 15)),
    )
    for at in range(0, len(padded), 64):
        words = struct.unpack_from("<16I", padded, at)
        a, b, c, d = state
        for mix, constant, order, shifts in rounds:
            for step, index in enumerate(order):
                a, b, c, d = d, rotate(a + mix(b, c, d) + words[index] + constant, shifts[step % 4]), b, c
        state = [(old + new) & 0xFFFFFFFF for old, new in zip(state, (a, b, c, d))]
    return struct.pack("<4I", *state)


def rc4(key, data):
    box, j = list(range(256)), 0
    for i in range(256):
        j = (j + box[i] + key[i % len(key)]) & 255
        box[i], box[j] = box[j], box[i]
    i = j = 0
    out = bytearray()
    for byte in data:
        i = (i + 1) & 255
        j = (j + box[i]) & 255
        box[i], box[j] = box[j], box[i]
        out.append(byte ^ box[(box[i] + box[j]) & 255])
    return bytes(out)


def nt_hash(password):
    return md4(password.encode("utf-16-le"))


def _field(message, at):
    length, _, offset = struct.unpack_from("<HHI", message, at)
    return offset, length


def _base_key(hashed, user, domain, challenge, response):
    """Proof and session base key for what stands behind the proof in a response."""
    key = hmac.new(hashed, (user.upper() + domain).encode("utf-16-le"), hashlib.md5).digest()
    proof = hmac.new(key, challenge + response[16:], hashlib.md5).digest()
    return proof, hmac.new(key, proof, hashlib.md5).digest()


def as_another_user(frames, password, user, new_password):
    """The session with every logon of that password made by another user (of a name as long) with another password."""
    challenge, changed = None, []
    for time, frame in frames:
        at = frame.find(CHALLENGE)
        if at >= 0:
            challenge = frame[at + 24 : at + 32]
        at = frame.find(AUTHENTICATE)
        if at >= 0 and challenge:
            message = bytearray(frame[at:])
            (response_at, size), (domain_at, domain_size), (user_at, user_size), (key_at, key_size) = (
                _field(message, place) for place in (20, 28, 36, 52))
            name = message[user_at : user_at + user_size].decode("utf-16-le")
            domain = message[domain_at : domain_at + domain_size].decode("utf-16-le")
            response = bytes(message[response_at : response_at + size])
            proof, base = _base_key(nt_hash(password), name, domain, challenge, response)
            if proof == response[:16]:
                assert len(user.encode("utf-16-le")) == user_size
                proof, new_base = _base_key(nt_hash(new_password), user, domain, challenge, response)
                message[response_at : response_at + 16] = proof
                message[user_at : user_at + user_size] = user.encode("utf-16-le")
                if key_size:
                    message[key_at : key_at + 16] = rc4(new_base, rc4(base, bytes(message[key_at : key_at + 16])))
                frame = frame[:at] + bytes(message)
        changed.append((time, frame))
    return changed


def keytab(*entries):
    """A keytab of arcfour-hmac keys: (principal, realm, password) each. Version 2, as MIT writes it."""
    def counted(text):
        data = text.encode()
        return struct.pack(">H", len(data)) + data

    data = b"\5\2"
    for principal, realm, password in entries:
        entry = struct.pack(">H", 1) + counted(realm) + counted(principal) + struct.pack(">IIB", 1, 0, 1)
        entry += struct.pack(">HH", 23, 16) + nt_hash(password)
        data += struct.pack(">i", len(entry)) + entry
    return data

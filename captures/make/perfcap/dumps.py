# SPDX-License-Identifier: GPL-2.0-or-later
"""Bytes of a file that may be a hex dump: xxd, hexdump -C, od -t x1, Format-Hex, WinDbg's db, a C array, or plain numbers."""

import re

# Limit of this command. QueryCounterData's dwInSize may be 1 GiB, but real answers are far smaller.
MOST_BYTES = 256 << 20

# Offset, perhaps a colon (xxd), bytes and their text. The last line of hexdump and od is an offset alone.
_LINE = re.compile(r'\s*(?:0x)?([0-9A-Fa-f`]{4,17})(:?)(?:\s+(\S.*))?\s*')
_BYTES = re.compile(r'(\s*|-)((?:[0-9A-Fa-f]{2})+)(?=[\s|\-]|$)')
_ARRAY = re.compile(r'[{(]\s*((?:0[xX][0-9A-Fa-f]{1,2}|\d{1,3})(?:\s*,\s*(?:0[xX][0-9A-Fa-f]{1,2}|\d{1,3}))*)\s*,?\s*[})]')
_WIDTH = 16


class Damaged(ValueError):
    """A damaged hex dump. The text ends a sentence that begins with the file's name."""


def text_of(data):
    """The text of a file, or None if it is none. PowerShell's redirection writes UTF-16 with a byte order mark."""
    if data[:2] in (b'\xff\xfe', b'\xfe\xff'):
        try:
            return data.decode('utf-16')
        except UnicodeDecodeError:
            return None
    text = data.removeprefix(b'\xef\xbb\xbf').decode('latin-1')
    return None if re.search(r'[\0-\x08\x0e-\x19\x1b-\x1f]', text) else text


def _bytes_of_line(rest, is_xxd, most):
    """The bytes at the start of a line, up to the text beside them. More than most, if the line goes on with bytes."""
    found, at = b'', 0
    while match := _BYTES.match(rest, at):
        # Two blanks come before the text, and in the middle of a line of hexdump -C.
        if at and len(match[1]) > 1 and (match[1] != '  ' or len(found) != 8 or is_xxd):
            break
        # Only a full line of Format-Hex has a single blank before the text, which may look like bytes.
        if len(found) == most and most % _WIDTH == 0:
            break
        found += bytes.fromhex(match[2])
        at = match.end()
        if len(found) > most:
            break
    return found


def _with_offsets(lines, base):
    """The bytes of lines (number, offset, is_xxd, rest); rest None: an offset alone; offset None: a line like the last."""
    data, last, start = bytearray(), b'', int(lines[0][1], base)
    for at, (number, offset, is_xxd, rest) in enumerate(lines):
        following = next((int(line[1], base) for line in lines[at + 1:] if line[1] is not None), None) if offset is None else \
            int(lines[at + 1][1], base) if at + 1 < len(lines) and lines[at + 1][1] is not None else None
        if offset is None:
            wanted = 0 if following is None else following - start - len(data)
            if wanted < 0 or wanted > MOST_BYTES or not last or wanted % len(last):
                raise Damaged(f'line {number} repeats the one before, but the offsets do not say how often')
            data += last * (wanted // len(last))
            continue
        if int(offset, base) - start != len(data):
            raise Damaged(f'line {number} begins at {offset}, but {len(data):x} (hexadecimal) bytes come before it')
        if rest is None:
            continue
        wanted = None if following is None else following - int(offset, base)
        most = wanted if wanted is not None else MOST_BYTES if is_xxd else max(len(last), _WIDTH)
        last = _bytes_of_line(rest, is_xxd, most)
        if not last or (wanted is not None and len(last) != wanted):
            raise Damaged(f'line {number} has {len(last)} bytes, the offsets say {wanted}')
        data += last
        if len(data) > MOST_BYTES:
            raise Damaged(f'it has more than {MOST_BYTES} bytes')
    return bytes(data)


def _offset_lines(text):
    lines = []
    for number, line in enumerate(text.splitlines(), 1):
        match = _LINE.fullmatch(line)
        if match and (match[3] is not None or lines):
            lines.append((number, match[1].replace('`', ''), match[2] == ':', match[3]))
        elif line.strip() == '*' and lines:
            lines.append((number, None, False, None))
    return lines if any(line[3] and _BYTES.match(line[3]) for line in lines) else []


def _numbers(text):
    """The bytes of numbers without offsets, or None."""
    if re.fullmatch(r'\s*(?:0[xX][0-9A-Fa-f]{1,2}[\s,;]*)+', text):
        return bytes(int(number, 16) for number in re.findall(r'0[xX]([0-9A-Fa-f]+)', text))
    numbers = re.split(r'[\s,]+', text.strip())
    # Bytes that PowerShell or .NET wrote one by one. Two digits alone could be hexadecimal.
    if all(re.fullmatch(r'\d{1,3}', number) and int(number) < 256 for number in numbers) and any(len(number) != 2 for number in numbers):
        return bytes(map(int, numbers))
    numbers = re.split(r'[\s:-]+', text.strip())
    if all(re.fullmatch(r'(?:[0-9A-Fa-f]{2})+', number) for number in numbers):
        return bytes.fromhex(''.join(numbers))
    return None


def bytes_of(data):
    """(bytes, whether they were a hex dump). Raises Damaged."""
    text = text_of(data)
    if text is None or not text.strip():
        return data, False
    text = re.sub(r'\x1a\s*$', '', text)
    code = re.sub(r'/\*.*?\*/|//[^\n]*', '', text, flags=re.DOTALL)
    arrays = _ARRAY.findall(code)
    if len(arrays) > 1:
        raise Damaged(f'it has {len(arrays)} arrays, but a file is one buffer')
    if arrays:
        numbers = [int(number, 0) if number[:2] in ('0x', '0X') else int(number) for number in re.split(r'\s*,\s*', arrays[0])]
        if max(numbers) > 255:
            raise Damaged('its array has numbers above 255')
        return bytes(numbers), True
    # Before offsets: four digits may be two bytes.
    plain = _numbers(text)
    lines = _offset_lines(text)
    if not lines:
        return (data, False) if plain is None else (plain, True)
    first = lines[0][3] or ''
    if not lines[0][2] and re.match(r'(?:[0-9A-Fa-f]{4}|[0-7]{6}|[0-9A-Fa-f`]{8,17})(?:\s|$)', first):
        if plain is not None:
            return plain, True
        raise Damaged('it shows numbers of several bytes, in the order of the computer that wrote it: use xxd, hexdump -C or db')
    problem = None
    for base in (16, 8, 10):
        try:
            return _with_offsets(lines, base), True
        except ValueError as error:
            problem = problem or error
    if plain is not None:
        return plain, True
    raise problem

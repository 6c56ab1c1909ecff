# SPDX-License-Identifier: GPL-2.0-or-later
"""No test may succeed because there was nothing to look at: lib.some fails on an empty list, and is used where a list may be empty. Names say what holds."""

import ast
import re

from lib.captures import REPOSITORY

# What cannot be empty when its arguments are not.
KEEPS = {"enumerate", "zip", "sorted", "reversed", "list", "tuple", "set", "product", "pairwise", "items", "values", "keys", "permutations", "combinations"}


def is_full(node, full):
    """Whether an expression has elements for sure: written here, a constant of the file, or seen to by some()."""
    if isinstance(node, ast.Tuple | ast.List | ast.Set):
        return any(not isinstance(element, ast.Starred) or is_full(element.value, full) for element in node.elts)
    if isinstance(node, ast.Dict):
        return bool(node.keys)
    if isinstance(node, ast.Constant):
        return bool(node.value)
    if isinstance(node, ast.Name):
        return node.id in full or node.id.isupper()
    if isinstance(node, ast.Attribute):
        return node.attr.isupper()
    if isinstance(node, ast.ListComp | ast.GeneratorExp | ast.SetComp | ast.DictComp):
        return all(not comprehension.ifs and is_full(comprehension.iter, full) for comprehension in node.generators)
    if isinstance(node, ast.BinOp) and isinstance(node.op, ast.Add):
        return is_full(node.left, full) or is_full(node.right, full)
    if isinstance(node, ast.Call):
        name = node.func.id if isinstance(node.func, ast.Name) else getattr(node.func, "attr", "")
        if name == "some":
            return True
        if name == "range":
            return all(isinstance(argument, ast.Constant) or (isinstance(argument, ast.UnaryOp)) for argument in node.args[:2])
        if name in KEEPS:
            inner = node.args or ([node.func.value] if isinstance(node.func, ast.Attribute) else [])
            return bool(inner) and all(is_full(argument, full) for argument in inner)
    return False


def full_names(nodes):
    """Names that are seen to have elements: assigned what has some, or asserted to be, or of a length."""
    full = set()
    for node in nodes:
        if isinstance(node, ast.Assign) and is_full(node.value, full):
            full |= {target.id for target in node.targets if isinstance(target, ast.Name)}
        if isinstance(node, ast.Assert):
            # assert rows; assert len(rows) == 3; assert rows == [...], and the same in "and".
            conditions = node.test.values if isinstance(node.test, ast.BoolOp) and isinstance(node.test.op, ast.And) else [node.test]
            for condition in conditions:
                sides = [condition, *([condition.left, *condition.comparators] if isinstance(condition, ast.Compare) else [])]
                for side in sides:
                    if isinstance(side, ast.Call) and isinstance(side.func, ast.Name) and side.func.id in ("len", "set", "sorted", "list") and side.args:
                        side = side.args[0]
                    if isinstance(side, ast.Name):
                        full.add(side.id)
    return full


def is_assertion(node):
    """assert, pytest.raises, or a function that is called to check."""
    if isinstance(node, ast.Assert | ast.Raise):
        return True
    return isinstance(node, ast.Call) and (getattr(node.func, "id", None) or getattr(node.func, "attr", "")).startswith(("check", "expect", "assert", "raises", "same"))


def outside_loops(function, full):
    """Assertions that are made in any case, or in loops over what has elements."""
    def walk(node):
        if is_assertion(node):
            yield node
        for child in ast.iter_child_nodes(node):
            if isinstance(child, ast.FunctionDef | ast.Lambda):
                continue
            if isinstance(child, ast.For) and not is_full(child.iter, full):
                continue
            yield from walk(child)
    return list(walk(function))


def weak(tree):
    """(line, what) of each place of a file that may assert nothing."""
    for function in ast.walk(tree):
        if not isinstance(function, ast.FunctionDef):
            continue
        nodes = list(ast.walk(function))
        full = full_names(nodes)
        for node in nodes:
            if isinstance(node, ast.Assert):
                for call in ast.walk(node.test):
                    if (isinstance(call, ast.Call) and isinstance(call.func, ast.Name) and call.func.id == "all" and call.args
                            and not is_full(call.args[0], full)):
                        yield call.lineno, "all() of what may be nothing"
        if function.name.startswith("test_") and any(map(is_assertion, nodes)) and not outside_loops(function, full):
            yield function.lineno, f"{function.name}() asserts only in loops over what may be nothing"


def test_none_succeeds_on_nothing():
    found = []
    files = sorted((REPOSITORY / "tests").rglob("test_*.py"))
    assert len(files) > 50
    for file in files:
        found += [f"{file.relative_to(REPOSITORY)}:{line}: {what}" for line, what in weak(ast.parse(file.read_text(encoding="utf-8")))]
    assert not found, "\n".join([f"{len(found)} places; lib.some fails on nothing:", *found])


def test_assertions_over_nothing_are_found():
    for source, places in (
        ("def test():\n    assert all(x for x in rows())\n", 1),
        ("def test():\n    for x in rows():\n        assert x\n", 1),
        ("def test_x():\n    for x in rows():\n        assert x\n", 1),
        ("def test_x():\n    rows = read()\n    assert all(rows)\n", 1),
        ("def test_x():\n    rows = read()\n    assert all(row for row in rows if row)\n    assert rows\n", 1),
        ("def test_x():\n    rows = read()\n    assert rows\n    assert all(row for row in rows)\n", 0),
        ("def test_x():\n    for x in some(rows()):\n        assert x\n", 0),
        ("def test_x():\n    for x in (1, 2):\n        assert x\n", 0),
        ("def test_x():\n    for x in rows():\n        assert x\n    assert other()\n", 0),
        ("def test_x():\n    assert all(x for x in some(rows()))\n", 0),
    ):
        assert len(list(weak(ast.parse(source)))) == (places if "test_x" in source or "all(" in source else 0), source


# Tests of a unit are the functions that main() calls. A check function with parameters is shared by tests, and is none itself.
MAIN = re.compile(r"^main\(.*?^\}", re.MULTILINE | re.DOTALL)
UNIT_TEST = re.compile(r"^static \w+\n(test_\w+|check_\w+(?=\(void\)))\(", re.MULTILINE)


def says_too_little(name):
    """A test's name is a sentence: what it is about, and what holds of that. Two words are a title; articles are none."""
    return len([word for word in name.split("_")[1:] if word not in ("", "a", "an", "the")]) < 3


def unit_tests(text):
    main = MAIN.search(text)
    return [name for name in UNIT_TEST.findall(text) if main and re.search(rf"\b{name}\(", main[0])]


def names_of_tests(path):
    text = path.read_text(encoding="utf-8")
    if path.suffix == ".c":
        return unit_tests(text)
    return [node.name for node in ast.walk(ast.parse(text)) if isinstance(node, ast.FunctionDef) and node.name.startswith("test_")]


def test_every_name_says_what_holds():
    files = [path for room in ("*/test_*.py", "unit/test_*.c") for path in sorted((REPOSITORY / "tests").glob(room))]
    names = [(path.relative_to(REPOSITORY), name) for path in files for name in names_of_tests(path)]
    assert len(names) > 1500
    assert [f"{path}: {name}" for path, name in names if says_too_little(name)] == []


def test_names_that_say_too_little_are_found():
    for name, is_told in (("test_", True), ("test_page", True), ("test_a_page", True), ("test_two_pages", True), ("test_page_has_curves", False)):
        assert says_too_little(name) == is_told, name
    unit = "".join(f"static void\n{name}({given})\n{{\n}}\n\n" for name, given in (
        ("test_rows", "bool is_big"), ("check_rows", "void"), ("check_row", "int row"), ("check_never", "void")))
    assert unit_tests(unit + "int\nmain(void)\n{\n    test_rows(true);\n    check_rows();\n    check_row(1);\n}\n") == ["test_rows", "check_rows"]


CHECK = re.compile(r"\bCHECK\(((?:[^;\"]|\"(?:[^\"\\]|\\.)*\")*?)\);")


def joined(text):
    """CHECKs of a unit that join three conditions or more, and print none of the values: one that fails does not say of which."""
    for match in CHECK.finditer(text):
        bare = re.sub(r'"(?:[^"\\]|\\.)*"', '""', match[1])
        if len(re.findall(r"&&|[|]{2}", bare)) >= 2 and re.search(r',\s*(?:""\s*)+$', bare):
            yield match[1]


def test_no_check_joins_three_conditions_without_a_value():
    files = sorted((REPOSITORY / "tests" / "unit").glob("*.[ch]"))
    assert len(files) > 50 and sum(len(CHECK.findall(file.read_text(encoding="utf-8"))) for file in files) > 1000
    assert [f"{file.name}: {check}" for file in files for check in joined(file.read_text(encoding="utf-8"))] == []


def test_checks_that_join_conditions_are_found():
    for check, is_found in (
        ('CHECK(a == 1 && f(b, "&&") &&\n    c, "of three");', True), ('CHECK(a && b && c, "%u", a);', False), ('CHECK(a && b, "x && y && z");', False),
        ('CHECK(a && (b || c),\n    "of " "three");', True),
    ):
        assert bool(list(joined(check))) == is_found, check

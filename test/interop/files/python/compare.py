"""Compares JSON and CSV of the gateway with forms (forms.py)."""

import json
import math
from decimal import Decimal

import numpy


class Members(list):
    """An object with its order and its repeated names."""


class Number(str):
    """A number as its text."""


def parse(text):
    return json.loads(text, parse_float=Number, parse_int=Number, parse_constant=reject, object_pairs_hook=Members)


def reject(word):
    raise ValueError(f"{word} is no JSON")


def differs(form, found, place=""):
    """Where and how JSON differs from a form; None where it does not."""
    if form is None or isinstance(form, (bool, str)):
        same = type(found) is type(form) and found == form
        return None if same else f"{place}: expected {form!r}, found {found!r}"
    if isinstance(form, list):
        if not isinstance(found, list) or isinstance(found, Members) or len(found) != len(form):
            return f"{place}: expected a list of {len(form)}, found {str(found)[:200]!r}"
        return first(differs(one, other, f"{place}[{i}]") for i, (one, other) in enumerate(zip(form, found)))
    kind = form[0]
    if kind == "object":
        return differs_object(unique(form[1]), found, place)
    if kind == "map":
        return differs_map(form[1], found, place)
    if kind == "instant":
        return None if same_instant(form, found) else f"{place}: expected {form!r}, found {found!r}"
    return None if same_number(form, found) else f"{place}: expected {form!r}, found {found!r}"


def same_instant(form, found):
    return not isinstance(found, Number) and isinstance(found, str) and found.rstrip("0Z") == form[1].rstrip("0Z") and found.endswith("Z")


def differs_object(members, found, place):
    if not isinstance(found, Members) or [name for name, _ in found] != [name for name, _ in members]:
        return f"{place}: expected the members {[name for name, _ in members]}, found {str(found)[:200]!r}"
    return first(differs(form, value, f"{place}.{name}") for (name, form), (_, value) in zip(members, found))


def differs_map(entries, found, place):
    if isinstance(found, Members):
        if len(found) != len(entries) or not all(is_key(key, name) for (key, _), (name, _) in zip(entries, found)):
            return f"{place}: expected the entries {entries}, found {str(found)[:200]!r}"
        return differs_object([(name, value) for (name, _), (_, value) in zip(found, entries)], found, place)
    pairs = [("object", [("key", key), ("value", value)]) for key, value in entries]
    return differs(pairs, found, place)


def is_key(key, name):
    """Whether the name of a member is the text of a key."""
    return not isinstance(key, list) and cell_differs(key, name, "") is None


def same_number(form, found):
    kind, value = form[0], form[1]
    if kind == "float" and not math.isfinite(value):
        word = "NaN" if math.isnan(value) else "Infinity" if value > 0 else "-Infinity"
        return found == word and not isinstance(found, Number)
    if not isinstance(found, Number):
        return False
    if kind in ("int", "decimal"):
        return Decimal(found) == value
    if math.copysign(1, float(found)) != math.copysign(1, value):
        return False
    if form[2] == 64:
        return float(found) == value
    # The float itself, and no more digits than tell it from its neighbours.
    return numpy.float32(found) == numpy.float32(value) and len(digits(found)) <= len(digits(str(numpy.float32(value)))) + 1


def digits(text):
    return text.lower().split("e")[0].replace(".", "").lstrip("-0").rstrip("0")


def unique(members):
    """Of two names that are equal the later stays; the earlier is called by its place."""
    names = [name for name, _ in members]
    taken = set(names)
    renamed = []
    for i, (name, form) in enumerate(members):
        if name in names[i + 1 :]:
            name = f"Field_{i}"
            while name in taken:
                name += "_"
            taken.add(name)
        renamed.append((name, form))
    return renamed


def cell_differs(form, found, place):
    """The same for a field of CSV; forms that have no text of their own are JSON."""
    if form is None:
        return None if found == "" else f"{place}: expected an empty field, found {found!r}"
    if isinstance(form, bool):
        return None if found == str(form).lower() else f"{place}: expected {form}, found {found!r}"
    if isinstance(form, str):
        return None if found == form else f"{place}: expected {form!r}, found {found!r}"
    if isinstance(form, tuple) and form[0] == "instant":
        return None if same_instant(form, found) else f"{place}: expected {form!r}, found {found!r}"
    if isinstance(form, tuple) and form[0] in ("int", "decimal", "float"):
        text = found if form[0] == "float" and not math.isfinite(form[1]) else Number(found)
        return None if same_number(form, text) else f"{place}: expected {form!r}, found {found!r}"
    return differs(form, parse(found), place)


def first(problems):
    return next((problem for problem in problems if problem is not None), None)

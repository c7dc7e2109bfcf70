"""Runs snippets one after another as a notebook does: names stay, and the value of a last expression is printed.

One line of JSON in, {"language": "python" or "sql", "code": ...}; one line out, {"out": ...} or {"error": ...}.
"""

import ast
import contextlib
import io
import json
import os
import sys
import traceback


def run_python(code, names):
    tree = ast.parse(code)
    last = tree.body.pop() if tree.body and isinstance(tree.body[-1], ast.Expr) else None
    exec(compile(tree, "snippet", "exec"), names)
    if last is not None:
        show(eval(compile(ast.Expression(last.value), "snippet", "eval"), names))


def run_sql(code, names):
    import duckdb

    found = duckdb.sql(code)
    # A statement that makes something gives a table without rows, which its shell does not show.
    if found is not None and len(found) > 0:
        print(found)


def show(value):
    if value is not None:
        print(repr(value))


def main():
    # What libraries and their processes print is kept apart from the answers.
    answers = os.fdopen(os.dup(1), "w")
    os.dup2(2, 1)
    names = {}
    for line in sys.stdin:
        asked = json.loads(line)
        out = io.StringIO()
        try:
            with contextlib.redirect_stdout(out):
                {"python": run_python, "sql": run_sql}[asked["language"]](asked["code"], names)
            answer = {"out": out.getvalue()}
        except Exception:
            answer = {"error": out.getvalue() + traceback.format_exc()}
        print(json.dumps(answer), file=answers, flush=True)


main()

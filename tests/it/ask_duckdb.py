"""Runs the queries of standard input (JSON, a list of texts) in DuckDB over the Parquet files of a folder.

Prints the answers as JSON: for each query a list of rows, each an object.
"""

import datetime
import decimal
import json
import pathlib
import sys

import duckdb


def plain(value):
    if isinstance(value, datetime.datetime):
        return value.isoformat(timespec="milliseconds") + "Z"
    if isinstance(value, decimal.Decimal):
        return float(value)
    return value


def main():
    connection = duckdb.connect()
    for path in sorted(pathlib.Path(sys.argv[1]).glob("*.parquet")):
        connection.execute(f"CREATE VIEW {path.stem} AS SELECT * FROM read_parquet('{path}')")
    answers = []
    for sql in json.load(sys.stdin):
        cursor = connection.execute(sql)
        names = [column[0] for column in cursor.description]
        answers.append([dict(zip(names, map(plain, row))) for row in cursor.fetchall()])
    json.dump(answers, sys.stdout)


main()

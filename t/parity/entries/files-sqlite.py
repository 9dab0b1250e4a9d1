# SPDX-License-Identifier: Apache-2.0
#: title sqlite on disk: a transaction, WAL, two connections
#: out wal
#: out [(2, 3.5)] [(1,)]
import sqlite3

db = sqlite3.connect("data.db")
print(db.execute("pragma journal_mode=wal").fetchone()[0])
with db:
    db.execute("create table t (n integer, x real)")
    db.executemany("insert into t values (?, ?)", [(1, 1.5), (2, 2.0)])
other = sqlite3.connect("data.db")
print(
    other.execute("select max(n), sum(x) from t").fetchall(),
    other.execute("select n from t where x < 2").fetchall(),
)

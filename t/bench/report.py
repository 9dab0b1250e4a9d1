# SPDX-License-Identifier: Apache-2.0
"""Collects the figures and shows them, as a table and as JSON."""

import json
import statistics

PLACES = {"ms": 1, "GB/s": 2, "MB": 1, "runs/s": 1, "x": 2}


def quartiles(values):
    if len(values) == 1:
        return (values[0],) * 3
    return tuple(statistics.quantiles(values, n=4, method="inclusive"))


class Report:
    def __init__(self):
        self.rows, self.ratios, self.notes = [], [], []

    def add(self, job, way, unit, values):
        low, median, high = quartiles(values)
        self.rows.append(
            {
                "job": job,
                "way": way,
                "unit": unit,
                "n": len(values),
                "median": median,
                "q1": low,
                "q3": high,
                "values": values,
            }
        )

    def ratio(self, job, way, base):
        """The quotient of two ways that were measured in the same rounds: the
        median of each round's own, for what else the machine does hits a round
        rather than a way."""
        found = {r["way"]: r["values"] for r in self.rows if r["job"] == job}
        if way in found and base in found:
            pairs = zip(found[way], found[base], strict=True)
            low, median, high = quartiles([a / b for a, b in pairs])
            row = {"job": job, "of": way, "to": base, "ratio": median}
            self.ratios.append({**row, "q1": low, "q3": high})

    def note(self, text):
        self.notes.append(text)

    def print(self, machine):
        for name, value in machine.items():
            if isinstance(value, tuple):
                value = " ".join(f"{v:.2f}" for v in value)
            print(f"{name:12} {value}")
        wide = max((len(r["way"]) for r in self.rows), default=0)
        print(f"\n{'job':8} {'way':{wide}} {'n':>4} {'median':>9} {'quartiles':>21}")
        for r in self.rows:
            p = PLACES[r["unit"]]
            spread = f"{r['q1']:.{p}f} to {r['q3']:.{p}f}"
            print(
                f"{r['job']:8} {r['way']:{wide}} {r['n']:4} {r['median']:9.{p}f} "
                f"{spread:>21} {r['unit']}"
            )
        if self.ratios:
            print("\nratios within a round, their medians and quartiles")
        wide = max((len(r["of"] + r["to"]) for r in self.ratios), default=0) + 3
        for r in self.ratios:
            spread = f"{r['q1']:.2f} to {r['q3']:.2f}"
            what = f"{r['of']} / {r['to']}"
            print(f"{r['job']:8} {what:{wide}} {r['ratio']:6.2f} {spread:>15}")
        for text in self.notes:
            print(f"\nnote: {text}")

    def write(self, path, machine):
        whole = {
            "schema": "pai-bench/1",
            "machine": machine,
            "rows": self.rows,
            "ratios": self.ratios,
            "notes": self.notes,
        }
        with open(path, "w") as f:
            json.dump(whole, f, indent=1)
            f.write("\n")

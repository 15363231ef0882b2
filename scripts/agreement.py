# SPDX-License-Identifier: Apache-2.0
"""Compares the verdicts of one set of submissions in two runs: one without a GPU, one on a card.

    agreement.py CPU_RUN GPU_RUN           counts, shares, and every disagreement
    agreement.py --recorded CORPUS RUN     a run against the outcomes recorded in the corpus
    agreement.py --jsonl FOLDER            submissions of tests/agreement (TASK__NAME.py) as JSONL, for kbx run

Standard library only.
"""

import ast
import collections
import gzip
import json
import pathlib
import sys

PASSED = "passed"


def records(run):
    with open(pathlib.Path(run) / "results.jsonl", encoding="utf-8") as file:
        return {(r["task"], r["code_sha256"]): r for r in map(json.loads, file)}


def share(part, whole):
    return f"{part} of {whole}" + (f" ({100 * part / whole:.1f} %)" if whole else "")


def compare(cpu_run, gpu_run):
    cpu, gpu = records(cpu_run), records(gpu_run)
    both = sorted(set(cpu) & set(gpu))
    outcome = lambda r: (r["verdict"], r["stage"])  # noqa: E731
    stage_of = lambda r: "passed" if r["verdict"] == PASSED else r["stage"]  # noqa: E731
    on_card = [k for k in both if gpu[k]["verdict"] == PASSED]
    here = [k for k in both if cpu[k]["verdict"] == PASSED]
    print(f"judged by both: {len(both)} (only without: {len(cpu) - len(both)}, only on the card: {len(gpu) - len(both)})")
    print("same stage:", share(sum(stage_of(cpu[k]) == stage_of(gpu[k]) for k in both), len(both)))
    print("same verdict:", share(sum(outcome(cpu[k]) == outcome(gpu[k]) for k in both), len(both)))
    print("of those that pass on the card, pass without:", share(sum(cpu[k]["verdict"] == PASSED for k in on_card), len(on_card)))
    print("of those that pass without, pass on the card:", share(sum(gpu[k]["verdict"] == PASSED for k in here), len(here)))
    print("unsupported_on_cpu:", share(sum(r["verdict"] == "unsupported_on_cpu" for r in cpu.values()), len(cpu)))
    for k in both:
        a, b = cpu[k], gpu[k]
        if outcome(a) != outcome(b):
            print(f"\n{a['id']} {a.get('source', '')}")
            for name, r in (("without", a), ("on card", b)):
                print(f"  {name}: {r['verdict']} at {r['stage']}: {r.get('error_type', '')} {r.get('reason', '')[:300]}")


def recorded_outcomes(corpus):
    corpus = pathlib.Path(corpus)
    for path in (corpus / "tritonbench.jsonl.gz", corpus / "submissions.jsonl"):
        opened = gzip.open(path, "rt", encoding="utf-8") if path.suffix == ".gz" else open(path, encoding="utf-8")
        with opened as lines:
            for number, line in enumerate(lines, 1):
                recorded = json.loads(line)["recorded"]
                outcome = recorded.get("outcome")
                if outcome is None:
                    outcome = PASSED if recorded["exe_ok"] else "wrong" if recorded["call_ok"] else "call_failed"
                yield f"{path.name}:{number}", outcome, recorded.get("error", "")


def outcome_of(record):
    if record["verdict"] == PASSED:
        return PASSED
    return "call_failed" if record["stage"] == "call" else "wrong"


def against_recorded(corpus, run):
    with open(pathlib.Path(run) / "results.jsonl", encoding="utf-8") as file:
        ours = {pathlib.Path(r["source"].rsplit(":", 1)[0]).name + ":" + r["source"].rsplit(":", 1)[1]: r for r in map(json.loads, file)}
    table = collections.Counter()
    differing = []
    for source, outcome, error in recorded_outcomes(corpus):
        record = ours.get(source)
        if record is None:
            continue
        outcome = "call_failed" if outcome == "crashed" else outcome
        table[(outcome, outcome_of(record))] += 1
        if outcome != outcome_of(record):
            differing.append((source, outcome, error, record))
    for (recorded, judged), count in sorted(table.items()):
        print(f"recorded {recorded:12} judged {judged:12} {count}")
    for source, outcome, error, r in differing:
        print(f"\n{source} {r['id']}: recorded {outcome} ({error}), judged {r['verdict']} at {r['stage']}")
        print(f"  {r.get('error_type', '')} {r.get('reason', '')[:400]}")


def as_jsonl(folder):
    for path in sorted(pathlib.Path(folder).glob("*__*.py")):
        code = path.read_text(encoding="utf-8")
        expected = (ast.get_docstring(ast.parse(code)) or "").split("\n")[0]
        line = {"task": path.name.split("__")[0], "predict": code, "method": "agreement", "name": path.name, "expected": expected}
        if path.name.startswith("index_fill___"):
            line["task"] = "index_fill_"
        print(json.dumps(line))


if __name__ == "__main__":
    if len(sys.argv) == 3 and sys.argv[1] == "--jsonl":
        as_jsonl(sys.argv[2])
    elif len(sys.argv) == 4 and sys.argv[1] == "--recorded":
        against_recorded(sys.argv[2], sys.argv[3])
    elif len(sys.argv) == 3:
        compare(sys.argv[1], sys.argv[2])
    else:
        sys.exit(__doc__)

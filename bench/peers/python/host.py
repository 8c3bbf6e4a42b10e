"""Hosts one engine of PyPI in a process of its own: builds, opens and searches it on request, one JSON object a line."""

import json
import os
import sys
import time
import traceback

import numpy

import engines

WARM_UP_QUERIES = 50
WARM_UP_SECONDS = 1.0
# Of the longest time that is measured, for slow engines.
WARM_UP_SHARE_MAX = 0.25


class Host:
    def __init__(self, options):
        self.options = options
        self.dimension = options["dimension"]
        self.metric = options["metric"]
        self.engine = engines.ENGINES[options["engine"]](self.dimension, self.metric, options["build"])
        self.queries = self.rows_of(options["queriesPath"])

    def rows_of(self, path):
        rows = numpy.fromfile(path, dtype=numpy.float32).reshape(-1, self.dimension)
        # Most of these engines know no cosine; of unit vectors it is the product, and ours is not asked to normalise either.
        return engines.units(rows) if self.metric == "cosine" else rows

    def build(self):
        os.makedirs(self.options["folder"], exist_ok=True)
        started, before = time.perf_counter(), time.process_time()
        self.engine.build(self.options["folder"], self.rows_of(self.options["rowsPath"]))
        return {"seconds": time.perf_counter() - started, "cpuSeconds": time.process_time() - before}

    def open(self):
        before = memory()
        started = time.perf_counter()
        self.engine.open(self.options["folder"])
        seconds = time.perf_counter() - started
        self.engine.choose(self.options["search"])
        for query in self.queries[:WARM_UP_QUERIES]:
            self.engine.query(query, 10)
        after = memory()
        last = os.cpu_count() - 1
        for thread in os.listdir("/proc/self/task"):
            os.sched_setaffinity(int(thread), {last})
        end = time.perf_counter() + WARM_UP_SECONDS
        while time.perf_counter() < end:
            for query in self.queries[:WARM_UP_QUERIES]:
                self.engine.query(query, 10)
        held = {name: after[name] - before[name] for name in after}
        return {"seconds": seconds, "memory": held, "ownBytes": None}

    def run(self, k, search, first, secondsMin, secondsMax, **_):
        self.engine.choose(search)
        query_one = self.engine.query
        in_turn = list(self.queries[first:]) + list(self.queries[:first])
        warm_up_end = time.perf_counter() + secondsMax * WARM_UP_SHARE_MAX
        for query in in_turn[-WARM_UP_QUERIES:]:
            query_one(query, k)
            if time.perf_counter() > warm_up_end:
                break
        answers, count = [], 0
        started, before = time.perf_counter(), time.process_time()
        deadline, enough = started + secondsMax, started + secondsMin
        while (now := time.perf_counter()) < deadline:
            if count >= len(in_turn) and now >= enough:
                break
            answer = query_one(in_turn[count % len(in_turn)], k)
            if count < len(in_turn):
                answers.append(answer)
            count += 1
        seconds, cpu = time.perf_counter() - started, time.process_time() - before
        ids = [[int(each) for each in numpy.asarray(answer).reshape(-1)] for answer in answers]
        return {"qps": count / seconds, "cpuQps": count / cpu, "answers": ids}


def memory():
    with open("/proc/self/status", encoding="ascii") as status:
        values = {line.split(":")[0]: line.split()[1] for line in status if "kB" in line}
    kilobytes = {name: 1024 * int(value) for name, value in values.items()}
    return {"resident": kilobytes["VmRSS"], "held": kilobytes["RssAnon"] + kilobytes["RssShmem"]}


def main():
    # What libraries print goes to the errors, so that answers alone are on the line.
    replies = os.fdopen(os.dup(1), "w", encoding="utf-8")
    os.dup2(2, 1)
    host = None
    for line in sys.stdin:
        request = json.loads(line)
        try:
            value = None
            if request["do"] == "start":
                host = Host(request["options"])
            elif request["do"] == "build":
                value = host.build()
            elif request["do"] == "open":
                value = host.open()
            elif request["do"] == "run":
                value = host.run(**request["run"])
            reply = {"ok": True, "value": value}
        except Exception as error:
            traceback.print_exc()
            reply = {"ok": False, "error": f"{type(error).__name__}: {error}"}
        replies.write(json.dumps(reply) + "\n")
        replies.flush()


main()

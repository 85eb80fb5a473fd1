"""Random requests to the oracle: small worlds in which keys, ids, places and weights collide often."""

from collections.abc import Iterator
from random import Random
from typing import Any, NamedTuple

Json = Any
Request = dict[str, Any]

WORDS = (
    "",
    "a",
    "b",
    "ab",
    "é",
    "\ufb01",
    "\U0001f600",
    "\ud83d",
    "__proto__",
    "toString",
    "x/y",
    "x~y",
    "0",
    "-0",
)
TEXTS = ("a", "b", "kb-301", "1", "1e+21", "answer", "output", "/l/0", "/output/l/0", "\U0001f600", "\ufb01")
IDS: tuple[Json, ...] = (
    *TEXTS,
    1,
    1.0,
    2,
    -0.0,
    1.5,
    1e21,
    1e-7,
    123456789012345678901,
    2**53 + 1,
    1e400,
    True,
    None,
    "",
    [],
    {},
)
FIELDS = (
    "l",
    "m",
    "10",
    "2",
    "01",
    "4294967294",
    "4294967295",
    "x/y",
    "~",
    "\ufb01",
    "\U0001f600",
    "__proto__",
)
SCALARS = (None, True, False, 0, 1, 1.0, -0.0, 0.1, 2**53 + 1, 1e400, "", "a", "1", "null", "\ud83d")
WEIGHTS = (0, 0, 0, 0, 1, 1, 2, 3, 0.1, 0.2, 0.3, 1.5, 3.3)
GROUPS: tuple[str, ...] = ("expert", "lay", "retired", "unheard")
TOKENS: tuple[str, ...] = (
    "0",
    "1",
    "01",
    "-0",
    "-1",
    "",
    " 1 ",
    "0x1",
    "1e0",
    "1.0",
    "1.5",
    "+1",
    "0b1",
    "Infinity",
    "length",
)
TOKENS += (
    "constructor",
    "toString",
    "__proto__",
    "l",
    "id",
    "~0",
    "~1",
    "~01",
    "٣",
    "1_0",
    "1e400",
    ".0",
    "0.",
)


def plain_value_at(document: Json, pointer: str) -> Json:
    """What stands at a pointer whose places are plain digits; None for nothing."""
    for raw in pointer.split("/")[1:]:
        token = raw.replace("~1", "/").replace("~0", "~")
        if isinstance(document, list) and token.isdigit() and int(token) < len(document):
            document = document[int(token)]
        elif isinstance(document, dict) and token in document:
            document = document[token]
        else:
            return None
    return document


class Spot(NamedTuple):
    """Where an item of a made output stands."""

    key: str
    pointer: str
    rank: int | None


class World:
    """Makes requests from one seed."""

    def __init__(self, seed: int | str) -> None:
        self.random = Random(seed)

    def chance(self, share: float) -> bool:
        return self.random.random() < share

    def pick(self, options: Any) -> Any:
        return self.random.choice(options)

    # values and outputs

    def value(self, depth: int = 2) -> Json:
        kind = self.random.random()
        if depth == 0 or kind < 0.55:
            return self.pick(SCALARS)
        if kind < 0.75:
            return [self.value(depth - 1) for _ in range(self.random.randrange(3))]
        names = self.random.sample(
            ("id", "b", "\ufb01", "\U0001f600", "3", "title"), self.random.randrange(4)
        )
        return {name: self.value(depth - 1) for name in names}

    def reordered(self, value: Json) -> Json:
        """The same value in another key order, sometimes with other spellings of numbers."""
        if isinstance(value, dict):
            names = list(value)
            self.random.shuffle(names)
            return {name: self.reordered(value[name]) for name in names}
        if isinstance(value, list):
            return [self.reordered(child) for child in value]
        if isinstance(value, bool) and self.chance(0.1):
            return int(value)
        if isinstance(value, int) and not isinstance(value, bool) and self.chance(0.5):
            return float(value)
        return value

    def element(self) -> Json:
        kind = self.random.random()
        if kind < 0.7:
            name = self.pick(("id", "id", "id", "key"))
            element = {name: self.pick(IDS) if kind < 0.4 else self.pick(TEXTS[:3])}
            if self.chance(0.2):
                element["key"] = self.pick(IDS)
            if self.chance(0.3):
                element["title"] = self.value(1)
            return element
        return {"title": self.pick(SCALARS), "3": 1, "\ufb01": 2} if kind < 0.92 else self.value(1)

    def tree(self, prefix: str, depth: int, spots: list[Spot]) -> Json:
        """A value with lists in it, at and below the depth at which lists are found."""
        if depth == 0 or self.chance(0.5):
            size = self.pick((0, 1, 1, 2, 2, 3, 4)) if self.chance(0.985) else self.pick((99, 100, 101))
            elements = [self.element() for _ in range(size)]
            if size > 1 and self.chance(0.08):
                elements[1] = {"id": f"{prefix}/0"}
            for i, element in enumerate(elements):
                own = element.get("id", element.get("key")) if isinstance(element, dict) else None
                place = f"{prefix}/{i}"
                key = str(own) if isinstance(own, str | int) and self.chance(0.9) else place
                spots.append(Spot(key, place, i))
            return elements
        tree: dict[str, Json] = {}
        for field in self.random.sample(FIELDS, self.random.randrange(1, 4)):
            token = field.replace("~", "~0").replace("/", "~1")
            below = self.tree(f"{prefix}/{token}", depth - 1, spots) if self.chance(0.8) else self.value(1)
            tree[field] = below
        if self.chance(0.3):
            tree["again"] = self.pick(list(tree.values()))
        return tree

    def message(self) -> Json:
        kind = self.random.random()
        if kind < 0.1:
            return self.value(1)
        message: dict[str, Json] = {"role": self.pick(("agent", "agent", "agent", "user", "tool"))}
        if kind < 0.9:
            calls = {"text": "", "toolCalls": self.pick(([], [{"id": "c1", "name": "t"}], None, {}))}
            message["content"] = (
                calls if self.chance(0.3) else self.pick(("Here.", "There.", None, [], {"a": 1}))
            )
        return message

    def output(self, agent: bool) -> tuple[Json, list[Spot]]:
        """An output, with the places of its likely items."""
        spots: list[Spot] = []
        if self.chance(0.06):
            return self.pick((None, self.value(1))), spots
        if not agent:
            spots.append(Spot("output", "", None))
            return self.tree("", self.pick((0, 1, 1, 2, 4)), spots), spots
        output: dict[str, Json] = {}
        if self.chance(0.9):
            messages = [self.message() for _ in range(self.random.randrange(4))]
            output["appended"] = messages if self.chance(0.95) else self.value(1)
            spots.extend(Spot("answer", f"/appended/{i}/content", None) for i in range(len(messages)))
        if self.chance(0.85):
            output["output"] = self.tree("/output", self.pick((1, 1, 1, 2, 4)), spots)
        return output, spots

    def replayed(self, output: Json) -> Json:
        """A new version's output: what it was in another key order, or much of it."""
        return self.reordered(output) if self.chance(0.35) else self.varied(output)

    def varied(self, output: Json) -> Json:
        if isinstance(output, dict):
            return {
                name: self.varied(child) if self.chance(0.95) else self.value(1)
                for name, child in self.reordered(output).items()
                if self.chance(0.95)
            }
        if isinstance(output, list):
            kept = [
                self.varied(child) if self.chance(0.3) else child for child in output if self.chance(0.85)
            ]
            if self.chance(0.2):
                self.random.shuffle(kept)
            if self.chance(0.3):
                kept.append(self.element())
            return kept
        return output if self.chance(0.9) else self.pick(SCALARS)

    # judged items and judgments

    def place(self, spots: list[Spot]) -> Request:
        """Which item somebody judged: mostly one that is there."""
        spot = self.pick(spots) if spots and self.chance(0.9) else Spot(self.pick(TEXTS), "/l/0", 0)
        key = spot.key if self.chance(0.9) else self.pick((spot.pointer, *TEXTS))
        place: Request = {"key": key or "answer"}
        if self.chance(0.8):
            place["pointer"] = (
                spot.pointer if self.chance(0.95) else "/" + "/".join(self.random.sample(TOKENS, 2))
            )
        if spot.rank is not None and self.chance(0.9):
            place["rank"] = spot.rank if self.chance(0.8) else self.random.randrange(5)
        return place

    def weights(self) -> Request:
        total = self.pick(WEIGHTS)
        yes = self.pick((0, total))
        if self.chance(0.2):
            total = total + self.pick(WEIGHTS)
        return {"yesWeight": yes, "totalWeight": total}

    def judged(self, spots: list[Spot]) -> Request:
        return {**self.place(spots), **self.weights()}

    def judged_list(self, spots: list[Spot]) -> list[Request]:
        judged = [self.judged(spots) for _ in range(self.random.randrange(6))]
        if judged and self.chance(0.15):
            judged.append({**self.pick(judged), **self.weights()})
        return judged

    def summary(self, spots: list[Spot]) -> Request:
        """A judged item as a case holds it."""
        summary = {**self.judged(spots), "yes": 1, "no": 0, "reasons": []}
        if self.chance(0.7):
            summary["restricted"] = self.weights()
        return summary

    def judgment(self, spots: list[Spot]) -> Request:
        judgment: Request = {"item": self.place(spots), "verdict": self.pick(("yes", "no"))}
        if self.chance(0.5):
            judgment["reason"] = self.pick(("right", "off topic", "", "\ud83d"))
        if self.chance(0.6):
            judgment["judgeClassId"] = self.pick(GROUPS)
            if self.chance(0.6):
                judgment["restricted"] = self.chance(0.8)
        return judgment

    def judgments(self, spots: list[Spot]) -> list[Request]:
        return [self.judgment(spots) for _ in range(self.random.randrange(7))]

    def classes(self) -> dict[str, Json]:
        return {group: self.pick(WEIGHTS) for group in GROUPS[:3] if self.chance(0.8)}

    # requests of one rule

    def output_items(self) -> Request:
        agent = self.chance(0.5)
        return {"agentTurn": agent, "output": self.output(agent)[0]}

    def value_at(self) -> Request:
        doc, spots = self.output(False)
        steps = self.pick(spots).pointer if spots and self.chance(0.8) else ""
        more = [self.pick(TOKENS + FIELDS) for _ in range(self.pick((0, 0, 1, 2)))]
        pointer = "/".join([steps, *more]) if self.chance(0.95) else self.pick(("a", "l/0", "/"))
        return {"doc": doc, "pointer": pointer}

    def score_output(self) -> Request:
        agent = self.chance(0.5)
        past, spots = self.output(agent)
        new = self.replayed(past) if self.chance(0.85) else self.output(agent)[0]
        request = {"agentTurn": agent, "output": new, "judged": self.judged_list(spots), "judgedOutput": past}
        if self.chance(0.5):
            request["fresh"] = self.judged_list(spots)
        if self.chance(0.5):
            request["k"] = self.pick((1, 2, 3, 10))
        return request

    def item(self, spots: list[Spot]) -> Request:
        spot = self.pick(spots) if spots else Spot("a", "/l/0", 0)
        rank = {} if spot.rank is None else {"rank": spot.rank}
        item = {"key": spot.key, "pointer": spot.pointer, **rank, "ownKey": self.chance(0.5)}
        return {**item, "value": self.value(1)}

    def match_judged(self) -> Request:
        output, spots = self.output(False)
        items = [self.item(spots) for _ in range(self.random.randrange(5))]
        for item in items:
            if self.chance(0.5):
                item["value"] = self.reordered(plain_value_at(output, item["pointer"]))
        return {"items": items, "judged": self.judged_list(spots), "judgedOutput": output}

    def matched(self, spots: list[Spot]) -> list[Request]:
        matched = []
        for _ in range(self.random.randrange(6)):
            one: Request = {"item": self.item(spots)}
            if self.chance(0.5):
                one["judged"] = self.judged(spots)
            elif self.chance(0.3):
                one["fresh"] = self.judged(spots)
            matched.append(one)
        return matched

    def with_fresh(self) -> Request:
        _, spots = self.output(False)
        return {"matched": self.matched(spots), "fresh": self.judged_list(spots)}

    def score_items(self) -> Request:
        _, spots = self.output(False)
        request: Request = {"matched": self.matched(spots)}
        if self.chance(0.7):
            request["k"] = self.pick((0, 1, 2, 3, 10))
        return request

    def item_changes(self) -> Request:
        _, spots = self.output(False)
        return {"matched": self.matched(spots), "judged": self.judged_list(spots)}

    def summarize_by_item(self) -> Request:
        _, spots = self.output(self.chance(0.5))
        return {"judgments": self.judgments(spots[:5]), "classes": self.classes()}

    def sample(self) -> Request:
        share = self.pick((0.1, 0.25, 0.3, 0.5, 0.5, 0.5, 0.5, 0.75, 0.9))
        part = self.pick(("search", "hold-out"))
        return {"part": part, "seed": self.pick(("s", "seed", "é", "\ud83d")), "holdOutShare": share}

    def sample_cases(self) -> Request:
        cases = []
        for _ in range(self.random.randrange(1, 12)):
            items = [self.weights() for _ in range(self.random.randrange(3))]
            cases.append({"caseId": self.case_id(), "items": items})
        return {"cases": cases, "sample": self.sample()}

    def case_id(self) -> str:
        return str(self.pick(WORDS)) + f"{self.random.getrandbits(20):x}"

    def judged_run(self) -> Request:
        agent = self.chance(0.7)
        output, spots = self.output(agent)
        run: Request = {"runId": self.case_id(), "subject": self.subject(agent), "input": self.value(1)}
        run["output"] = output
        if self.chance(0.5):
            run["context"] = self.pick(({}, {"history": []}, {"replayOf": "r0"}))
        if isinstance(output, dict) and self.chance(0.1):
            output["replay"] = self.pick(({"of": "r0"}, {"of": 1}, {}, None))
        return {"projectId": "p", "run": run, "judgments": self.judgments(spots[:4])}

    def subject(self, agent: bool) -> Request:
        version = self.pick(("0.1.0", "0.2.0"))
        return {"kind": "agent" if agent else "flow", "id": self.pick(("x", "y")), "version": version}

    def build_cases(self) -> Request:
        query: Request = {"agentId": "x"}
        if self.chance(0.4):
            query["judgeClassIds"] = self.random.sample(GROUPS, self.random.randrange(3))
        if self.chance(0.4):
            query["minJudgments"] = self.pick((1, 2, 3))
        runs = [self.judged_run() for _ in range(self.random.randrange(5))]
        return {"judgedRuns": runs, "query": query, "classes": self.classes()}

    def large_build(self) -> Request:
        """Judged runs around the most a test set takes, some of them replays."""
        subject = self.subject(True)
        said = [{"item": {"key": "a"}, "verdict": self.pick(("yes", "no"))}]
        replay = {"replay": {"of": "r"}}
        size = self.pick((999, 999, 1000, 1001, 1002))
        replays = self.pick((0, 0, 1))
        runs = [
            {
                "run": {
                    "runId": f"r{i}",
                    "subject": subject,
                    "input": 0,
                    "output": replay if i < replays else 1,
                }
            }
            for i in range(size)
        ]
        return {"judgedRuns": [{**run, "judgments": said} for run in runs]}

    # comparisons

    def case(self) -> tuple[Request, list[Spot]]:
        agent = self.chance(0.7)
        output, spots = self.output(agent)
        items = [self.summary(spots) for _ in range(self.random.randrange(5))]
        case: Request = {
            "caseId": self.case_id(),
            "subject": self.subject(agent),
            "input": "q",
            "output": output,
        }
        case["items"] = items
        if self.chance(0.4):
            case["context"] = {}
        if self.chance(0.06):
            case["erased"] = True
        return case, spots

    def tools(self) -> list[Request]:
        tools = []
        for step in range(self.random.randrange(4)):
            tool = {"step": step, "toolId": "t", "source": self.pick(("recorded", "live", "refused"))}
            if tool["source"] == "live" and self.chance(0.4):
                tool["recomputed"] = True
            if self.chance(0.5):
                tool |= {"callId": f"c{step}", "arguments": self.value(1), "reason": "replay: no"}
            tools.append(tool)
        return tools

    def outcome(self, case: Request) -> Request:
        outcome: Request = {}
        if self.chance(0.8):
            outcome["runId"] = self.case_id()
        if self.chance(0.8):
            outcome["replay"] = {"tools": self.tools()} if self.chance(0.9) else {}
            if self.chance(0.2):
                outcome["replay"]["approval"] = self.pick(("followed", "skipped"))
        if self.chance(0.7):
            outcome["provider"] = {"id": self.pick(("p", "q")), "model": self.pick(("m", "n"))}
        kind = self.random.random()
        if kind < 0.15:
            outcome["error"] = self.pick(("no reply", "429"))
        elif kind < 0.23:
            outcome["stopped"] = {"toolId": "t", "arguments": self.value(1), "reason": "replay: no"}
        elif kind < 0.245:
            outcome["erased"] = True
        elif kind < 0.255:
            outcome["halt"] = {"reason": "project-suspended", "message": "stopped"}
        else:
            outcome["output"] = self.replayed(case["output"])
        return outcome

    def comparison(self) -> Request:
        comparison: Request = {}
        if self.chance(0.6):
            comparison["repetitions"] = self.pick((1, 2, 2, 3))
        if self.chance(0.5):
            comparison["k"] = self.pick((1, 2, 10))
        if self.chance(0.6):
            comparison["reads"] = self.pick(("live", "live", "live", "recorded"))
        if self.chance(0.3):
            comparison["classWeights"] = self.pick(("as-recorded", "restricted-only"))
        if self.chance(0.15):
            comparison["sample"] = self.sample()
        if self.chance(0.1):
            ids = self.random.sample(("b", "\ufb01", "\U0001f600", "2"), 2)
            blocks = {block: {"template": "t"} for block in ids}
            comparison["overrides"] = self.pick(
                ({"settings": blocks}, {"prompts": {"p": {"template": "t"}}}, {})
            )
        if self.chance(0.1):
            comparison["versions"] = {"tools": {"t": "0.2.0"}}
        return comparison

    def surroundings(self) -> Request:
        """What a comparison may be called and may run."""
        request: Request = {}
        kind = self.random.random()
        if kind < 0.4:
            request["target"] = {"agentId": "x", "version": "0.2.0"}
        elif kind < 0.6:
            request["target"] = {"flowId": "f", "version": "2.0.0"}
        if self.chance(0.3):
            request["suite"] = {"id": "s", "version": "1.2.3", "spec": self.pick(({}, {"projectId": "q"}))}
        if self.chance(0.3):
            request["projectId"] = self.pick((None, "p"))
        if self.chance(0.2):
            request["evalRunId"] = "run-1"
        if self.chance(0.2):
            request["pinsDigest"] = "sha256:0"
        if self.chance(0.04):
            request["dryRun"] = True
        return request

    def cases(self) -> list[tuple[Request, list[Spot]]]:
        cases = [self.case() for _ in range(self.pick((1, 1, 2, 3, 4)))]
        if self.chance(0.05):
            cases.append(self.pick(cases))
        return cases

    def compare(self) -> Request:
        cases = self.cases()
        comparison = self.comparison()
        repetitions = comparison.get("repetitions", 1)
        failing = self.chance(0.1)
        candidates: Request = {}
        for case, _ in cases:
            outcomes = [{"error": "no"} if failing else self.outcome(case) for _ in range(repetitions)]
            candidates[case["caseId"]] = outcomes if self.chance(0.95) else outcomes[0]
        if self.chance(0.05):
            candidates.popitem()
        request = {"cases": [case for case, _ in cases], "candidates": candidates, **self.surroundings()}
        if comparison:
            request["comparison"] = comparison
        if self.chance(0.16):
            request["cancelAfter"] = self.random.randrange(4)
        return request

    def rescore(self) -> Request:
        cases = self.cases()
        comparison = self.comparison()
        repetitions = comparison.get("repetitions", 1)
        per_case, replays, judgments = [], {}, []
        for case, spots in cases:
            run_ids = [self.case_id() for _ in range(repetitions)]
            score: Request = {"yesWeight": 1, "totalWeight": 2, "items": 3, "judgedItems": 2}
            score |= {"topK": {"yesWeight": 1, "totalWeight": 1.5}}
            ran = len(run_ids) if self.chance(0.9) else self.random.randrange(len(run_ids) + 1)
            entry: Request = {"caseId": case["caseId"], "runIds": run_ids, "baseline": score}
            entry |= {
                "candidate": [score] * ran,
                "diverged": self.chance(0.3),
                "refusedWrites": self.pick((0, 1)),
            }
            entry |= {"noContext": True, "approvalSkipped": False}
            if ran == 0 and self.chance(0.8):
                entry |= self.pick(({"error": "no"}, {"stopped": {"toolId": "t", "arguments": {}}}))
            elif self.chance(0.5):
                entry |= {"tools": self.tools(), "changes": {"kept": [], "dropped": [], "new": []}}
            if self.chance(0.95):
                per_case.append(entry)
            for run_id in run_ids:
                if self.chance(0.95):
                    replays[run_id] = self.replayed(case["output"]) if self.chance(0.95) else None
                judgments += [{"runId": run_id, **said} for said in self.judgments(spots)]
        summary = {"sampling": {"models": [{"providerId": "p", "model": "m", "runs": 2}]}}
        prior: Request = {"result": {"perCase": per_case}}
        if self.chance(0.7):
            prior["result"]["summary"] = summary
        if self.chance(0.08):
            strange: tuple[Request, ...] = ({"status": "failed"}, {"kind": "accuracy"}, {"result": {}})
            prior |= self.pick((*strange, {"suiteId": "z"}, {"suiteVersion": "9"}))
        if self.chance(0.2):
            prior["runId"] = "run-0"
        request = {
            "cases": [case for case, _ in cases],
            "prior": prior,
            "replays": replays,
            **self.surroundings(),
        }
        request |= {"judgments": judgments, "classes": self.classes()}
        if comparison:
            request["comparison"] = comparison
        return request

    def request(self) -> Request:
        op, make = self.random.choices(_OPS, _SHARES)[0]
        return {"op": op, **make(self)}


_OPS = (
    ("outputItems", World.output_items),
    ("valueAt", World.value_at),
    ("scoreOutput", World.score_output),
    ("matchJudged", World.match_judged),
    ("withFresh", World.with_fresh),
    ("scoreItems", World.score_items),
    ("itemChanges", World.item_changes),
    ("summarizeByItem", World.summarize_by_item),
    ("sampleCases", World.sample_cases),
    ("buildCases", World.build_cases),
    ("buildCases", World.large_build),
    ("compare", World.compare),
    ("rescore", World.rescore),
)
_SHARES = (10, 7, 19, 7, 4, 3, 2, 8, 9, 6.5, 3, 28, 10)


def requests(seed: int | str, count: int) -> Iterator[Request]:
    """`count` random requests; the same seed makes the same ones on every machine."""
    world = World(seed)
    for _ in range(count):
        yield world.request()

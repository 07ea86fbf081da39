"""The numbers of one subscription to `*`: every event must arrive, in order, or be reported as lost.

The bytes of a connection go in as they come. Events are found by one expression over a whole buffer,
since Python can't parse as fast as the daemon sends.
"""

import json
import re

# No data and no topic of the soak contains the searched text.
_NUMBERS = re.compile(
    rb'"method":"event","params":\{"sub":\d+,"seq":(\d+)'
    rb'|"method":"\$/lost","params":\{"sub":\d+,"from":(\d+),"to":(\d+),"reason":"slow"\}')
_LOST = b'"method":"$/lost"'
_SUBSCRIPTION = 7


def line(method, params=None, identifier=None):
    """One request in wire format."""
    message = {"method": method}
    if identifier is not None:
        message["id"] = identifier
    if params is not None:
        message["params"] = params
    return json.dumps(message, separators=(",", ":")).encode() + b"\n"


class Ledger:
    """The received messages of one subscription, compared with the expected ones. `faults` lists the errors."""

    def __init__(self, name):
        self.name = name
        self.faults = []
        self.events = 0
        # Numbers reported as lost, by `$/lost` and in answers to `since`.
        self.lost = 0
        self.epoch = None
        # The next expected number; None until the subscription is answered.
        self.due = None
        self.said_goodbye = False
        self._since = None
        self._rest = b""

    @property
    def last(self):
        """The number of the last event received or reported as lost."""
        return None if self.due is None else self.due - 1

    def request(self, replay=None, resume=False):
        """The line that subscribes; with `resume`, after the last number."""
        self._rest = b""
        params = {"topics": ["*"]}
        self._since = None
        if resume and self.due is not None:
            self._since = self.last
            params["since"] = f"{self.epoch}:{self.last}"
        elif replay is not None:
            params["replay"] = replay
        self.due = None
        return line("events.subscribe", params, _SUBSCRIPTION)

    def feed(self, data):
        """Processes received bytes. An incomplete line waits for its rest."""
        end = data.rfind(b"\n") + 1
        if end == 0:
            self._rest += data
            return
        whole = self._rest + data[:end]
        self._rest = data[end:]
        if self.due is None:
            whole = self._answer(whole)
        self._check(whole)

    def _answer(self, whole):
        """Reads the first line, the answer to the subscription."""
        first, _, others = whole.partition(b"\n")
        reply = json.loads(first)
        result = reply.get("result")
        if reply.get("id") != _SUBSCRIPTION or result is None:
            self.faults.append(f"{self.name}: no subscription: {first[:200]!r}")
            self.due = 0
            return b""
        if self._since is not None and result["epoch"] == self.epoch:
            missing = result["from"] - 1 - self._since
            if missing != result["lost"]:
                self.faults.append(
                    f"{self.name}: since {self._since} begins at {result['from']} "
                    f"and tells {result['lost']} lost, not {missing}")
            self.lost += result["lost"]
        self.epoch = result["epoch"]
        self.due = result["from"]
        return others

    def _check(self, whole):
        if whole.endswith(b'"$/goodbye","params":{"reason":"slow"}}\n'):
            self.said_goodbye = True
        found = _NUMBERS.findall(whole)
        if not found:
            return
        if _LOST not in whole:
            numbers = [int(event) for event, _, _ in found]
            if numbers == list(range(self.due, self.due + len(numbers))):
                self.events += len(numbers)
                self.due += len(numbers)
                return
        for event, first, last in found:
            if event:
                self._take(int(event), int(event), "sent")
                self.events += 1
            else:
                self._take(int(first), int(last), "told as lost")
                self.lost += int(last) - int(first) + 1

    def _take(self, first, last, what):
        if (first != self.due or last < first) and len(self.faults) < 20:
            self.faults.append(
                f"{self.name}: {first} to {last} {what} where {self.due} was due")
        self.due = last + 1


class Contents:
    """Held against the ledger by one subscriber: what each publisher sent comes in its order, whole, and
    what is left out of it was told as lost in between."""

    def __init__(self, ledger):
        self.ledger = ledger
        self._last = {}
        self._lost = 0
        self._rest = b""

    def feed(self, data):
        """Processes received bytes like the ledger, which must be fed first."""
        lines = (self._rest + data).split(b"\n")
        self._rest = lines.pop()
        for each in lines:
            message = json.loads(each)
            if message.get("method") == "$/lost":
                self._last = {}
            elif message.get("method") == "event":
                self._event(message["params"])

    def _event(self, event):
        data = event.get("data")
        if not event["topic"].startswith("soak."):
            return
        publisher, number = data[0], data[1]
        last = self._last.get(publisher)
        is_whole = len(data) < 3 or len(data[3]) == data[2]
        if (last is not None and number != last + 1) or not is_whole:
            if len(self.ledger.faults) < 20:
                self.ledger.faults.append(
                    f"{self.ledger.name}: publisher {publisher}: {number} after {last}, "
                    f"{'whole' if is_whole else 'cut'}")
        self._last[publisher] = number

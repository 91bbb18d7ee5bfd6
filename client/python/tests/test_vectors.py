"""Tests tokens, verdicts, fingerprints and requests. If a test fails, this client accepts something that other
clients of the service refuse, or refuses something that they accept."""

from __future__ import annotations

import unittest

from license_key_client import Release, System, Updates, app_fingerprint, app_fingerprint_of, fingerprint, fingerprint_of, parse_machine_id, read_offline_request, verify_token
from license_key_client.coverage import covers
from license_key_client.keys import verify_keys
from license_key_client.offline_request import write_offline_request
from license_key_client.timestamp import parse_timestamp, to_datetime
from license_key_client.token import CLOCK_SKEW_MS
from license_key_client.verdict import Verdict, VerdictExpectation, verify_verdict

from . import vectors


class Vectors(unittest.TestCase):
    def test_tokens(self) -> None:
        content = vectors.read("tokens")
        self.assertEqual(content["clock_skew"] * 1000, CLOCK_SKEW_MS)
        for vector in content["tokens"]:
            given = {**content["defaults"], **vector.get("given", {})}
            for source in ("public_key_pem", "jwks"):
                with self.subTest(vector["name"], key=source):
                    verified = verify_token(
                        vector["token"],
                        public_key=given[source],
                        fingerprint=given["fingerprint"],
                        audience=given["audience"],
                        allow_unbound_tokens=given["allow_unbound_tokens"],
                        now=given["now"],
                    )
                    self.assertEqual(verified.problem, vector["problem"])

    def test_verdicts(self) -> None:
        content = vectors.read("verdicts")
        for vector in content["verdicts"]:
            given = {**content["defaults"], **vector.get("given", {})}
            with self.subTest(vector["name"]):
                expected = VerdictExpectation(given["audience"], given["license_id"], given["fingerprint"], given["token_issued_at"])
                verified = verify_verdict(verify_keys(given["public_key_pem"]), vector["verdict"], expected)
                seen = (None, verified.status) if isinstance(verified, Verdict) else (verified, None)
                self.assertEqual(seen, (vector["problem"], vector.get("status")))

    def test_fingerprints(self) -> None:
        content = vectors.read("fingerprints")
        app = content["app"]
        for vector in content["fingerprints"]:
            with self.subTest(vector["name"]):
                shown = vector["shown"]
                found = parse_machine_id(vector["platform"], shown)
                self.assertEqual(found, vector["machine_id"])
                if found is not None:
                    self.assertEqual((fingerprint_of(found), app_fingerprint_of(app, found)), (vector["fingerprint"], vector["app_fingerprint"]))
                system = System(vector["platform"], lambda _, shown=shown: shown, lambda _, shown=shown: shown, lambda shown=shown: shown)  # type: ignore[misc]
                self.assertEqual((fingerprint(system), app_fingerprint(app)(system)), (vector["fingerprint"], vector["app_fingerprint"]))

    def test_coverage(self) -> None:
        for vector in vectors.read("coverage")["cases"]:
            with self.subTest(vector["name"]):
                until = parse_timestamp(vector.get("updates_until"))
                updates = Updates(None if until is None else to_datetime(until), vector.get("max_major"))
                self.assertEqual(covers(updates, Release(vector.get("version"), vector.get("released_at"))), vector["covered"])

    def test_requests(self) -> None:
        for vector in vectors.read("requests")["requests"]:
            with self.subTest(vector["name"]):
                found = read_offline_request(vector["text"])
                fields = None if found is None else {name: value for name, value in vars(found).items() if value is not None}
                self.assertEqual(fields, vector["request"])
                if found is not None:
                    self.assertEqual(read_offline_request(write_offline_request(found)), found)

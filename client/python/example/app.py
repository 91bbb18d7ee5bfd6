"""A small licensed app: it shows what a developer writes to use the client library.

The app uses the folder that `npm run example -- setup` has created. Apps in several languages on one device share
that folder, and therefore one seat. Usage: ``python client/python/example/app.py check | activate KEY | validate |
sign-in | deactivate | import TOKEN``
"""

from __future__ import annotations

import json
import os
import platform
import socket
import sys
from pathlib import Path
from typing import List, Union

from license_key_client import FileStorage, InvalidInput, InvalidToken, Licensed, LicenseClient, LicenseState, NoSeats, OfflineWithoutToken, Unbound, fingerprint

SENTENCES = {
    "expired": "Your license has expired. Renew it to continue.",
    "revoked": "Your license was revoked. Contact the seller.",
    "suspended": "Your license is on hold. Contact the seller.",
    "reissued": "Your license key was replaced. Enter the new key from your mail.",
    "sign_in_required": "Sign in again to use your license on this machine.",
    "denied": "The activation was refused in the browser.",
    "request_expired": "Nobody confirmed the activation in time. Sign in again.",
    "refused": "Your license can't be used now. Contact the seller.",
    "too_many_devices": "This license was activated on too many new machines this week. Try again in a few days.",
    "unknown_key": "There is no such license key. Look for a typing mistake.",
    "no_trial": "There is no trial. Enter a license key.",
    "not_covered": "Your license does not cover this version. Renew its updates, or install an older version.",
}


def sentence_for(state: Union[LicenseState, InvalidInput, InvalidToken]) -> str:
    """The sentence that the app shows to its user in each state."""
    if isinstance(state, Licensed):
        return f"Licensed ({state.license.type.kind}, by {state.source}), without a network until {state.offline_until:%Y-%m-%d %H:%M} UTC."
    if isinstance(state, Unbound):
        return "Not activated: enter your license key." if state.key is None else f"This machine's seat was freed. Activate {state.key} again."
    if isinstance(state, NoSeats):
        numbers = "" if state.seats is None else f" ({state.seats.used} of {state.seats.max})"
        return f"Every seat is taken{numbers}. Deactivate another machine first."
    if isinstance(state, OfflineWithoutToken):
        return f"Connect to the internet once, so that the license can be checked ({state.reason})."
    if isinstance(state, InvalidInput):
        return f"The {state.field} {state.message}."
    if isinstance(state, InvalidToken):
        return f"The token is not accepted: {state.problem}"
    return SENTENCES[state.status]


def main(arguments: List[str]) -> int:
    folder = Path(os.environ.get("EXAMPLE_DIR", Path(__file__).parents[2] / "example" / ".local"))
    try:
        product = json.loads((folder / "product.json").read_text(encoding="utf-8"))
    except FileNotFoundError:
        print("There is no product yet: run `npm run example -- setup` first.", file=sys.stderr)
        return 1
    command, argument = [*arguments, "", ""][:2]
    with LicenseClient(
        base_url=product["baseUrl"],
        product_id=product["id"],
        api_key=product["apiKey"],
        public_key=product["publicKey"],
        audience=product["slug"],
        fingerprint=fingerprint,
        storage=FileStorage(folder),
        grace_days=3,
        allow_unbound_tokens=True,
    ) as client:
        if command == "check":
            print(sentence_for(client.check()))
        elif command == "validate":
            print(sentence_for(client.validate()))
        elif command == "activate":
            print(sentence_for(client.activate(argument, name=socket.gethostname(), platform=platform.system().lower())))
        elif command == "sign-in":
            print(
                sentence_for(
                    client.activate_in_browser(
                        name=socket.gethostname(),
                        platform=platform.system().lower(),
                        on_code=lambda code: print(f"Compare this code with the one in the browser: {code}", flush=True),
                        # An app with a window opens the browser here.
                        open=lambda url: print(f"Open {url}", flush=True),
                    )
                )
            )
        elif command == "import":
            print(sentence_for(client.import_token(argument)))
        elif command == "deactivate":
            result = client.deactivate()
            print("Not activated: enter your license key." if result.status == "deactivated" else f"The seat may still be taken: {result.fault.message}")
        else:
            print("Commands: check, activate <key>, sign-in, validate, deactivate, import <token>.", file=sys.stderr)
            return 2
        # Before the process ends, background work is finished and its results are stored.
        client.idle()
    return 0


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))

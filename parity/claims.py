"""Checks which functions a claim's test has tried. The claims are those of crates/dtau-fixtures/coverage.json,
as in Rust."""

import json
from pathlib import Path

CLAIMS = Path(__file__).resolve().parent.parent / "crates/dtau-fixtures/coverage.json"


def tried(claim, functions, all_functions):
    """Fails if a function of the library's list is neither tried nor excused, or is both, or does not exist."""
    claims = {found["claim"]: found for found in json.loads(CLAIMS.read_text())}
    where = f'"{claim}" in {CLAIMS.name}'
    reasons = claims[claim].get("but", {})
    excused = {function for functions_of_reason in reasons.values() for function in functions_of_reason}
    functions, everything = set(functions), set(all_functions)
    holes = [f"{f} is not tried: add it to {claims[claim]['test']}, or to {where} with a reason" for f in sorted(everything - functions - excused)]
    holes += [f"{f} is tried, but excused: take it out of {where}" for f in sorted(functions & excused)]
    holes += [f"there is no function {f}, though {where} or {claims[claim]['test']} names it" for f in sorted((functions | excused) - everything)]
    assert not holes, "\n".join(holes)

"""The generated documents: fresh, valid, and true to real matches."""

import json
import re
from pathlib import Path
from typing import Any

import jsonschema
import pytest

from dice_service.api import openapi
from dice_service.errors import PROBLEMS
from tests.support.api import Api

ROOT = Path(__file__).resolve().parents[3]


@pytest.mark.parametrize("name", ["openapi.json", "match-log.schema.json"])
def test_the_files_are_what_the_code_generates(name: str) -> None:
    stored = (ROOT / "openapi" / name).read_text("utf-8")
    assert stored == openapi.texts()[name], "run: make openapi"


def document() -> dict[str, Any]:
    loaded: dict[str, Any] = json.loads((ROOT / "openapi/openapi.json").read_text("utf-8"))
    return loaded


def test_every_operation_says_who_may_call_it_and_how_it_refuses() -> None:
    for path, methods in document()["paths"].items():
        for method, operation in methods.items():
            assert "security" in operation, (method, path)
            assert operation["operationId"]
            assert operation["summary"]
            refusals = [status for status in operation["responses"] if status >= "400"]
            assert refusals, (method, path)
            for status in refusals:
                content = operation["responses"][status]["content"]["application/problem+json"]
                for code in content["examples"]:
                    assert str(int(PROBLEMS[code].status)) == status


def _examples() -> list[tuple[str, Any, Any]]:
    found: list[tuple[str, Any, Any]] = []
    examples = document()["components"]["examples"]
    for path, methods in (document()["paths"] | document()["webhooks"]).items():
        for method, operation in methods.items():
            bodies = [operation["requestBody"]] if "requestBody" in operation else []
            for body in [*bodies, *operation["responses"].values()]:
                for content in body.get("content", {}).values():
                    for name, example in content.get("examples", {}).items():
                        where = f"{method} {path}: {name}"
                        value = examples[example["$ref"].split("/")[-1]]["value"]
                        found.append((where, content["schema"], value))
    return found


def test_every_example_is_valid_under_its_schema() -> None:
    components = document()["components"]
    examples = _examples()
    assert len(examples) > 50
    for where, schema, value in examples:
        whole = {**schema, "components": components}
        errors = list(jsonschema.Draft202012Validator(whole).iter_errors(value))
        assert not errors, (where, errors)


def test_no_schema_is_left_over() -> None:
    text = json.dumps(document())
    for name in document()["components"]["schemas"]:
        assert f'"#/components/schemas/{name}"' in text, name


@pytest.mark.anyio
async def test_the_lines_of_real_matches_are_valid_under_the_logs_schema(api: Api) -> None:
    schema = json.loads((ROOT / "openapi/match-log.schema.json").read_text("utf-8"))
    validator = jsonschema.Draft202012Validator(schema)
    jsonschema.Draft202012Validator.check_schema(schema)
    await api.ended("m-1")
    lines = (await api.send("GET", "m-1/log")).text.splitlines()
    for line in lines:
        event = json.loads(line)
        assert validator.is_valid(event), line
        assert not validator.is_valid({**event, "dice": [7, 1], "extra": 1}), line
        del event["time"]
        assert not validator.is_valid(event), line


@pytest.mark.anyio
async def test_the_documentation_page_needs_nobody_elses_server(api: Api) -> None:
    page = (await api.send("GET", "/docs")).text
    scripts = re.findall(r'(?:src|href)="([^"]+)"', page)
    assert "/static-offline-docs/swagger-ui-bundle.js" in scripts
    for path in scripts:
        assert path.startswith("/")
        assert (await api.send("GET", path)).status_code == 200

"""The files in ``dice_service/deploy``, as far as they can be held to account without an engine."""

import json
import re
import shlex
import shutil
import subprocess
import sys
from pathlib import Path
from typing import Any

import pytest
import yaml
from compose_spec import PyCompose

import dice_service
from dice_service.cli import _parser
from dice_service.settings import Settings, load, unknown_variables

DEPLOY = Path(dice_service.__file__).parent / "deploy"
TOP = DEPLOY.parent.parent
UNITS = ("zarf.service", "zarf-doctor.service")


def instructions() -> list[tuple[str, str]]:
    text = (DEPLOY / "Dockerfile").read_text()
    text = re.sub(r"\\\n", " ", re.sub(r"^#.*\n", "", text, flags=re.MULTILINE))
    return [
        (line.split()[0], line.split(maxsplit=1)[1]) for line in text.splitlines() if line.strip()
    ]


def of(name: str) -> list[str]:
    return [rest for kind, rest in instructions() if kind == name]


def environment(lines: list[str]) -> dict[str, str]:
    return dict(pair.split("=", 1) for line in lines for pair in shlex.split(line))


def unit(name: str) -> dict[str, list[str]]:
    found: dict[str, list[str]] = {}
    for line in (DEPLOY / name).read_text().splitlines():
        if "=" in line and not line.startswith("#"):
            key, value = line.split("=", 1)
            found.setdefault(key, []).append(value)
    return found


def test_hadolint_finds_nothing() -> None:
    program = Path(sys.executable).with_name("hadolint")
    done = subprocess.run(
        [program, DEPLOY / "Dockerfile"], capture_output=True, text=True, check=False
    )
    assert (done.returncode, done.stdout, done.stderr) == (0, "", "")


def test_the_image_is_made_of_what_is_there_and_of_nothing_more() -> None:
    ignored = (DEPLOY / "Dockerfile.dockerignore").read_text().splitlines()
    assert ignored[1] == "*"
    let_in = {line[1:] for line in ignored if line.startswith("!")}
    copied: set[str] = set()
    for rest in of("COPY"):
        if "--from=" not in rest:
            copied |= set(rest.split()[:-1])
    assert copied == let_in
    for name in copied:
        assert (TOP / name).exists()
    stages = of("FROM")
    assert len(stages) == 2
    for stage in stages:
        assert re.match(r"python:3\.\d+\.\d+-slim-bookworm", stage)


def test_the_image_runs_a_command_of_ours_with_settings_of_ours_as_no_root() -> None:
    [entry], [command] = map(json.loads, of("ENTRYPOINT")), map(json.loads, of("CMD"))
    assert entry == ["dice-service"]
    _parser().parse_args(command)
    variables = environment(of("ENV"))
    assert not unknown_variables(variables)
    assert sum(name.startswith("DICE_") for name in variables) == 2
    [user] = of("USER")
    assert user == "10001"
    assert of("EXPOSE") == [str(Settings.model_fields["port"].default)]
    [health] = of("HEALTHCHECK")
    document = json.loads((TOP / "openapi" / "openapi.json").read_text())
    [(port, path)] = re.findall(r"http://127\.0\.0\.1:(\d+)(/\w+)", health)
    assert [port] == of("EXPOSE")
    assert path in document["paths"]
    code = json.loads("[" + health.partition("CMD [")[2])[2]
    compile(code, "HEALTHCHECK", "exec")


@pytest.fixture
def compose() -> dict[str, Any]:
    found: dict[str, Any] = yaml.safe_load((DEPLOY / "compose.yaml").read_text())
    return found


def test_compose_is_what_its_specification_allows(compose: dict[str, Any]) -> None:
    PyCompose.from_yaml(yaml.safe_dump(compose)).validate()  # anchors resolved
    with pytest.raises(ValueError, match="restrat"):
        PyCompose.from_yaml(yaml.safe_dump({"services": {"a": {"image": "b", "restrat": "no"}}}))


def test_every_service_of_ours_runs_a_real_command_and_may_do_little(
    compose: dict[str, Any],
) -> None:
    services = compose["services"]
    ours = {name: found for name, found in services.items() if found["image"] == "zarf"}
    assert {"keys", "migrate", "service-1", "service-2"} == set(ours)
    for found in ours.values():
        _parser().parse_args(found.get("command", ["serve"]))
        assert not unknown_variables(found.get("environment", {}))
        assert found["read_only"] is True
        assert found["cap_drop"] == ["ALL"]
        assert found["security_opt"] == ["no-new-privileges:true"]
    build = ours["keys"]["build"]
    context = (DEPLOY / build["context"]).resolve()
    assert context == TOP
    assert (context / build["dockerfile"]).samefile(DEPLOY / "Dockerfile")


def test_what_compose_names_is_there_and_nothing_is_open_to_the_world(
    compose: dict[str, Any],
) -> None:
    services = compose["services"]
    for found in services.values():
        assert set(found.get("depends_on", {})) <= set(services)
        assert set(found.get("secrets", [])) <= set(compose["secrets"])
        for volume in found.get("volumes", []):
            assert volume.split(":")[0] in compose["volumes"]
        for port in found.get("ports", []):
            assert port.startswith("127.0.0.1:")
    for secret in ("dice_database", "postgres_password"):
        assert compose["secrets"][secret]["file"] == f"./secrets/{secret}"
    for name in ("service-1", "service-2"):
        depends = services[name]["depends_on"]
        assert depends["migrate"]["condition"] == "service_completed_successfully"
        assert services[name]["volumes"] == ["keys:/var/lib/zarf/keys:ro"]
        drain = Settings.model_fields["drain_timeout"].default
        assert int(services[name]["stop_grace_period"].removesuffix("s")) > drain
    assert services["migrate"]["depends_on"] == {"db": {"condition": "service_healthy"}}
    [keys] = services["keys"]["volumes"]
    assert keys.endswith(":" + environment(of("ENV"))["DICE_KEYS"])
    pinned = re.fullmatch(r"postgres:\d+\.\d+-bookworm", services["db"]["image"])
    assert pinned


@pytest.mark.parametrize("name", UNITS)
def test_a_unit_runs_a_command_of_ours_with_the_keys_handed_over(name: str) -> None:
    found = unit(name)
    [command] = found["ExecStart"]
    program, *arguments = shlex.split(command)
    assert program == "/opt/zarf/bin/dice-service"
    _parser().parse_args(arguments)
    assert found["User"] == ["zarf"]
    assert found["LoadCredential"] == ["keys:/etc/zarf/keys"]
    variables = environment(found["Environment"])
    assert variables == {"DICE_KEYS": "%d"}  # the folder of the credentials
    assert found["EnvironmentFile"] == ["/etc/zarf/zarf.env"]
    drain = Settings.model_fields["drain_timeout"].default
    if name == "zarf.service":
        assert int(found["TimeoutStopSec"][0]) > drain


def test_the_file_of_settings_holds_settings(monkeypatch: pytest.MonkeyPatch) -> None:
    lines = (DEPLOY / "zarf.env").read_text().splitlines()
    variables = dict(line.split("=", 1) for line in lines if not line.startswith("#"))
    assert variables
    assert not unknown_variables(variables)
    for name, value in variables.items():
        monkeypatch.setenv(name, value)
    assert load().database == f"sqlite:///{unit('zarf.service')['WorkingDirectory'][0]}/dice.db"


@pytest.mark.skipif(not shutil.which("systemd-analyze"), reason="there is no systemd here")
@pytest.mark.parametrize("name", UNITS)
def test_systemd_understands_the_units(name: str, tmp_path: Path) -> None:
    path = tmp_path / name
    text = (DEPLOY / name).read_text().replace("/opt/zarf/bin/dice-service", sys.executable)
    path.write_text(text)
    done = subprocess.run(
        ["systemd-analyze", "verify", path], capture_output=True, text=True, check=False
    )
    assert (done.returncode, [line for line in done.stderr.splitlines() if name in line]) == (0, [])


@pytest.mark.skipif(not shutil.which("systemd-analyze"), reason="there is no systemd here")
def test_the_service_is_exposed_to_little() -> None:
    command = ["systemd-analyze", "security", "--offline=true", "--threshold=15"]
    done = subprocess.run(
        [*command, DEPLOY / "zarf.service"], capture_output=True, text=True, check=False
    )
    assert done.returncode == 0, done.stdout.splitlines()[-1]

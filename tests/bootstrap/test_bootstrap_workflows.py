"""What a host of repositories reads: its commands exist here, its forms are sound. The hosts are not tried."""

import re
import tomllib

import click
import pytest
import yaml

from benchbook.cli import app

STEPS = {"uses", "run", "name", "id", "with", "env", "if"}


@pytest.fixture(scope="module")
def workflows(repository):
    files = sorted((repository / ".github" / "workflows").glob("*.yml"))
    return {file.stem: yaml.safe_load(file.read_text(encoding="utf8")) for file in files}


def steps(workflow):
    return [step for job in workflow["jobs"].values() for step in job["steps"]]


def test_jobs_have_a_machine_a_time_limit_where_they_work_and_steps_of_known_keys(workflows):
    assert set(workflows) == {"book", "nightly", "release", "tests"}
    for workflow in workflows.values():
        assert workflow[True]  # YAML 1.1 reads the key `on` so
        assert workflow["permissions"]["contents"] in ("read", "write")
        for job in workflow["jobs"].values():
            assert job["runs-on"]
            assert all(
                set(step) <= STEPS and ("uses" in step) != ("run" in step) for step in job["steps"]
            )
            assert "timeout-minutes" in job or not any("run" in step for step in job["steps"])
    assert [
        name
        for name, workflow in workflows.items()
        if workflow["permissions"]["contents"] == "write"
    ] == ["release"]


def test_the_commands_are_commands_of_this_checkout(workflows, repository):
    typed = "\n".join(
        step.get("run", "") for workflow in workflows.values() for step in steps(workflow)
    )
    targets = set(
        re.findall(r"^([a-z-]+):.*##", (repository / "Makefile").read_text(encoding="utf8"), re.M)
    )
    requested = re.findall(r"^make ([a-z-]+)", typed, re.M)
    assert requested
    assert set(requested) <= targets
    scripts = re.findall(r"^(?:python|bash) ([\w./-]+)(?: ([a-z-]+))?$", typed, re.M)
    assert ("src/bootstrap.py", "test") in scripts
    assert {(".ci/run", ""), (".ci/run", "nightly")} <= set(scripts)
    assert all(
        (repository / path).is_file() and (not name or name in {*targets, "setup", "nightly"})
        for path, name in scripts
    )
    uploaded = [
        step["with"]["path"]
        for step in steps(workflows["book"])
        if "pages-artifact" in step.get("uses", "")
    ]
    assert uploaded == ["_build/html"]


def test_a_release_waits_for_a_night_that_went_well_and_the_night_does_what_a_change_does_not(
    workflows, repository
):
    (requested,) = [
        step
        for step in steps(workflows["release"])
        if "gh run" in step.get("run", "") and "list" in step["run"]
    ]
    assert "--workflow nightly.yml" in requested["run"]
    assert requested["run"].startswith("test ")
    assert requested["run"].endswith(" = success")
    assert workflows["release"]["permissions"]["actions"] == "read"
    gate = (repository / ".ci" / "run").read_text(encoding="utf8")
    change, night = (
        re.search(rf"^{name}\(\) {{\n(.*?)^}}", gate, re.M | re.S)[1]
        for name in ("every_change", "nightly")
    )
    run = re.findall(r'make test(?:-all)? ARGS="-m \'(.+?)\'"', change + night)
    assert run == ["full and not crawl and not slow", "(full or slow) and not crawl"]
    assert re.findall(r'step "(.+?)"', change) == [
        "style",
        "tests",
        "types",
        "book without data",
        "book",
        "book again",
        "crawl",
        "full tests",
    ]


def test_the_pythons_are_those_that_the_package_names(workflows, repository):
    with (repository / "pyproject.toml").open("rb") as file:
        named = re.findall(
            r"Python :: (3\.\d+)", " ".join(tomllib.load(file)["project"]["classifiers"])
        )
    matrix = workflows["tests"]["jobs"]["tests"]["strategy"]["matrix"]
    assert matrix["python"] == named
    assert (repository / "binder" / "runtime.txt").read_text(encoding="utf8").strip().removeprefix(
        "python-"
    ) in named
    needed = (repository / "binder" / "requirements.txt").read_text(encoding="utf8").split()
    assert all((repository / "binder" / name).is_file() for name in needed if name != "-r")


@pytest.mark.parametrize("name", ["dataset", "method"])
def test_the_forms_ask_each_thing_once_and_name_commands_that_exist(name, repository):
    form = yaml.safe_load(
        (repository / ".github" / "ISSUE_TEMPLATE" / f"{name}.yml").read_text(encoding="utf8")
    )
    assert all(isinstance(form[key], str) for key in ("name", "description"))
    requested = [item["id"] for item in form["body"] if item["type"] != "markdown"]
    assert len(requested) == len(set(requested)) >= 5
    assert all(item["type"] in {"markdown", "input", "textarea"} for item in form["body"])
    text = " ".join(
        item["attributes"].get("value", "") + item["attributes"].get("description", "")
        for item in form["body"]
    )
    named = re.findall(r"`benchbook ([a-z ]+?)(?: [^a-z`]| path| table|`)", text)
    assert named
    for command in named:
        result = app
        for word in command.split():
            result = result.get_command(click.Context(result), word)
            assert result is not None, command

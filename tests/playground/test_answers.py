"""The door of the page: its numbers are those of the command that it names, and a refusal says why."""

from __future__ import annotations

import json
import re
import shlex
from random import Random
from typing import TYPE_CHECKING, Any
from urllib.parse import parse_qs

import pytest
from cases import share

from tla import ParseError, limits, parse
from tla.cli import main
from tla.explain import explain
from tla.playground import PRESETS, VIEWS, address, answer
from tla.playground.laws import check

if TYPE_CHECKING:
    from collections.abc import Iterator


def ask(view: str, *args: str, **more: str) -> dict[str, Any]:
    found: dict[str, Any] = json.loads(answer(json.dumps({"view": view, "args": args, **more})))
    return found


def command(found: dict[str, Any], capsys: pytest.CaptureFixture[str]) -> Any:
    """What the command of an answer prints as JSON."""
    words = shlex.split(found["command"])[1:]
    sizes = ["--rows", "128", "--columns", "128", "--places", "256"] if words[0] == "show" else []
    if sizes and " o " in words[1]:
        del sizes[-2:]
    assert main([*words, *sizes, "--json"]) == 0
    return json.loads(capsys.readouterr().out)


def grids(figure: dict[str, Any]) -> Iterator[dict[str, Any]]:
    """Every grid of a figure, in order."""
    if figure["kind"] == "figure":
        yield from figure["grids"]
    for part in (*figure.get("figures", ()), *figure.get("pictures", ())):
        yield from grids(part)


def texts(grid: dict[str, Any]) -> list[list[str]]:
    flat, columns = grid["texts"], len(grid["offsets"][0])
    return [flat[i : i + columns] for i in range(0, len(flat), columns)]


SHOWN = [(preset.view, preset.args) for preset in PRESETS]
SHOWN += [(name, tuple(field.default for field in view.fields)) for name, view in VIEWS.items()]


@pytest.mark.parametrize(("view", "args"), SHOWN)
def test_the_numbers_are_those_of_the_command(
    view: str, args: tuple[str, ...], capsys: pytest.CaptureFixture[str]
) -> None:
    found = ask(view, *args)
    if "error" in found:
        words = shlex.split(found["command"])[1:]
        assert main(words) == 1
        assert found["error"]["summary"] in capsys.readouterr().err
        return
    if view == "exercise":
        assert main([*shlex.split(found["command"])[1:], "--json"]) == 0
        assert figure_title(found) == json.loads(capsys.readouterr().out)["task"]
        return
    facts = command(found, capsys)
    figure = found["figure"]
    if view == "layout":
        assert [grid["offsets"] for grid in grids(figure)] == [
            grid["offsets"] for grid in facts["grids"]
        ]
        for grid, fact in zip(grids(figure), facts["grids"], strict=True):
            valid = [cell for row in fact["valid"] for cell in row]
            assert grid["padding"] == [i for i, is_data in enumerate(valid) if not is_data]
        if "strip" in facts:
            places = [[p["offset"], p["coordinates"], p["hits"]] for p in facts["strip"]["places"]]
            assert [place[:3] for place in figure["figures"][1]["places"]] == places
    elif view == "tv":
        assert [texts(grid) for grid in grids(figure)] == [grid["texts"] for grid in facts["grids"]]
    elif view == "banks":
        (access,) = facts["accesses"]
        assert found["result"] == f"{access['ways']}-way conflict"
        assert str(facts["best"]["wavefronts"]) in figure["note"]
    else:
        assert figure["result"] == facts["result"]
        assert figure["sentences"] == facts["sentences"]
        assert view == "coordinate" or figure["rows"] == facts["rows"]


def figure_title(found: dict[str, Any]) -> str:
    title: str = found["figure"]["title"]
    return title


@pytest.mark.parametrize(
    ("given", "state"), [("4, 10, 5", "right"), ("4, 10, 6", "wrong"), ("4,,", "unread")]
)
def test_an_exercise_is_judged_as_on_the_command_line(
    given: str, state: str, capsys: pytest.CaptureFixture[str]
) -> None:
    found = ask("exercise", "function", "1", "1", "1", given)
    main([*shlex.split(found["command"])[1:], "--json"])
    facts = json.loads(capsys.readouterr().out)
    assert (
        (found["state"], found["result"]) == (facts["state"], facts["text"]) == (state, found["result"])
    )
    hint = ask("exercise", "function", "1", "1", "1", given, "2")
    main(shlex.split(hint["command"])[1:])
    assert hint["result"] in capsys.readouterr().out


@pytest.mark.parametrize(("view", "args"), SHOWN)
def test_the_address_of_a_command_is_that_of_its_view(view: str, args: tuple[str, ...]) -> None:
    found = ask(view, *args)
    place = address(shlex.split(found["command"])[1:])
    if view not in ("banks", "exercise"):
        assert parse_qs(place.removeprefix("#")) == {"view": [view], "a": list(filter(None, args))}


def checks(figure: dict[str, Any]) -> Iterator[str]:
    yield figure.get("check") or ""
    for part in figure["parts"]:
        yield from checks(part)


def test_each_operation_has_its_law_checked() -> None:
    for name, view in VIEWS.items():
        if view.group in ("Algebra", "Tiles") and name != "divide":
            said = [
                text for text in checks(ask(name, *[f.default for f in view.fields])["figure"]) if text
            ]
            assert said, name
            assert all(text.startswith("checked: ") for text in said), name


def test_a_broken_law_says_where() -> None:
    found = explain("composition", parse("(6,2):(8,2)"), parse("(4,3):(3,1)"))
    assert check(found._replace(result=parse("((2,2),3):((24,3),8)"))).startswith("broken at 2: C(i) = ")
    found = explain("zipped_product", parse("(2,2):(2,1)"), parse("(2,3):(3,1)"))
    assert check(found._replace(result=parse("((2,2),(2,3)):((2,1),(12,5))"))).startswith("broken at ")


LETTERS = "0123456789(),:_-Mx<>{}[] "


def test_any_text_gets_an_answer() -> None:
    rng = Random(26)

    def changed(text: str) -> str:
        for _change in range(rng.randint(0, 2)):
            i = rng.randrange(len(text) + 1)
            text = text[:i] + rng.choice(("", rng.choice(LETTERS))) + text[i + rng.randint(0, 1) :]
        return text

    for _case in range(share(400)):
        name, view = rng.choice(list(VIEWS.items()))
        args = [rng.choice(field.choices or (changed(field.default),)) for field in view.fields]
        with limits(cells=1 << 12, coordinates=1 << 12):
            found = ask(name, *args)
        assert ("error" in found) != ("result" in found)
        if "result" in found and view.group in ("Algebra", "Tiles"):
            assert not [text for text in checks(found["figure"]) if text.startswith("broken")], args


REFUSED = {
    ("layout", "(2,3:(3,1)"): ("expected ',' or ')'", 4, []),
    ("layout", ""): ("found an empty text", 0, []),
    ("layout", "(2,3)"): ("is no layout", None, ["(2,3):(_1,2)"]),
    ("layout", "[2,3]:[3,1]"): ("a layout has () and not []", 0, ["(2,3):(3,1)"]),
    ("layout", "coalece((2,3):(1,2))"): ("did you mean coalesce?", 0, ["coalesce((2,3):(1,2))"]),
    ("layout", "f33[2,3]"): ("is not an XLA element type", 0, ["f32[2,3]"]),
    ("layout", "f32[3,5]{1,0:T(2,2}"): ("in a tile", 18, []),
    ("layout", "zM<half>(20,48)"): ("is not a layout tag", 0, ["zZ", "zN", "nZ"]),
    ("layout", "(2,M):(1,2)"): ("there is no picture", None, ["(2,2):(1,2)"]),
    ("composition", "", "6:1"): ("found an empty text", 0, []),
    ("composition", "6:1", ""): ("found an empty text", 0, []),
    ("composition", "(4,4):(16,1)", "6:1"): ("is not a layout", None, ["4:1", "8:1"]),
    ("composition", "(6,2):(1,7)", "(3,2):(2,3)"): ("is not a layout", None, ["(2,2):(2,3)"]),
    ("composition", "(6,2):(8,2)", "max(min(M,9),8)"): ("is not a layout", None, []),
    ("complement", "(4,4):(1,2)", "24"): ("has no complement", None, ["(4,4):(1,4)"]),
    ("left_inverse", "(4,4):(3,2)"): ("no left inverse", None, ["(4,4):(8,2)"]),
    ("coordinate", "(2,3):(3,1)", "1,7"): ("lies outside the shape", None, []),
    ("coordinate", "(2,3):(3,1)", "1,)"): ("found", 2, []),
    ("offset", "(2,3):(3,1)", "x"): ("expected a number", 0, []),
    ("tiling", "(2,3):(3,1)", ""): ("is no XLA shape", None, []),
    ("tag", "(2,3):(3,1)"): ("is no tag", 0, []),
    ("tag", "zM<half>(20,48)"): ("is not a layout tag", 0, ["zZ", "zN", "nZ"]),
    ("tv", "4:1", ""): ("is no layout of threads and values", None, []),
}


@pytest.mark.parametrize("asked", REFUSED)
def test_a_refusal_shows_the_character_and_ways_out_that_work(asked: tuple[str, ...]) -> None:
    view, *args = asked
    said, start, ways = REFUSED[asked]
    found = ask(view, *args)
    assert said in found["error"]["summary"]
    assert found["error"].get("start") == start
    repaired = [text for _argument, text in found["repairs"]]
    assert len(repaired) == len(ways)
    assert all(text.startswith(way) for text, way in zip(repaired, ways, strict=True))
    for argument, text in found["repairs"]:
        assert "error" not in ask(view, *args[:argument], text, *args[argument + 1 :])


def test_the_witness_of_a_refusal_is_marked() -> None:
    figure = ask("composition", "(6,2):(1,7)", "(3,2):(2,3)")["figure"]
    marked = [grid["offsets"][i // 2][i % 2] for grid in grids(figure) for i in grid["marks"]]
    assert marked == [8, 7]


@pytest.mark.parametrize("text", ["size((4,2):(1,4))", "is_injective((4,2):(1,0))", "(4,2):(2,1) (3,1)"])
def test_an_expression_may_have_another_value(text: str, capsys: pytest.CaptureFixture[str]) -> None:
    found = ask("layout", text)
    assert main(shlex.split(found["command"])[1:]) == 0
    assert found["result"] == capsys.readouterr().out.strip()


@pytest.mark.parametrize(
    "text",
    [
        "coalesce((2,(1,6)):(1,(6,2)))",
        "zN(20,48)",
        "a = 4:1; composition(a, 2:2)",
        "coalesce((8,2):(1,8))",
    ],
)
def test_the_layout_of_an_expression_is_shown_by_the_command(
    text: str, capsys: pytest.CaptureFixture[str]
) -> None:
    found = ask("layout", text)
    assert main(shlex.split(found["command"])[1:]) == 0
    assert capsys.readouterr().out.splitlines()[0] == found["result"]
    if "(8" in text:
        assert main(shlex.split(ask("banks", text, text, "32", "1")["command"])[1:]) == 0


def test_svg_is_the_file_of_the_command(capsys: pytest.CaptureFixture[str]) -> None:
    found = ask("composition", "(6,2):(8,2)", "(4,3):(3,1)", form="svg")
    assert main([*shlex.split(found["command"])[1:], "--svg"]) == 0
    drawn = capsys.readouterr().out
    titles = re.compile("<title>[^<]*</title>")
    assert titles.findall(found["svg"]) == titles.findall(drawn)


@pytest.mark.parametrize(
    "request_",
    ["", "[]", "3", '{"view": "x", "args": []}', '{"view": "layout", "args": [1]}', "[" * 10**5],
)
def test_a_request_that_is_none(request_: str) -> None:
    with pytest.raises(ParseError, match="expected a request such as"):
        answer(request_)


def test_a_left_inverse_past_the_end_is_said() -> None:
    for text, says in (("(3,4):(1,1)", True), ("(3,4):(4,1)", False)):  # 6:3 sends offset 5 to index 15
        assert ("past the end of A" in str(ask("left_inverse", text)["figure"]["check"])) == says


def test_an_answer_leaves_out_what_is_optional() -> None:
    assert ask("complement", "(2,2):(1,6)")["result"] == "3:2"
    error = ask("layout", "4:1", "red")["error"]
    assert (error["summary"][:22], error["argument"]) == ("colours is one of tile", 1)

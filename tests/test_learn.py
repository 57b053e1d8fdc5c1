"""The course: every exercise can be solved, by any spelling of the answer, and by nothing else."""

import json
from pathlib import Path
from typing import Any

import pytest
from cases import share

from tla import Layout, TlaError, evaluate, flatten_to_tuple
from tla.cli import main
from tla.errors import ArgumentError
from tla.layouts import text_of
from tla.learn import LEVELS, TOPICS, Exercise, Verdict, exercise, exercises, grade, sheet
from tla.read import layout_of_name
from tla.show import html, latex


def changed(leaves: Any, at: int, by: Any) -> Any:
    """An int tuple with its leaf number ``at`` replaced."""
    count = iter(range(len(flatten_to_tuple(leaves))))

    def walk(x: Any) -> Any:
        return tuple(map(walk, x)) if isinstance(x, tuple) else by(x) if next(count) == at else x

    return walk(leaves)


def other_spelling(layout: Any) -> str:
    """The same function of the coordinates of the modes, with an even mode cut in two."""
    for i, (n, d) in enumerate(zip(*map(flatten_to_tuple, (layout.shape, layout.stride)), strict=True)):
        if n % 2 == 0:
            shape = changed(layout.shape, i, lambda _: (2, n // 2))  # noqa: B023
            return str(Layout(shape, changed(layout.stride, i, lambda _: (d, 2 * d))))  # noqa: B023
    return str(layout)


def check(one: Exercise) -> None:
    """A reference passes, and so does another spelling; nothing, and what is almost right, do not."""
    assert one.check(one.reference).passed
    assert one.check(" ").state == "blank"
    asked = one.question
    if asked.sizes is None:
        assert one.check(f"({one.reference})").passed
        for i, value in enumerate(asked.wanted):
            wrong = changed(value, 0, lambda n: n + 1)
            answer = ", ".join(map(text_of, (*asked.wanted[:i], wrong, *asked.wanted[i + 1 :])))
            verdict = one.check(answer)
            assert (verdict.state, verdict.at) == ("wrong", asked.places[i])
            assert [one.hint(answer, n).count("Look at") for n in (1, 2, 3)] == [1, 1, 1]
        return
    layout = evaluate(one.reference, None, None, layout_of_name)
    if one.topic not in ("coalesce", "expressions"):
        assert one.check(other_spelling(layout)).passed
    for i, n in enumerate(flatten_to_tuple(layout.shape)):
        if n > 1:
            answer = str(Layout(layout.shape, changed(layout.stride, i, lambda d: d + 1)))
            verdict = one.check(answer)
            assert verdict.state == "wrong"
            assert verdict.at is not None
            assert not any(one.reference in one.hint(answer, n) for n in (1, 2, 3))


@pytest.mark.parametrize("topic", TOPICS)
def test_every_exercise_can_be_solved(topic: str) -> None:
    for seed in range(share(20)):
        for level in LEVELS:
            check(exercises(topic, seed, 1, level)[0])


@pytest.mark.slow
@pytest.mark.parametrize("topic", TOPICS)
def test_a_thousand_seeds(topic: str) -> None:
    for seed in range(1000):
        check(exercises(topic, seed, 1, seed % 3 + 1)[0])


def test_a_seed_is_always_the_same_sheet() -> None:
    def made(answers: bool) -> str:
        chosen = [one for topic in TOPICS for one in exercises(topic, 5, 1, 2)]
        return html(sheet(chosen, answers)) + latex(sheet(chosen, answers))

    assert made(True) == made(True) != made(False) == made(False)
    assert exercise("strides/1/1/1").task == "Which layout has these offsets? Write it as shape:stride."
    assert exercise("strides/1/1/1").reference == "(5,2):(2,1)"  # of every version of Python


def test_what_is_missing_from_a_right_function_is_said() -> None:
    one = exercise("coalesce/1/1/1")
    assert one.check("(2,2,4):(1,2,16)").text == "It is the same function, but fewer modes than 3 do."
    assert one.check("(4,4,1):(1,16,0)").text == "It is the same function, but fewer modes than 3 do."
    assert one.check("(4,8):(1,16)").text == "The layout has 32 coordinates; 16 are asked for."
    assert one.check("(4,2):(1,16)").text == "The layout has 8 coordinates; 16 are asked for."
    one = exercise("expressions/1/1/1")
    assert one.check("((3,2),(3,2)):((6,18),(1,3))").text.startswith("The offsets are right. Now")
    assert one.check("(3,3):(6,1)").text == (
        "The layout has 2 modes of 3, 3; asked for is one with 2 modes of 6, 6."
    )
    assert one.check("6").state == one.check("(6,6):(6,").state == one.check("4,").state == "unread"
    two = exercise("function/1/1/1")
    form = "3 values are asked for, written as 0, 0, 0."
    assert two.check("4, 10").text == f"The answer has 2 values; {form}"
    assert two.check("4").text == f"The answer has 1 value; {form}"
    assert [two.check(few).at for few in ("5", "4", "4, 10")] == list(two.question.places)
    for unread in ("4 10 5", "(4, 10", "4, 10, 5,", "[4]", "4; 10"):  # no caret below a text of ours
        assert two.check(unread) == Verdict("unread", form)
    assert exercise("integers/1/1/1").form == "(0,0), (0,0), (0,0)"
    assert one.hint("(6,6):(6,", 1).split("\n")[-1] == "Look at (5,5)."


@pytest.mark.parametrize(
    "name", ["", "strides", "strides/1/1", "strides/4/1/1", "stride/1/1/1", "strides/1/-1/1"]
)
def test_a_name_of_no_exercise_is_refused(name: str) -> None:
    with pytest.raises(ArgumentError):
        exercise(name)


def test_grades() -> None:
    found = json.loads(grade({"strides/1/1/1": "(5,2):(2,1)", "gemm/1/1/1": "1", "gemm/1/1/2": ""}))
    assert (found["right"], found["of"]) == (1, 3)
    assert [row["state"] for row in found["answers"]] == ["right", "wrong", "blank"]


def test_the_command(
    tmp_path: Path, capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("TLA_PROGRESS", str(tmp_path / "progress.json"))

    def learn(*words: str) -> tuple[int, str]:
        code = main(["learn", *words])
        out, err = capsys.readouterr()
        return code, out + err

    assert learn("check", "4")[0] == 2
    assert learn("start", "strides")[1].startswith("strides/1/1/1: Strides, padding, broadcast")
    assert learn("check", "(5,2):(1,5)") == (
        1,
        "At (1,0) the layout gives 1, and that is wrong.\n'tla learn hint' helps.\n",
    )
    hints = [learn("hint")[1] for _hint in range(4)]
    assert hints[2] == hints[3]
    assert len(set(hints)) == 3
    assert learn("check", "((5,1),2):((2,0),1)") == (0, "That is right.\n'tla learn next' goes on.\n")
    assert "strides      Strides, padding, broadcast: 1 solved" in learn()[1]
    assert learn("next")[1].startswith("strides/1/1/2:")
    assert json.loads(learn("list", "--json")[1])["current"] == "strides/1/1/2"
    named = "--exercise", "function/1/1/1"
    assert learn("check", "4, 10, 5", *named)[0] == learn("check", "4,", "10,", "5", *named)[0] == 0
    assert learn("hint", *named)[1].count("hint ") == 3
    assert learn("show", *named)[1].startswith("function/1/1/1:")
    assert learn("list")[1].count("solved") == 1
    answers = tmp_path / "answers.json"
    answers.write_text('{"strides/1/1/1": "(5,2):(2,1)"}')
    assert json.loads(learn("grade", str(answers))[1])["right"] == 1
    assert learn("sheet", "strides", "-o", str(tmp_path / "sheet.tex")) == (0, "")
    for text in ("[]", "{", '{"solved": 1}'):
        answers.write_text(text)
        assert learn("list", "--progress", str(answers))[0] == 1
        assert learn("grade", str(answers))[0] == 1


def test_errors_are_of_the_library() -> None:
    with pytest.raises(TlaError, match="there is no topic 'stride'\\. Did you mean strides"):
        exercises("stride")
    for seed in (-1, 10**18):  # a name with it would find nothing
        with pytest.raises(TlaError, match="a seed is 0 or more, of at most 18 digits, not"):
            exercises("strides", seed)
    assert exercise(exercises("strides", 10**18 - 1)[0].name).seed == 10**18 - 1

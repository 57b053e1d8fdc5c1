# SPDX-License-Identifier: Apache-2.0
"""``tla completion``: the script with which a shell completes commands, options and their values."""

from __future__ import annotations

from typing import TYPE_CHECKING, Final

from ..ground import LIMITS, say
from .commands import COMMANDS, SUBCOMMANDS
from .parser import argument_parser

if TYPE_CHECKING:
    from argparse import Action
    from collections.abc import Callable

    from .parser import Parser

_EPILOG = """\
examples:
  tla completion bash
  tla completion zsh
  tla completion fish

bash: eval "$(tla completion bash)" in ~/.bashrc. zsh: save the script as _tla in a folder of $fpath.
fish: save it as ~/.config/fish/completions/tla.fish. Every other word is completed as a file.
"""

_BASH: Final = """\
_tla() {
    local word=${COMP_WORDS[COMP_CWORD]} before=${COMP_WORDS[COMP_CWORD - 1]} at=${COMP_WORDS[1]} known=
    [ "$at" = ascend ] && [ "$COMP_CWORD" -gt 2 ] && at="ascend ${COMP_WORDS[2]}"
    [ "$COMP_CWORD" -eq 1 ] && at=
    [ "$word" = = ] && word=
    [ "$before" = = ] && before=${COMP_WORDS[COMP_CWORD - 2]}
@CASES@
    COMPREPLY=($(compgen -W "$known" -- "$word"))
    case $known in *=) compopt -o nospace 2>/dev/null ;; esac
}
complete -o default -F _tla tla
"""

_ZSH: Final = """\
#compdef tla
_tla() {
    local word=$words[CURRENT] before=$words[CURRENT-1] at=$words[2] known=
    [ "$at" = ascend ] && [ $CURRENT -gt 3 ] && at="ascend $words[3]"
    [ $CURRENT -eq 2 ] && at=
    if [[ $word == --*=* ]]; then before=${word%%=*} word=; compset -P '*='; fi
@CASES@
    if [ -n "$known" ]; then compadd -- ${=known}; else _files; fi
}
if [ "$funcstack[1]" = _tla ]; then _tla "$@"; else compdef _tla tla; fi
"""

_FISH: Final = """\
function __tla_at
    string match -q -- "$argv *" (string join " " -- (commandline -opc)[2..] "")
end
complete -c tla -n 'test (count (commandline -opc)) -eq 1' -f
complete -c tla -n '__tla_at ascend; and test (count (commandline -opc)) -eq 2' -f
"""


def run(arguments: list[str], parser_of: Callable[[list[str]], Parser]) -> int:
    """Print the script; the function returns the parser of a command and a subcommand."""
    parser = argument_parser("completion", _EPILOG)
    shells = ("bash", "zsh", "fish")
    parser.add_argument("shell", metavar="SHELL", choices=shells, help="bash, zsh or fish")
    shell = parser.parse_args(arguments).shell
    paths = [*COMMANDS, *(f"ascend {name}" for name in SUBCOMMANDS)]
    actions = {path: parser_of(path.split())._actions for path in paths if path != "ascend"}
    if shell == "fish":
        script = _FISH + "".join(f"{line}\n" for line in _fish(actions))
    else:
        script = (_BASH if shell == "bash" else _ZSH).replace("@CASES@", _cases(actions))
    say(*script.removesuffix("\n").split("\n"))
    return 0


def _values(action: Action) -> str:
    known = [f"{name}=" for name in LIMITS] if action.dest == "limit" else action.choices or ()
    return " ".join(map(str, known))


def _cases(actions: dict[str, list[Action]]) -> str:
    """What may stand at a place: by the option before it, or by the command; an option has a dash."""
    lines = ["    case $at:$before in"]
    for path, known in actions.items():
        for action in known:
            if action.option_strings and _values(action):
                places = "|".join(f"'{path}:{name}'" for name in action.option_strings)
                lines.append(f"        {places}) known='{_values(action)}' ;;")
    lines += [
        "        *) case $at:$word in",
        f"            :*|help:*) known='{' '.join(COMMANDS)} help' ;;",
        f"            ascend:*) known='{' '.join(SUBCOMMANDS)}' ;;",
    ]
    for path, known in actions.items():
        options = " ".join(name for action in known for name in action.option_strings)
        lines.append(f"            '{path}':-*) known='{options}' ;;")
        values = " ".join(_values(action) for action in known if not action.option_strings).strip()
        if values:
            lines.append(f"            '{path}':*) known='{values}' ;;")
    return "\n".join([*lines, "        esac ;;", "    esac"])


def _fish(actions: dict[str, list[Action]]) -> list[str]:
    """A line for each command and option, with its help."""
    first = "test (count (commandline -opc)) -eq 1"
    second = "__tla_at ascend; and test (count (commandline -opc)) -eq 2"
    lines = [_complete(first, ["-a", name], text) for name, text in COMMANDS.items()]
    lines.append(_complete(first, ["-a", "help"], "Show the help of a command."))
    lines.append(_complete("__tla_at help", ["-f", "-a", f"'{' '.join(COMMANDS)}'"], "show its help"))
    lines += [_complete(second, ["-a", name], text) for name, text in SUBCOMMANDS.items()]
    for path, known in actions.items():
        for action in known:
            names = action.option_strings
            words = [f"-{'l' if name[1] == '-' else 's'} {name.lstrip('-')}" for name in names]
            if _values(action):
                words += ["-x" if words else "-f", "-a", f"'{_values(action)}'"]
            elif words and action.nargs != 0:
                words.append("-r")
            if words:
                lines.append(_complete(f"__tla_at {path}", words, action.help or ""))
    return lines


def _complete(at: str, words: list[str], text: str) -> str:
    quoted = text.replace("%%", "%").replace("\\", "\\\\").replace("'", "\\'")
    return f"complete -c tla -n '{at}' {' '.join(words)} -d '{quoted}'"

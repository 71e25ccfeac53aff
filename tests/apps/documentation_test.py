"""The documentation: links resolve, programs in README.md are the compiled examples, commands print what the pages show.

A fenced block `console` holds commands, each after `$ `, and their output. The blocks of a page run in order in an empty
folder with a link to data/. A line `...` stands for any number of lines. Words must be equal, spaces may differ, numbers may
differ by 2 % and counts by 2 (other processors round differently), times are not compared.

  documentation_test.py BIN_FOLDER REPOSITORY            the tests
  documentation_test.py BIN_FOLDER REPOSITORY --update   writes the current output of all commands into the pages
"""

import os
import re
import subprocess
import sys
import tempfile
import unittest
from pathlib import Path

BIN, ROOT = Path(sys.argv[1]).resolve(), Path(sys.argv[2]).resolve()
PAGES = [ROOT / name for name in ("README.md", "CONTRIBUTING.md", "ARCHITECTURE.md", "data/README.md")] + sorted((ROOT / "docs").glob("**/*.md"))
NUMBER = re.compile(r"(?<![\w.])[+-]?(?:\d+\.?\d*|\.\d+)(?:e[+-]?\d+)?(?![\w])", re.I)
VARYING = re.compile(r"\b\d+(?:\.\d+)? s\b|\bseconds +\S+|\brow \d+\b")  # times; the row of the largest rounding error


def blocks(text, language):
    return re.findall(rf"^```{language}\n(.*?)^```$", text, re.M | re.S)


def without_code(text):
    return re.sub(r"`[^`\n]*`", "", re.sub(r"^( *)```.*?^\1```$", "", text, flags=re.M | re.S))


def anchors(page):
    """The names that GitHub gives to the headings of a page."""
    headings = re.findall(r"^#+ +(.*)$", re.sub(r"^```.*?^```$", "", page.read_text(), flags=re.M | re.S), re.M)
    return {re.sub(r"[^\w\- ]", "", re.sub(r"\[([^]]*)\]\([^)]*\)", r"\1", each).lower()).strip().replace(" ", "-") for each in headings}


def links(page):
    for target in re.findall(r"\]\(([^)\s]+)\)", without_code(page.read_text())):
        if not re.match(r"[a-z]+:", target):
            name, _, anchor = target.partition("#")
            yield target, (page.parent / name).resolve() if name else page, anchor


def steps(block):
    """(command, expected output) of each command of a block."""
    command, shown = None, []
    for line in block.splitlines():
        if command is not None and command.endswith("\\"):
            command += "\n" + line
        elif line.startswith("$ "):
            if command is not None:
                yield command, shown
            command, shown = line[2:], []
        else:
            shown.append(line)
    yield command, shown


def output_of(command, folder):
    environment = {**os.environ, "PATH": f"{BIN}:{os.environ['PATH']}", "LC_ALL": "C.UTF-8"}
    done = subprocess.run(["bash", "-c", command], cwd=folder, env=environment, stdout=subprocess.PIPE, stderr=subprocess.STDOUT, text=True, timeout=300)
    return done.stdout.splitlines()


def scratch():
    folder = tempfile.TemporaryDirectory(prefix="mercer-documentation-")
    (Path(folder.name) / "data").symlink_to(ROOT / "data")
    return folder


def same_line(shown, got):
    shown, got = VARYING.sub("_", shown), VARYING.sub("_", got)
    if NUMBER.sub("#", shown).split() != NUMBER.sub("#", got).split():
        return False
    pairs = zip(NUMBER.findall(shown), NUMBER.findall(got))
    return all(abs(float(a) - float(b)) <= max(0.02 * abs(float(a)), 2 if a.isdigit() else 1e-3) for a, b in pairs)


def same(shown, got):
    """Returns true if the output equals the lines shown; a line `...` matches any number of lines."""
    shown, got = [line for line in shown if line.strip()], [line for line in got if line.strip()]
    if not shown:
        return not got
    if shown[0].strip() == "...":
        return any(same(shown[1:], got[at:]) for at in range(len(got) + 1))
    return bool(got) and same_line(shown[0], got[0]) and same(shown[1:], got[1:])


class documentation(unittest.TestCase):
    def test_relative_links_resolve(self):
        for page in PAGES:
            for target, file, anchor in links(page):
                with self.subTest(page=str(page.relative_to(ROOT)), link=target):
                    self.assertTrue(file.exists())
                    if anchor and file.suffix == ".md":
                        self.assertIn(anchor, anchors(file))

    def test_every_page_can_be_reached_from_the_readme(self):
        reached, left = set(), [ROOT / "README.md"]
        while left:
            page = left.pop()
            if page not in reached:
                reached.add(page)
                left += [file for _, file, _ in links(page) if file.suffix == ".md" and file.exists()]
        self.assertEqual([str(page.relative_to(ROOT)) for page in PAGES if page not in reached], [])

    def test_the_readme_begins_with_the_two_commands(self):
        first = (ROOT / "README.md").read_text().splitlines()[:8]
        for command in ("make demo", "make test"):
            self.assertTrue(any(line.strip().startswith(command) for line in first), command)

    def test_programs_in_the_pages_are_the_compiled_examples(self):
        # Each test examples.NAME checks that NAME.cpp and NAME.py print the same.
        for page, language, name in (("README.md", "cpp", "first_model.cpp"), ("README.md", "python", "first_model.py"), ("docs/cpp.md", "cpp", "classify.cpp")):
            shown, example = blocks((ROOT / page).read_text(), language)[0], (ROOT / "examples" / name).read_text()
            self.assertEqual(shown, example, f"copy examples/{name} to {page}")

    def test_the_pages_quote_the_output_of_their_programs(self):
        with scratch() as folder:
            first = output_of(str(BIN / "example_first_model"), folder)
            classify = output_of(str(BIN / "example_classify"), folder)
        self.assertIn(f"`{first[0]}`", (ROOT / "README.md").read_text())
        shown = blocks((ROOT / "docs/cpp.md").read_text(), "text")[0]
        self.assertTrue(same(shown.splitlines(), classify), "\n".join(classify))

    def test_commands_print_what_the_pages_show(self):
        for page in PAGES:
            with scratch() as folder:
                for block in blocks(page.read_text(), "console"):
                    for command, shown in steps(block):
                        got = output_of(command, folder)
                        with self.subTest(page=str(page.relative_to(ROOT)), command=command):
                            self.assertTrue(same(shown, got), "printed:\n" + "\n".join(got) + "\nRun this test with --update, and check what changes.")


def updated(shown, got):
    """The output, with as many lines before and after `...` as are shown now."""
    if not any(line.strip() == "..." for line in shown):
        return got
    at = next(i for i, line in enumerate(shown) if line.strip() == "...")
    after = len(shown) - at - 1
    return got[:at] + [shown[at]] + got[len(got) - after:]


def update():
    for page in PAGES:
        text = page.read_text()
        with scratch() as folder:

            def rewrite(found):
                lines = []
                for command, shown in steps(found[1]):
                    got = output_of(command, folder)
                    lines += ["$ " + command, *(shown if same(shown, got) else updated(shown, [line.rstrip() for line in got]))]
                return "```console\n" + "\n".join(lines) + "\n```"

            new = re.sub(r"^```console\n(.*?)^```$", rewrite, text, flags=re.M | re.S)
        if new != text:
            page.write_text(new)
            print(f"updated {page.relative_to(ROOT)}")


if __name__ == "__main__":
    if "--update" in sys.argv:
        update()
    else:
        unittest.main(argv=sys.argv[:1])

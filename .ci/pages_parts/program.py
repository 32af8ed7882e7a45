"""A page's Swift blocks as one program."""
import re

DECLARATION = re.compile(r"(private |public |final |nonisolated |@\w+ )*(struct|class|enum|actor|protocol|extension|func|typealias) ")


class Program:
    """One page's program: imports and declarations at the top level, statements in a function."""

    def __init__(self):
        self.imports, self.declarations, self.statements, self.depth = set(), [], [], 0
        self.pasted = []

    def add(self, text, file, line):
        declaration = []
        self.pasted += [f'#sourceLocation(file: "{file}", line: {line})\n', text, "\n#sourceLocation()\n"]
        self.statements += ["do {", f'#sourceLocation(file: "{file}", line: {line})']
        self.depth += 1
        for offset, source in enumerate(text.split("\n")):
            if declaration:
                declaration.append(source)
            elif source.startswith("import "):
                self.imports.add(source)
            elif DECLARATION.match(source):
                access = "" if source.startswith(("extension ", "private ")) else "private "
                declaration = [f'#sourceLocation(file: "{file}", line: {line + offset})', access + source]
            if declaration:
                if source.startswith("}") or source.count("{") == source.count("}") and len(declaration) == 2:
                    self.declarations += declaration + ["#sourceLocation()"]
                    declaration = []
                source = ""
            self.statements.append("" if source.startswith("import ") else source)
        self.statements.append("#sourceLocation()")

    def top_level(self):
        """The page as a reader pastes it, one block after another."""
        return "".join(self.pasted)

    def in_task(self):
        return "\n".join([
            *sorted(self.imports), *self.declarations, "let task = Task {", *self.statements, "}" * self.depth, "}",
            "try await task.value"])

    def text(self, name):
        return "\n".join([
            *sorted(self.imports), *self.declarations, f"func {name}() async throws {{", *self.statements,
            "}" * self.depth, "}\n"])

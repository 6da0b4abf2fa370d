"""Commands of the book and its classroom: where each is, and what the list of commands says of it."""

COMMANDS = {
    "book": (
        "benchbook_book.commands.book:book",
        "Build the book, or run one of its parameterised pages.",
    ),
    "challenge": (
        "benchbook_book.commands.challenge:challenge",
        "Enter a challenge with hidden targets, or hold one: check, score and rank submissions.",
    ),
    "checklist": (
        "benchbook_book.commands.checklist:checklist",
        "Check a report on an experiment by PROBEN1's benchmarking rules.",
    ),
    "proben1 rebuild": (
        "benchbook_book.commands.proben1:rebuild",
        "Make the files of PROBLEM, such as cancer, from the originals and compare them with those of 1994.",
    ),
}

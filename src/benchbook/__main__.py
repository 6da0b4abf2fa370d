"""``python -m benchbook`` is the command line."""

from benchbook.cli import main

if __name__ == "__main__":
    main()

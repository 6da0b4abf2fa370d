"""Learners of today's libraries that say how sure they are: one file each, and an optional extra for the libraries.

None is needed for the book, which reads their archived runs. ``pip install 'benchbook[today]'`` gets them, at the
versions of ``requirements-today.txt``.
"""

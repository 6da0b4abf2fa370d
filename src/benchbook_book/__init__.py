"""The book and its classroom: what stands on the instrument, ``benchbook``, which never imports it.

``course`` holds a challenge for a class, ``form`` PROBEN1's checklist, ``making`` builds the book, and ``pages`` has
what its pages show: tables, charts, simulations of chapters, reproductions of printed results.
"""

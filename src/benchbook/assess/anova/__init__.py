"""DELVE's analysis of variance: losses as arrays, their mean squares, estimates, tests, and tables of an archive."""

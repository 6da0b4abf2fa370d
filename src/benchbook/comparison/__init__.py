"""Comparing methods on a user's own data: the data, the methods, the splits, the fits and their losses."""

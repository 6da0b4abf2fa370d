"""Conformal methods: coverage that holds whatever the truth is."""

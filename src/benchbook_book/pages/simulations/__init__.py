"""Simulations and long examples of chapters, and the commands that make their results anew."""

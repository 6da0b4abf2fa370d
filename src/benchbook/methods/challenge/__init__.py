"""The entries made for the challenge's data: clusters, needles, random subspaces, associative nets."""

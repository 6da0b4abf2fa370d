"""What ``make book`` runs: which pages are due, how they are executed and rendered, and copies of them for students."""

"""What statistics are worth where the truth is known: simulated losses, false alarms, two truths about one number."""

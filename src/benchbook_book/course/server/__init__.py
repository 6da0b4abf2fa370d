"""The challenge server: a class registers, sends predictions, and sees losses and a leaderboard within seconds.

It needs the extra ``benchbook[server]``, which nothing else does. All that it keeps is in one database, SQLite by
default or PostgreSQL: challenges with their hidden targets, participants, submissions as they were sent, and scores.
``benchbook_book.course.challenge`` checks, scores and ranks, in processes of their own with limits on time and memory.
"""

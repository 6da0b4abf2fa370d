"""benchbook: how to tell whether a learning method is any good.

Four classic bodies of work on assessing learning methods, as one pipeline: dataset, task, method, predictive
distribution, loss, assessment. Import what you need from the rooms: ``benchbook.tasks``, ``benchbook.methods``,
``benchbook.losses``, ``benchbook.studies``, ``benchbook.assess``.
"""

__version__ = "0.1.0"

"""The report's examples: its models put through weights and folds, with the true future utility where it is known.

Source: Vehtari and Lampinen (2001), section 3.
"""

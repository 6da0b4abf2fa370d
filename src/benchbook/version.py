"""The version of the package, which records and files carry."""

__version__ = "0.1.0"

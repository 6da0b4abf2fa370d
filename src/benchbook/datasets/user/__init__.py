"""Data of the user's: tables read and described, and the folders in which their cards are kept."""

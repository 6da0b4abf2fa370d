"""What one does in a checkout: make its environment, build the book, run the tests. Standard library only."""

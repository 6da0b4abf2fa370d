"""What pages of the book show: tables, charts, simulations of chapters, reproductions of printed results."""

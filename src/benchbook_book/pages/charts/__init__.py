"""Charts that pages of the book show, and nobody else."""

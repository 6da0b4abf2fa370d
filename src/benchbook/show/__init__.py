"""What results are shown with: numbers with their errors, tables, HTML, provenance, pages that stand alone."""

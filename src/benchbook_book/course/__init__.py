"""A challenge for a class: submissions checked, scored and ranked, and the server that takes them."""

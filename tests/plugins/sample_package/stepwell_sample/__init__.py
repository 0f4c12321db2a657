"""One of everything that a package can bring to Stepwell. Only `viewers` needs Qt."""

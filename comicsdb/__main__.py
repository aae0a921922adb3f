"""`python -m comicsdb`: the command line without an installed script."""

from comicsdb.cli import main

if __name__ == "__main__":
    main(prog_name="comicsdb")

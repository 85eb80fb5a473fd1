"""`python -m kindgi_tui` is `kindgi-tui`."""

import sys

from kindgi_tui.cli.entry import main

if __name__ == "__main__":
    sys.exit(main())

"""Runs the backend: `python -I -m acp_nvim`, which the editor starts as a job."""

import atexit
import gc
import os

if __name__ == "__main__":
    # Modules and classes stay to the end. Looking for garbage among them takes a quarter of the start and of the end,
    # and pauses the backend later.
    gc.disable()
    from acp_nvim.entrance import main

    gc.freeze()
    gc.enable()
    main()
    # Without it Python frees every object first, 20 ms for nothing. Threads have been joined by then.
    atexit.register(os._exit, 0)

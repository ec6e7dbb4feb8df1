"""Runs the backend: `python -I -m acp_nvim`, which the editor starts as a job."""

import gc

if __name__ == "__main__":
    # Modules and classes stay to the end. Looking for garbage among them takes a quarter of the start and of the end,
    # and pauses the backend later.
    gc.disable()
    from acp_nvim.entrance import main

    gc.freeze()
    gc.enable()
    main()

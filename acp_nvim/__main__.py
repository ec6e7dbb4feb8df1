"""`python -I -m acp_nvim`: the backend, started by the editor as a job."""

import gc

if __name__ == "__main__":
    gc.disable()  # all that is imported stays: to look for garbage in it takes a tenth of the start
    from acp_nvim import early
    from acp_nvim.agent import launch

    try:
        heard = early.listen()
        early.start_agent(heard)
        from acp_nvim.backend import main

        main(heard)
    finally:
        launch.recall()

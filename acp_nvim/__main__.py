"""`python -I -m acp_nvim`: the backend, started by the editor as a job."""

from acp_nvim.backend import main

if __name__ == "__main__":
    main()

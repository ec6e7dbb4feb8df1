"""`python -I -m acp_nvim`: the backend, started by the editor as a job."""

import sys

sys.modules["ssl"] = None  # type: ignore[assignment]  # asyncio takes it along, and nothing here speaks TLS

from acp_nvim.backend import main  # noqa: E402

if __name__ == "__main__":
    main()

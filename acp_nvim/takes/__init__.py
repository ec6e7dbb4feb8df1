"""Takes what somebody else has changed into review: from a branch, a commit, a patch, a worktree."""

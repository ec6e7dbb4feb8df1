-- What both halves know. Made by tests/tools/messages.py from the backend: edit what is named here in acp_nvim/.
return {
  -- agent/spawn.py: variables of Neovim's environment that agents and their programs do not get
  WITHHELD = { "MYVIMRC", "NVIM", "NVIM_LISTEN_ADDRESS", "NVIM_LOG_FILE", "VIM", "VIMRUNTIME" },

  -- text/printable.py: characters behind ASCII that nobody sees, or that reorder others, as patterns of their UTF-8
  HIDDEN = {
    "\194[\128-\159\173]",
    "\205\143",
    "\216\156",
    "\225\133[\159-\160]",
    "\225\158[\180-\181]",
    "\225\160[\139-\143]",
    "\226\128[\139-\143\168-\174]",
    "\226\129[\160-\175]",
    "\227\133\164",
    "\239\187\191",
    "\239\190\160",
    "\239\191[\176-\187]",
    "\243\160[\128-\191][\128-\191]",
  },

  -- limits.py
  ATTACHED_TEXT_BYTES = 1048576,
  ATTACHED_MEDIA_BYTES = 10485760,
  FILE_BYTES = 67108864,
  COMPARED_FILE_BYTES = 16777216,
  REPLACED_PLACES = 10000,
  REPLACED_CHARS = 16777216,
}

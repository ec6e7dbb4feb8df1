-- What both halves know. Made by tests/tools/messages.py from the backend: edit what is named here in acp_nvim/.
return {
  -- agent/spawn.py: variables of Neovim's environment that agents and their programs do not get
  WITHHELD = { "MYVIMRC", "NVIM", "NVIM_LISTEN_ADDRESS", "NVIM_LOG_FILE", "VIM", "VIMRUNTIME" },

  -- text/printable.py: characters behind ASCII that nobody sees, as patterns of their UTF-8
  HIDDEN = {
    "\194[\128-\160\173]",
    "\205\143",
    "\216[\128-\133\156]",
    "\219\157",
    "\220\143",
    "\224\162[\144-\145]",
    "\224\163\162",
    "\225\133[\159-\160]",
    "\225\154\128",
    "\225\158[\180-\181]",
    "\225\160[\139-\143]",
    "\226\128[\128-\143\168-\175]",
    "\226\129[\159-\175]",
    "\226\160\128",
    "\227\128\128",
    "\227\133\164",
    "\239\184[\128-\143]",
    "\239\187\191",
    "\239\190\160",
    "\239\191[\176-\187]",
    "\240\145\130\189",
    "\240\145\131\141",
    "\240\147\144[\176-\191]",
    "\240\150\191\164",
    "\240\155\178[\160-\163]",
    "\240\157\133[\153\179-\186]",
    "\243\160[\128-\191][\128-\191]",
  },

  -- limits.py
  ATTACHED_TEXT_BYTES = 1048576,
  ATTACHED_MEDIA_BYTES = 10485760,
  FILE_BYTES = 67108864,
  COMPARED_FILE_BYTES = 16777216,
  WHOLE_FILE_BYTES = 1048576,
  REPLACED_PLACES = 10000,
  REPLACED_CHARS = 16777216,
}

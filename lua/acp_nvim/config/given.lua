-- What setup() was given and nobody has checked yet. A module of its own, so that an init file that calls setup() need
-- not load the checks.

---@class acp.Given
---@field options? table
return {}

-- Holds the options that setup() was given until they are checked. A module of its own, so that an init file that calls
-- setup() does not load the checks.

---@class acp.Given
---@field options? table
return {}

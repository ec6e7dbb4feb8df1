-- Says how long ago something was, in a few words.

---@param seconds? integer  since 1970
---@return string
return function(seconds)
  if not seconds then
    return ""
  end
  local past = os.time() - seconds
  if past < 60 then
    return "just now"
  elseif past < 3600 then
    return ("%d min ago"):format(past / 60)
  elseif past < 86400 then
    return ("%d h ago"):format(past / 3600)
  elseif past < 30 * 86400 then
    return ("%d d ago"):format(past / 86400)
  end
  return tostring(os.date("%Y-%m-%d", seconds))
end

-- Shows the plan of a session between its chat and its prompt while the agent works on it: `:Acp plan` pins it.
--
--    ✓ Read the callers
--    ▸ Update the callers      the step under way stays in sight
--    ◻ Run the tests
local messages = require("acp_nvim.ui.messages")
local pairs_of = require("acp_nvim.windows.window_pair")
local printable = require("acp_nvim.ui.printable")
local safe_windows = require("acp_nvim.ui.safe_windows")
local session_store = require("acp_nvim.backend.session_store")
local tabpage = require("acp_nvim.ui.tabpage")
local pair_options = require("acp_nvim.windows.pair_options")

local api = vim.api
local M = {}

local NAMESPACE = api.nvim_create_namespace("acp_nvim.plan_panel")
local MOST_ROWS = 6
---@type table<string, [string, string]>  sign and group
local LOOKS = {
  completed = { "✓", "AcpPlanDone" },
  in_progress = { "▸", "AcpPlanCurrent" },
  pending = { "◻", "AcpPending" },
}

local is_pinned = false

---@param pair acp.Pair
---@return acp.message.PlanStep[]  none: there is no plan to show
local function steps_of(pair)
  local status = session_store.look(pair.session) or {}
  local is_under_way = status.plan and status.plan.done < status.plan.total
  return is_under_way and status.plan_steps or {}
end

local function go_to_prompt()
  local pair = pairs_of.current()
  if pair and pairs_of.is_open(pair.prompt) then
    api.nvim_set_current_win(pair.prompt)
  end
end

---@param n integer
---@return integer buf
local function new_buffer(n)
  local buf = api.nvim_create_buf(false, true)
  vim.bo[buf].bufhidden = "wipe"
  vim.bo[buf].modeline = false
  pcall(api.nvim_buf_set_name, buf, ("acp://%d/plan"):format(n)) -- that of another tabpage may have it
  vim.bo[buf].filetype = "acp_plan"
  vim.keymap.set("n", "q", M.toggle, { buffer = buf, nowait = true, desc = "Unpin the plan" })
  vim.keymap.set("n", "<CR>", go_to_prompt, { buffer = buf, nowait = true, desc = "Go to the prompt" })
  return buf
end

---@param step acp.message.PlanStep
---@return [string, string]  sign and group
local function look_of(step)
  return LOOKS[step.status] or LOOKS.pending
end

--- Returns the row of the step that stays in sight: the last one under way, else the first that is not done.
---
---   done, done, pending   3        done, under way, under way   3        pending, done   1
---@param steps acp.message.PlanStep[]
---@return integer
local function current_row(steps)
  for row = #steps, 1, -1 do
    if steps[row].status == "in_progress" then
      return row
    end
  end
  for row, step in ipairs(steps) do
    if step.status ~= "completed" then
      return row
    end
  end
  return #steps
end

---@param pair acp.Pair
---@param steps acp.message.PlanStep[]
local function draw(pair, steps)
  local buf, current = api.nvim_win_get_buf(pair.plan), current_row(steps)
  local lines = vim.tbl_map(function(step)
    return (" %s %s"):format(look_of(step)[1], (printable.visible(step.text):gsub("`", "")))
  end, steps)
  vim.b[buf].acp_session = pair.session
  vim.bo[buf].modifiable = true
  api.nvim_buf_set_lines(buf, 0, -1, true, lines)
  vim.bo[buf].modifiable = false
  api.nvim_buf_clear_namespace(buf, NAMESPACE, 0, -1)
  for row, step in ipairs(steps) do
    api.nvim_buf_set_extmark(buf, NAMESPACE, row - 1, 0, { end_col = #lines[row], hl_group = look_of(step)[2] })
  end
  local height = api.nvim_win_get_height(pair.plan)
  api.nvim_win_call(pair.plan, function()
    local top = math.max(1, math.min(current - 1, #lines - height + 1))
    vim.fn.winrestview({ topline = top, lnum = math.max(top, math.min(current, #lines)), col = 0 })
  end)
end

--- Opens the panel, unless the screen has no room for it.
---@param pair acp.Pair
---@param rows integer
local function open(pair, rows)
  local room = api.nvim_win_get_height(pair.chat)
  local height = math.min(rows, MOST_ROWS, math.floor(room / 3))
  if height < 1 then
    return
  end
  local split = { split = "above", win = pair.prompt, height = height }
  local buf = new_buffer(pair.session)
  local ok, win = pcall(api.nvim_open_win, buf, false, split)
  if not ok then
    api.nvim_buf_delete(buf, { force = true })
    return tabpage.is_for_want_of_room(win) or error(win, 0)
  end
  pair.plan = win
  pair_options.show_plan(pair)
  if api.nvim_get_option_value("winbar", { win = pair.plan, scope = "local" }) ~= "" then
    api.nvim_win_set_height(pair.plan, height + 1)
  end
end

--- Opens the panel of a pair, brings it up to date or closes it.
---@param pair acp.Pair  of this tabpage
function M.update(pair)
  if not pairs_of.is_complete(pair) or tabpage.is_float(pair.chat) or tabpage.is_float(pair.prompt) then
    return -- the prompt alone floats where the screen has room for one window
  end
  local steps, is_open = is_pinned and steps_of(pair) or {}, pairs_of.is_open(pair.plan)
  if #steps == 0 then
    return is_open and M.close(pair)
  end
  safe_windows.run(function()
    if not is_open then
      open(pair, #steps)
    end
    if pairs_of.is_open(pair.plan) then
      draw(pair, steps)
    end
  end)
end

---@param pair acp.Pair
function M.close(pair)
  local win = pair.plan
  pair.plan = nil
  safe_windows.run(function()
    if win and pairs_of.is_open(win) then
      api.nvim_win_close(win, true)
    end
    if pairs_of.is_complete(pair) then
      pair_options.show_plan(pair)
    end
  end)
end

--- Pins the plan above the prompt, or no longer.
function M.toggle()
  is_pinned = not is_pinned
  local pair = pairs_of.current()
  if pair then
    M.update(pair)
  end
  if not is_pinned then
    messages.show("info", "the plan is no longer pinned")
  elseif not pair or #steps_of(pair) == 0 then
    messages.show("info", "the next plan is shown above the prompt; :Acp plan unpins it")
  elseif not pairs_of.is_open(pair.plan) then
    messages.show("warn", "no room for the plan here: za on its line in the chat shows the steps")
  end
end

--- The user has closed a panel.
---@param closed integer
function M.closed(closed)
  for _, pair in pairs(pairs_of.by_tab) do
    if pair.plan == closed then
      pair.plan, is_pinned = nil, false
      vim.schedule(function()
        if pairs_of.is_complete(pair) then
          pair_options.show_plan(pair)
        end
      end)
    end
  end
end

return M

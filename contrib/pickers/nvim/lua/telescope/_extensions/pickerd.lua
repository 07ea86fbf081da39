-- :Telescope pickerd, for telescope.nvim 0.2 (https://github.com/nvim-telescope/telescope.nvim), which wants Neovim 0.11.
-- The daemon searches while one types, and the list changes with the documents: nothing is scanned. What is selected or
-- marked stays so while rows come and go around it.
local action_set = require('telescope.actions.set')
local action_state = require('telescope.actions.state')
local actions = require('telescope.actions')
local pickers = require('telescope.pickers')
local previewers = require('telescope.previewers')
local pickerd = require('pickerd')

-- The beginning of a text, by its path alone: telescope's own previewers take what looks like a variable in it for one.
local function preview(self, entry)
    local file = io.open(entry.filename, 'rb')
    local text = file and file:read(65536) or ''
    if file then file:close() end
    local lines = text:find('%z') and { '(not a text)' } or vim.split(text, '\n')
    vim.api.nvim_buf_set_lines(self.state.bufnr, 0, -1, false, lines)
    local kind = vim.filetype.match({ filename = entry.filename })
    if kind then require('telescope.previewers.utils').highlighter(self.state.bufnr, kind) end
end

local function pick(options)
    options = options or {}
    local picker, list, waiting
    local prompt = options.default_text or ''
    -- An entry is the same as long as its document is there, whatever it is named: telescope compares entries.
    local entries = {}

    local function give(process, complete)
        local known = entries
        entries = {}
        for index, row in ipairs(list.rows) do
            local entry = known[row.key] or { value = row.key }
            entry.index = index
            -- A file's name may hold anything, also what ends a line.
            entry.display, entry.ordinal, entry.filename = vim.fn.strtrans(row.path), row.path, pickerd.path(row)
            entries[row.key] = entry
            if process(entry) then return end
        end
        complete()
    end

    local function find(_, text, process, complete)
        if text ~= prompt then picker.selection_strategy = 'reset' end
        prompt = text
        list:search(text)
        waiting = { process, complete }
        if list.query == text then
            waiting = nil
            give(process, complete)
        end
    end

    local function change()
        if not picker then return end
        if picker.prompt_border then picker.prompt_border:change_title(list.fault or 'Documents') end
        if list.query ~= prompt then return end
        if waiting then
            local process, complete = unpack(waiting)
            waiting = nil
            give(process, complete)
        else
            picker.selection_strategy = 'follow'
            picker:refresh()
        end
    end

    list = pickerd.open({ search = prompt, count = 250 }, change)
    picker = pickers.new(options, {
        prompt_title = 'Documents',
        finder = setmetatable({ close = function() list:close() end }, { __call = find }),
        previewer = previewers.new_buffer_previewer({ title = 'Document', define_preview = preview }),
        attach_mappings = function()
            -- Each way to open an entry ends in this one, which would put its name into a command.
            action_set.edit:replace(function(buffer, command)
                local entry = action_state.get_selected_entry()
                actions.close(buffer)
                if entry then pickerd.show(entry.filename, command) end
            end)
            return true
        end,
    })
    picker:find()
end

return require('telescope').register_extension({ exports = { pickerd = pick } })

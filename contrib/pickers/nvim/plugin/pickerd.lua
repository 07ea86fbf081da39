-- :Pick [QUERY] chooses documents with 'pickerctl pick' in a terminal of Neovim's, and opens them. The list is live.
-- For Neovim 0.7 and later. g:pickerd_command names pickerctl, if it is not on the PATH. With telescope there is also
-- :Telescope pickerd.
if vim.g.loaded_pickerd then return end
vim.g.loaded_pickerd = 1

local function say(text) vim.notify(text, vim.log.levels.ERROR) end

local function pick(words)
    local program = vim.g.pickerd_command or 'pickerctl'
    if vim.fn.executable(program) == 0 then
        return say(program .. ' is not there: install pickerd, or let g:pickerd_command name it')
    end
    local file, window = vim.fn.tempname(), vim.api.nvim_get_current_win()
    vim.cmd('botright new')
    local terminal = vim.api.nvim_get_current_buf()
    -- The words of the query are arguments, which the shell never reads as its own.
    local command = { '/bin/sh', '-c', 'file=$1; shift; exec "$@" >"$file"', 'sh', file, program, 'pick', '--multi', '-0', '--' }
    vim.list_extend(command, words)
    vim.fn.termopen(command, {
        on_exit = function(_, status)
            local output = io.open(file, 'rb')
            local paths = output and output:read('*a') or ''
            if output then output:close() end
            os.remove(file)
            -- 1 is that nothing matches, and 130 that it was given up. Of other things its window says what went wrong.
            if status ~= 0 and status ~= 1 and status ~= 130 then
                return say('pickerctl pick has ended with status ' .. status .. '; its window says why')
            end
            if vim.api.nvim_win_is_valid(window) then vim.api.nvim_set_current_win(window) end
            vim.api.nvim_buf_delete(terminal, { force = true })
            for path in paths:gmatch('(%Z+)') do
                require('pickerd').show(path, 'edit')
            end
        end,
    })
    vim.cmd('startinsert')
end

vim.api.nvim_create_user_command('Pick', function(arguments)
    pick(vim.split(arguments.args, '%s+', { trimempty = true }))
end, { nargs = '*' })

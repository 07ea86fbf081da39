-- Neovim's live lists beside what pickerctl lists, while files and searches change. Run by pickers.py in Neovim without a
-- screen, with a daemon of its own.
local pickerd = require('pickerd')
local seed = tonumber(vim.env.PICKERD_TEST_SEED) or os.time()
math.randomseed(seed)
local place = vim.fn.tempname()
local root = place .. '/root'
vim.fn.mkdir(root, 'p')
vim.env.PICKERD_SOCKET = place .. '/sock'
local patience = (tonumber(vim.env.PICKERD_TEST_PATIENCE) or 120) * 1000

local function check(what, holds, found)
    io.stdout:write(holds and 'ok - ' or 'not ok - ', what, '\n')
    if not holds then io.stdout:write('    seed ', seed, ': ', vim.inspect(found):sub(1, 1500), '\n') end
end
local function eventually(holds) return (vim.wait(patience, holds, 10)) end

local daemon
local function start()
    daemon = vim.fn.jobstart({ 'pickerd', '--socket', vim.env.PICKERD_SOCKET, '--state', place .. '/state', root })
    eventually(function()
        vim.fn.system({ 'pickerctl', 'sync' })
        return vim.v.shell_error == 0
    end)
end

local function texts(rows)
    return table.concat(vim.tbl_map(function(row) return row.key .. ' ' .. row.path end, rows), '\n')
end
local function listed(search)
    local command = { 'pickerctl', 'list', '--json', '--limit', '20' }
    local more = search == '' and { '--sort', 'date' } or { '--fuzzy', '--sort=score,-frecency', '--search=' .. search }
    vim.fn.system({ 'pickerctl', 'sync' })
    local lines = vim.fn.systemlist(vim.list_extend(command, more))
    return texts(vim.tbl_map(vim.json.decode, lines))
end

local names = {}
local function path(name) return root .. '/' .. name end
local function change()
    local deed = math.random(6)
    local at = #names > 0 and math.random(#names)
    if deed <= 2 or not at then
        names[#names + 1] = 'note ' .. math.random(100000) .. '\n' .. string.char(96 + math.random(26)) .. '\255.md'
        io.open(path(names[#names]), 'w'):close()
    elseif deed == 3 then
        os.remove(path(table.remove(names, at)))
    elseif deed == 4 then
        local name = string.char(96 + math.random(26)) .. names[at]
        os.rename(path(names[at]), path(name))
        names[at] = name
    else
        local file = io.open(path(names[at]), 'a')
        file:write('more')
        file:close()
    end
end

for _ = 1, 80 do change() end
start()
local calls = 0
local list = pickerd.open({ count = 20 }, function() calls = calls + 1 end)
check('a list opens', eventually(function() return list.query == '' and #list.rows > 0 end), list)
local search, is_same, expected = '', true, nil
local searches = { '', 'note', 'e', "'1", '!3 md', 'no such', 'a|b' }
for _ = 1, 30 do
    for _ = 1, math.random(12) do change() end
    if math.random(3) == 1 then
        search = searches[math.random(#searches)]
        list:search(search)
    end
    expected = listed(search)
    is_same = is_same and eventually(function() return list.query == search and texts(list.rows) == expected end)
    if not is_same then break end
end
check('it is what pickerctl lists, through random changes and searches', is_same, { search, expected, texts(list.rows) })
list:search('')
eventually(function() return list.query == '' end)
local known = {}
for _, name in ipairs(names) do known[path(name)] = true end
local unknown = vim.tbl_filter(function(row) return not known[pickerd.path(row)] end, list.rows)
check('paths are those of the files, byte for byte', #list.rows > 0 and #unknown == 0, unknown)
check('the row for a new document does not count', list.total == #names, { list.total, #names })

calls = 0
vim.wait(200, function() return false end)
check('nothing is told while nothing changes', calls == 0, calls)
local before = texts(list.rows)
vim.fn.jobstop(daemon)
check('a lost daemon is told', eventually(function() return list.fault ~= nil end), list)
check('and the rows stay', texts(list.rows) == before, list.rows)
change()
start()
local after = listed('')
check('with the next one it goes on', eventually(function() return not list.fault and texts(list.rows) == after end), list)

local function refused(delta)
    local whole = vim.tbl_extend('keep', delta, { deleted = {}, moved = {}, inserted = {}, updated = {} })
    return not pcall(pickerd.applied, { { key = 'a' }, { key = 'b' } }, whole)
end
check('deltas that do not fit are refused', refused({ deleted = { 2 } }) and refused({ deleted = { 0, 0 } })
    and refused({ moved = { { 0, 5 } } }) and refused({ inserted = { { 4, {} } } }) and refused({ updated = { { 2, {} } } })
    and not refused({ deleted = { 0 }, inserted = { { 1, { key = 'c' } } } }))
list:close()
calls = 0
change()
listed('')
vim.wait(100, function() return false end)
check('a closed list is silent', calls == 0, calls)
vim.fn.jobstop(daemon)
vim.fn.jobwait({ daemon }, patience)
vim.fn.delete(place, 'rf')
check('the end', true)
vim.cmd('qa!')

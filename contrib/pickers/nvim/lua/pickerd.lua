--- Live lists of pickerd in Neovim (0.7 and later): pickerd-protocol(7) on Neovim's own loop. Nothing is scanned, nothing
--- polls, and nothing waits; after a restart of the daemon the list goes on by itself.
---
---     local list = require('pickerd').open({ search = 'report', count = 100 }, function(list) … list.rows … end)
---     list:search('draft')
---     list:close()
---
--- list.rows are documents as the protocol has them, each with `path` below its `root`; require('pickerd').path(row) is
--- the absolute path, byte for byte. list.query is the search that the rows answer, and list.total is how many there
--- are; list.fault says why there is nothing new, or is nil. All of it is only changed on Neovim's main loop.

local M = {}
local loop = vim.uv or vim.loop
local NULL = vim.NIL
-- A line of the daemon has 1 MiB at most.
local LONGEST = 1048576 + 1

--- Where the daemon's socket is, or nil.
function M.socket()
    local folder = vim.env.XDG_RUNTIME_DIR
    return vim.env.PICKERD_SOCKET or (folder and folder .. '/pickerd/pickerd.sock')
end

local DIGITS = 'ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789+/'
local function decoded(base64)
    local bytes, bits, count = {}, 0, 0
    for digit in base64:gmatch('[%w+/]') do
        bits = bits * 64 + DIGITS:find(digit, 1, true) - 1
        count = count + 6
        if count >= 8 then
            count = count - 8
            bytes[#bytes + 1] = string.char(math.floor(bits / 2 ^ count))
            bits = bits % 2 ^ count
        end
    end
    return table.concat(bytes)
end

--- The absolute path of a row, of whatever bytes it is.
function M.path(row)
    local root = row.rootB64 and decoded(row.rootB64) or row.root
    return root .. '/' .. (row.pathB64 and decoded(row.pathB64) or row.path)
end

--- Opens a file by a command that opens one: edit, new, vnew or tabedit. Its name is not put into a command, where a
--- newline in it would begin another one.
function M.show(path, command)
    local number = vim.fn.bufadd(path)
    vim.api.nvim_buf_set_option(number, 'buflisted', true)
    local opening = { edit = 'buffer', new = 'sbuffer', vnew = 'vertical sbuffer', tabedit = 'tab sbuffer' }
    vim.cmd((opening[command] or 'buffer') .. ' ' .. number)
end

--- The rows after a delta; an error if it does not fit.
function M.applied(rows, delta)
    local leaves, arriving = {}, {}
    local function leave(at)
        assert(rows[at + 1] and not leaves[at], 'a row leaves that is not there')
        leaves[at] = true
    end
    for _, at in ipairs(delta.deleted) do leave(at) end
    for _, move in ipairs(delta.moved) do
        leave(move[1])
        arriving[#arriving + 1] = { move[2], rows[move[1] + 1] }
    end
    vim.list_extend(arriving, delta.inserted)
    table.sort(arriving, function(one, other) return one[1] < other[1] end)
    local new, next_arriving = {}, 1
    local function arrive()
        while arriving[next_arriving] and arriving[next_arriving][1] == #new do
            new[#new + 1] = arriving[next_arriving][2]
            next_arriving = next_arriving + 1
        end
    end
    for at, row in ipairs(rows) do
        arrive()
        if not leaves[at - 1] then new[#new + 1] = row end
    end
    arrive()
    assert(not arriving[next_arriving], 'a row arrives beyond the end')
    for _, update in ipairs(delta.updated) do
        local row = assert(new[update[1] + 1], 'a row changes that is not there')
        for name, value in pairs(update[2]) do
            if value == NULL then row[name] = nil else row[name] = value end
        end
    end
    return new
end

local List = {}
List.__index = List

--- Opens a list of `query.count` rows (250) at most, for the fuzzy `query.search` the best first, without one the
--- latest. `on_change(list)` is called on the main loop, once for all that has come.
function M.open(query, on_change)
    local list = setmetatable({
        rows = {}, total = 0, count = query.count or 250, wanted = query.search or '', gen = 0, searches = {}, socket = M.socket(),
        on_change = on_change, pause = 100,
    }, List)
    list:connect()
    return list
end

--- Another search, for which the rows come later: then list.query is the same.
function List:search(text)
    if text == self.wanted then return end
    self.wanted = text
    self.gen = self.gen + 1
    if self.is_open then self:send('items.update', { sub = self.sub }) end
end

function List:close()
    self.is_closed = true
    self:disconnect()
    if self.timer then self.timer:close() end
    self.timer = nil
end

function List:disconnect()
    if self.pipe and not self.pipe:is_closing() then self.pipe:close() end
    self.pipe, self.is_open = nil, false
end

function List:connect()
    local path = self.socket
    if not path then return self:lose('nothing says where the socket of pickerd is: set PICKERD_SOCKET') end
    local pipe = loop.new_pipe(false)
    self.pipe, self.line, self.id = pipe, {}, 0
    local length = 0
    pipe:connect(path, function(failure)
        if pipe ~= self.pipe then return end
        if failure then return self:lose('no daemon listens at ' .. path .. ' (' .. failure .. ')') end
        self.sub = self:send('items.open', { window = { start = 0, count = self.count + 1 } })
        self.is_open = true
        pipe:read_start(function(problem, data)
            if pipe ~= self.pipe then return end
            if not data then return self:lose('pickerd has closed the connection' .. (problem and ': ' .. problem or '')) end
            for piece, ending in data:gmatch('([^\n]*)(\n?)') do
                self.line[#self.line + 1] = piece
                length = length + #piece
                if length > LONGEST then return self:lose('pickerd sent a line that is too long') end
                if ending ~= '' then
                    local text = table.concat(self.line)
                    self.line, length = {}, 0
                    local is_right, fault = pcall(self.take, self, vim.json.decode(text))
                    if not is_right then return self:lose('pickerd sent what is not right: ' .. fault) end
                end
                if pipe ~= self.pipe then return end
            end
        end)
    end)
end

function List:send(method, params)
    self.id = self.id + 1
    local is_search = self.wanted:find('%S') ~= nil
    params.gen, params.match = self.gen, 'fuzzy'
    params.search = is_search and self.wanted or NULL
    params.sort = is_search and { 'score', '-frecency' } or { 'date' }
    self.searches[self.gen] = self.wanted
    self.pipe:write(vim.json.encode({ id = self.id, method = method, params = params }) .. '\n')
    return self.id
end

--- Keeps the rows, says why, and tries again later: after 0.1 to 5 seconds.
function List:lose(fault)
    self:disconnect()
    if self.is_closed then return end
    self.fault = fault .. '; trying again'
    self:tell()
    self.timer = self.timer or loop.new_timer()
    self.timer:start(self.pause, 0, function() self:connect() end)
    self.pause = math.min(self.pause * 2, 5000)
end

function List:take(message)
    local params = message.params
    if message.error then
        self.fault = message.error.message
        return self:tell()
    elseif message.method == 'items.reset' then
        if params.chunk == 0 then self.coming = {} end
        vim.list_extend(self.coming, params.items)
        if not params.last then return end
        self.new_rows, self.coming = self.coming, nil
    elseif message.method == 'items.delta' then
        assert(params.from == self.rev, 'a delta from another revision')
        self.new_rows = M.applied(self.new_rows, params)
        params.rev = params.to
    else
        return
    end
    self.rev, self.new_total, self.fault, self.pause = params.rev, params.total, nil, 100
    self.new_query = self.searches[params.gen]
    for gen in pairs(self.searches) do
        if gen < params.gen then self.searches[gen] = nil end
    end
    self:tell()
end

--- Lets the rest of Neovim see what has come, once for all that comes meanwhile.
function List:tell()
    if self.is_told then return end
    self.is_told = true
    vim.schedule(function()
        self.is_told = false
        if self.is_closed then return end
        -- The row for a new document, the first without a search, is none.
        local rows = self.new_rows or {}
        local first = rows[1] and rows[1].kind == 'new' and 2 or 1
        self.rows = vim.list_slice(rows, first, first + self.count - 1)
        self.total, self.query = (self.new_total or 0) - (first - 1), self.new_query
        self.on_change(self)
    end)
end

return M

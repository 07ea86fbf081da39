" :Pick [QUERY] chooses documents with 'pickerctl pick' in a terminal of Vim's own, and opens them. The list is live.
" For Vim 9 (8.2 does); Neovim has its own, in ../../nvim. g:pickerd_command names pickerctl, if it is not on the PATH.
" Names of files are never put into a command: a buffer is made for each, and shown by its number.
if exists('g:loaded_pickerd') || has('nvim') || !has('terminal') || !exists('*bufadd')
    finish
endif
let g:loaded_pickerd = 1

function! s:say(text) abort
    echohl ErrorMsg
    echomsg a:text
    echohl None
endfunction

" The paths in a file, each with a NUL behind it. Vim reads a NUL as a newline, and a newline ends its line.
function! s:paths(file) abort
    let paths = ['']
    let is_first = 1
    for line in filereadable(a:file) ? readfile(a:file, 'b') : []
        let parts = split(line, "\n", 1)
        let paths[-1] .= (is_first ? '' : "\n") . parts[0]
        call extend(paths, parts[1:])
        let is_first = 0
    endfor
    return filter(paths, {_, path -> path !=# ''})
endfunction

function! s:open(path) abort
    let number = bufadd(a:path)
    call setbufvar(number, '&buflisted', 1)
    execute (&modified && !&hidden ? 'sbuffer' : 'buffer') number
endfunction

function! s:end(window, terminal, file, status) abort
    let paths = s:paths(a:file)
    call delete(a:file)
    " 1 is that nothing matches, and 130 that it was given up. Of other things its window says what went wrong.
    if index([0, 1, 130], a:status) < 0
        call s:say('pickerctl pick has ended with status ' . a:status . '; its window says why')
        return
    endif
    call win_gotoid(a:window)
    execute 'bwipeout!' a:terminal
    for path in paths
        call s:open(path)
    endfor
endfunction

function! s:pick(words) abort
    let program = get(g:, 'pickerd_command', 'pickerctl')
    if !executable(program)
        call s:say(program . ' is not there: install pickerd, or let g:pickerd_command name it')
        return
    endif
    let file = tempname()
    let window = win_getid()
    botright new
    " The words of the query are arguments, which the shell never reads as its own.
    let command = ['/bin/sh', '-c', 'file=$1; shift; exec "$@" >"$file"', 'sh', file,
        \ program, 'pick', '--multi', '-0', '--'] + a:words
    let terminal = term_start(command, #{curwin: 1, term_name: 'pick', norestore: 1,
        \ exit_cb: {job, status -> timer_start(0, {_ -> s:end(window, terminal, file, status)})}})
endfunction

command! -nargs=* Pick call s:pick(split(<q-args>))

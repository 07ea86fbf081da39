// The descendants of a process, by /proc: also those in other groups, sessions and namespaces, since this process is
// the subreaper of all of them. Without CONFIG_PROC_CHILDREN there are none to be seen.
#pragma once

// Counts the processes and threads below this process. Stops counting above `most`.
int tree_count(int most);

// Kills all descendants of this process, and returns when none is left. First it stops them: what is stopped can start
// nothing else, so that this ends however fast they multiply.
void tree_kill(void);

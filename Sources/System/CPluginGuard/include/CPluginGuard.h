// The guard of a plugin that runs as a child of the daemon: two processes between the two. They limit the plugin, and
// see to it that nothing of the plugin outlives it, or outlives the daemon, however either ends, and whatever the
// plugin has started in the meantime; and if one of the two is killed, the other one ends the plugin. Where a service
// manager runs plugins, it does this itself, and there is no guard.
#pragma once

// Runs as the guard. Arguments:
//
//     NAME PARENT ADDRESS-SPACE DESCRIPTORS TASKS SIGNAL FOLDER PROGRAM [ARGUMENT…]
//
// PARENT is the process id of the daemon, the next two are the limits RLIMIT_AS (bytes; 0 for none) and RLIMIT_NOFILE
// of each process of the plugin, TASKS is the most processes and threads of all of the plugin together (0 for any
// number), FOLDER is where it starts. Descriptor 3 is the plugin's; 0, 1 and 2 are passed on.
//
// The guard ends as the plugin does: with its exit status, or by its signal; with 127 if it can't be executed, after a
// line on standard error; and by SIGNAL if the plugin was killed because it had begun more tasks than it may have. A
// plugin that ends by SIGNAL itself is said to have ended by SIGKILL. On SIGTERM the guard ends the plugin: SIGTERM
// first, two seconds later SIGKILL. If the daemon ends, it gives the plugin the same two seconds to see that descriptor
// 3 has ended. Whatever is left of what the plugin started is killed in each case.
//
// The kernel asks the guard before each process and thread that the plugin begins (`asking.h`), so the limit costs
// nothing while it begins none. Where that is impossible, the guard counts four times a second.
int cpluginguard_run(int count, char *arguments[]);

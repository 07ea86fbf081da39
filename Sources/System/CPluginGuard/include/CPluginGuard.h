// The guard of a plugin that runs as a child of the daemon: a process between the two. It limits the plugin, and sees
// to it that nothing of the plugin outlives it, or outlives the daemon, however either ends, and whatever the plugin
// has started in the meantime. Where a service manager runs plugins, it does this itself, and there is no guard.
#pragma once

// Runs as the guard. Arguments:
//
//     NAME PARENT ADDRESS-SPACE DESCRIPTORS FOLDER PROGRAM [ARGUMENT…]
//
// PARENT is the process id of the daemon, the next two are the limits RLIMIT_AS (bytes; 0 for none) and RLIMIT_NOFILE
// of the plugin, FOLDER is where it starts. Descriptor 3 is the plugin's; 0, 1 and 2 are passed on.
//
// The guard ends as the plugin does: with its exit status, or by its signal; with 127 if it can't be executed, after a
// line on standard error. On SIGTERM it ends the plugin: SIGTERM first, two seconds later SIGKILL. If the daemon ends,
// it gives the plugin the same two seconds to see that descriptor 3 has ended. Whatever is left of what the plugin
// started is killed in each case.
int cpluginguard_run(int count, char *arguments[]);

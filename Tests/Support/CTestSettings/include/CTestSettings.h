// Says to the libraries that they run in this project's own tests; nothing of it needs to be called.
#pragma once

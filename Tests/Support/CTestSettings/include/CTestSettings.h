// Tells the libraries that they run in this project's tests; nothing here needs to be called.
#pragma once

#pragma once
int pickerd_clinux_version(void);

// SPDX-License-Identifier: MIT
int elsewhere[300] = {1};

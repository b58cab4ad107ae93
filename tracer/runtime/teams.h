// SPDX-License-Identifier: MIT
// Teams of OpenMP threads, for the libraries of gcc (gomp.c) and clang (kmp.c). The addresses of the members
// of a team are the objects by which its threads synchronize. Each moment has its own: threads that are a
// barrier ahead do not seem to hold up the others.
#ifndef DEJA_RUNTIME_TEAMS_H
#define DEJA_RUNTIME_TEAMS_H

#include "wrap.h"

enum { DJ_RT_TEAM_PHASES = 8 }; // the threads of a team are in the same phase or in neighbouring ones

// On the stack of the function that waits for the team.
typedef struct dj_rt_team {
    char begin, end, ordered, across;
    char barrier[DJ_RT_TEAM_PHASES]; // by phase: the barriers before it, modulo their number
    char tasks[DJ_RT_TEAM_PHASES];   // by the phase in which they were created: their ends
    unsigned phase;                  // the last one
    bool has_tasks;
} dj_rt_team;

// What this thread works for. Team NULL: none.
typedef struct dj_rt_member {
    dj_rt_team *team;
    unsigned phase;
    unsigned
        alone; // depth of regions that only this thread executes; their barriers are not those of the team
} dj_rt_member;

extern DJ_RT_THREAD dj_rt_member dj_rt_membership;

void dj_rt_team_fork(dj_rt_team *team);          // before its threads begin
dj_rt_member dj_rt_team_enter(dj_rt_team *team); // in each of them; returns what dj_rt_team_leave needs
void dj_rt_team_leave(dj_rt_member before);
void dj_rt_team_join(const dj_rt_team *team); // after all have left

// A barrier.
void dj_rt_team_arrive(void); // before it
void dj_rt_team_pass(void);   // after it: the next phase begins

void dj_rt_team_acquire(size_t member),
    dj_rt_team_release(size_t member); // e.g. of offsetof(dj_rt_team, end)

// A task belongs to the phase in which it was created, and ends in it. `object`: its own.
dj_rt_member dj_rt_task_create(void);
dj_rt_member dj_rt_task_enter(dj_rt_member creator, const void *object, bool depends);
void dj_rt_task_leave(dj_rt_member before);
void dj_rt_tasks_wait(void); // after tasks of this phase have ended

// Wrappers around a function with a barrier, and one that waits for tasks. Those of type void have no result.
#define DJ_RT_BARRIER(type, name, parameters, arguments)                                                     \
    DJ_RT_AROUND(type, name, parameters, arguments, dj_rt_team_arrive(), dj_rt_team_pass())
#define DJ_RT_BARRIER_VOID(name, parameters, arguments)                                                      \
    DJ_RT_AROUND_VOID(name, parameters, arguments, dj_rt_team_arrive(), dj_rt_team_pass())
#define DJ_RT_TASKWAIT_VOID(name, parameters, arguments)                                                     \
    DJ_RT_AROUND_VOID(name, parameters, arguments, dj_rt_publish(), dj_rt_tasks_wait())

#endif

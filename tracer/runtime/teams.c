// SPDX-License-Identifier: MIT
#include "teams.h"

DJ_RT_THREAD dj_rt_member dj_rt_membership;

static unsigned index_of(unsigned phase)
{
    return phase % DJ_RT_TEAM_PHASES;
}

// NULL: there is nobody to wait for.
static dj_rt_team *shared_team(void)
{
    return dj_rt_membership.alone ? NULL : dj_rt_membership.team;
}

void dj_rt_team_fork(dj_rt_team *team)
{
    *team = (dj_rt_team){0};
    dj_rt_release(&team->begin);
}

dj_rt_member dj_rt_team_enter(dj_rt_team *team)
{
    dj_rt_member before = dj_rt_membership;
    dj_rt_membership = (dj_rt_member){.team = team};
    dj_rt_acquire(&team->begin);
    return before;
}

void dj_rt_team_leave(dj_rt_member before)
{
    dj_rt_team *team = dj_rt_membership.team;
    __atomic_store_n(&team->phase, dj_rt_membership.phase, __ATOMIC_RELAXED); // the same for all
    dj_rt_release(&team->end);
    dj_rt_membership = before;
}

static void acquire_tasks(const dj_rt_team *team, unsigned phase)
{
    if (__atomic_load_n(&team->has_tasks, __ATOMIC_RELAXED))
        dj_rt_acquire(&team->tasks[index_of(phase)]);
}

void dj_rt_team_join(const dj_rt_team *team)
{
    dj_rt_acquire(&team->end);
    acquire_tasks(team, team->phase);
}

void dj_rt_team_arrive(void)
{
    const dj_rt_team *team = shared_team();
    if (team)
        dj_rt_release(&team->barrier[index_of(dj_rt_membership.phase)]);
    else
        dj_rt_publish();
}

// The tasks of the phase have ended too, some of them within the barrier.
void dj_rt_team_pass(void)
{
    const dj_rt_team *team = shared_team();
    if (!team)
        return;
    dj_rt_acquire(&team->barrier[index_of(dj_rt_membership.phase)]);
    acquire_tasks(team, dj_rt_membership.phase);
    dj_rt_membership.phase++;
}

void dj_rt_team_acquire(size_t member)
{
    const dj_rt_team *team = shared_team();
    if (team)
        dj_rt_acquire((const char *)team + member);
}

void dj_rt_team_release(size_t member)
{
    const dj_rt_team *team = shared_team();
    if (team)
        dj_rt_release((const char *)team + member);
    else
        dj_rt_publish();
}

dj_rt_member dj_rt_task_create(void)
{
    if (dj_rt_membership.team)
        __atomic_store_n(&dj_rt_membership.team->has_tasks, true, __ATOMIC_RELAXED);
    return dj_rt_membership;
}

dj_rt_member dj_rt_task_enter(dj_rt_member creator, const void *object, bool depends)
{
    dj_rt_member before = dj_rt_membership;
    dj_rt_membership = creator;
    dj_rt_acquire(object);
    if (depends)
        dj_rt_tasks_wait();
    return before;
}

void dj_rt_task_leave(dj_rt_member before)
{
    const dj_rt_member *self = &dj_rt_membership;
    if (self->team)
        dj_rt_release(&self->team->tasks[index_of(self->phase)]);
    else
        dj_rt_publish();
    dj_rt_membership = before;
}

void dj_rt_tasks_wait(void)
{
    if (dj_rt_membership.team)
        acquire_tasks(dj_rt_membership.team, dj_rt_membership.phase);
}

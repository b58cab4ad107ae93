// SPDX-License-Identifier: MIT
#include "origins.h"

// The root of constant addresses.
enum { OF_CONSTANTS = 0xfffffffe, NEAR = 1 << 15 };

void dj_origins_reset(dj_origins *o, UInt temporaries)
{
    VG_(memset)
    (o->known, 0, (temporaries < DJ_ORIGINS_MOST ? temporaries : DJ_ORIGINS_MOST) * sizeof *o->known);
}

void dj_origins_begin(dj_origins *o)
{
    o->words = 0;
}

static dj_origin of_temp(const dj_origins *o, IRTemp t)
{
    return t < DJ_ORIGINS_MOST && o->known[t].root != 0 ? o->known[t] : (dj_origin){t + 1, 0};
}

static dj_origin of_atom(const dj_origins *o, const IRExpr *atom)
{
    if (atom->tag == Iex_RdTmp)
        return of_temp(o, atom->Iex.RdTmp.tmp);
    return (dj_origin){OF_CONSTANTS, (Long)atom->Iex.Const.con->Ico.U64};
}

static Bool is_constant(const IRExpr *e)
{
    return e->tag == Iex_Const && e->Iex.Const.con->tag == Ico_U64;
}

// t = other, t = other + constant, t = other - constant
void dj_origins_assign(dj_origins *o, IRTemp t, const IRExpr *e)
{
    if (t >= DJ_ORIGINS_MOST)
        return;
    dj_origin origin = {t + 1, 0};
    if (e->tag == Iex_RdTmp) {
        origin = of_temp(o, e->Iex.RdTmp.tmp);
    } else if (e->tag == Iex_Binop && (e->Iex.Binop.op == Iop_Add64 || e->Iex.Binop.op == Iop_Sub64)) {
        const IRExpr *a = e->Iex.Binop.arg1, *b = e->Iex.Binop.arg2;
        Bool add = e->Iex.Binop.op == Iop_Add64;
        if (a->tag == Iex_RdTmp && is_constant(b)) {
            Long c = (Long)b->Iex.Const.con->Ico.U64;
            origin = of_temp(o, a->Iex.RdTmp.tmp);
            origin.offset += add ? c : -c;
        } else if (add && is_constant(a) && b->tag == Iex_RdTmp) {
            origin = of_temp(o, b->Iex.RdTmp.tmp);
            origin.offset += (Long)a->Iex.Const.con->Ico.U64;
        }
    }
    o->known[t] = origin;
}

Bool dj_origins_find(const dj_origins *o, const IRExpr *address, UInt *word, Int *delta)
{
    dj_origin origin = of_atom(o, address);
    for (UInt i = o->words; i-- > 0;) {
        if (o->word[i].origin.root != origin.root)
            continue;
        Long away = origin.offset - o->word[i].origin.offset;
        if (away < -NEAR || away >= NEAR)
            continue;
        *word = o->word[i].number;
        *delta = (Int)away;
        return True;
    }
    return False;
}

void dj_origins_add(dj_origins *o, const IRExpr *address, UInt word)
{
    if (o->words < DJ_ORIGIN_WORDS_MOST) {
        o->word[o->words].origin = of_atom(o, address);
        o->word[o->words++].number = word;
    }
}

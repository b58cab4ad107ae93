// SPDX-License-Identifier: MIT
// Computes how likely sentences are as translations of others, by the forward
// sums of a hidden Markov model: if one word translates the word at position s,
// the next one translates the word at position t with a probability that depends
// on t - s. lognum.h adds and multiplies the probabilities.
//     align [PAIRS]
// -DFIXED changes a few lines of lognum.h.
#include <stdio.h>
#include <stdlib.h>

#include "example.h"
#include "lognum.h"

enum { WORDS = 600, LENGTH = 24 };

static lognum translation[WORDS][WORDS], jump[2 * LENGTH];

static lognum from_probability(double p)
{
    return (lognum)lrint(LOGNUM_ONE * log(p));
}

// Probabilities that span some orders of magnitude, as learned ones do.
static void make_model(void)
{
    for (int i = 0; i < WORDS; i++)
        for (int j = 0; j < WORDS; j++)
            translation[i][j] = from_probability(exp(-(double)(random_number() % 9000000) / 1e6));
    for (int d = 0; d < 2 * LENGTH; d++)
        jump[d] = from_probability(exp(-0.25 * abs(d - LENGTH - 1)) / 8);
}

// Not inlined, so that `deja --start-at` can skip the set-up of the model.
static __attribute__((noinline)) lognum likelihood(const int *source, const int *target)
{
    lognum before[LENGTH] = {0}, now[LENGTH], all = LOGNUM_ZERO;
    for (int word = 0; word < LENGTH; word++) {
        for (int t = 0; t < LENGTH; t++) {
            lognum sum = LOGNUM_ZERO;
            for (int s = 0; s < LENGTH; s++)
                sum = lognum_add(sum, before[s] + jump[t - s + LENGTH]);
            now[t] = sum + translation[source[t]][target[word]];
        }
        for (int t = 0; t < LENGTH; t++)
            before[t] = now[t];
    }
    for (int t = 0; t < LENGTH; t++)
        all = lognum_add(all, before[t]);
    return all;
}

int main(int argc, char **argv)
{
    int pairs = rounds_of(argc, argv, 300);
    lognum_init();
    make_model();
    double sum = 0;
    for (int pair = 0; pair < pairs; pair++) {
        int source[LENGTH], target[LENGTH];
        for (int i = 0; i < LENGTH; i++) {
            source[i] = (int)(random_number() % WORDS);
            target[i] = (int)(random_number() % WORDS);
        }
        sum += (double)likelihood(source, target) / LOGNUM_ONE;
    }
    printf("align %d: mean log likelihood %.4f\n", pairs, sum / pairs);
    return 0;
}

/* Motions with closed forms that most tests of events need, as parts of scripts. */
#ifndef MOTIONS_H
#define MOTIONS_H

/* A point mass in a constant field, the motion most tests need: y = h + s t - g t^2 / 2. */
#define FALL(h, s, g)                                                                              \
    "local y = coordinate('y', {start = " h ", speed = " s "})\n"                                  \
    "mass(y, 1)\n"                                                                                 \
    "force(y, -(" g "))\n"
/* y = sin t, v = cos t. */
#define SINE                                                                                       \
    "local y = coordinate('y', {start = 0, speed = 1})\n"                                          \
    "mass(y, 1)\n"                                                                                 \
    "force(y, -y)\n"

static const double pi = 3.14159265358979323846;

#endif

/* The motion as a table: saltus_run_sample. */
#include "../theory/scripted.h"

static double *sample(scripted *s, const double *times, int count)
{
    const size_t cells = (size_t)count * (size_t)saltus_system_columns(s->system);
    double      *values = calloc(cells + 1, sizeof *values);
    EXPECT(saltus_run_sample(s->run, times, count, values, &s->err) == SALTUS_OK);
    return values;
}

/* y = 1 - g t^2 / 2 with g = 8: it touches at t = 1/2 with speed -4 and leaves with 2. */
TEST(a_table_has_closed_forms_in_its_columns)
{
    scripted s =
        load("local y = coordinate('y', {start = 1})\nmass(y, 1)\nforce(y, -8)\n"
             "local n = memory('n', 3)\n"
             "event('floor', {when = y, direction = 'falling', restitution = 0.5,\n"
             "  set = {[n] = n + 1}})\n"
             "cost('distance', {integral = dot(y)})\noutput('twice', 2 * y)\nhorizon(0, 0.75)\n");
    simulate(&s, NULL);
    enum { Y, V, A, N, WAY, TWICE, COLUMNS };
    EXPECT(saltus_system_columns(s.system) == COLUMNS);
    const double bounce = saltus_run_event(s.run, 0).t;
    EXPECT_NEAR(bounce, 0.5, 1e-12);
    const double times[] = {-1.0, 0.0, 0.25, 0.25, bounce, 0.625, 0.75, 0.8};
    double      *x = sample(&s, times, 8);
    for (int c = 0; c < COLUMNS; c++)
        EXPECT(isnan(x[c]) && isnan(x[7 * COLUMNS + c])); /* the run is not there */
    const double expected[][COLUMNS] = {
        {1.0, 0.0, -8.0, 3.0, 0.0, 2.0},          {0.75, -2.0, -8.0, 3.0, -0.25, 1.5},
        {0.75, -2.0, -8.0, 3.0, -0.25, 1.5},      {0.0, 2.0, -8.0, 4.0, -1.0, 0.0},
        {0.1875, 1.0, -8.0, 4.0, -0.8125, 0.375}, {0.25, 0.0, -8.0, 4.0, -0.75, 0.5},
    };
    for (int row = 0; row < 6; row++)
        for (int c = 0; c < COLUMNS; c++)
            EXPECT_NEAR(x[(row + 1) * COLUMNS + c], expected[row][c], 1e-10);
    free(x);
    release(&s);
}

typedef struct comparison {
    const double *x;
    int           n, constraints, columns, row;
} comparison;

static int compare(void *context, const saltus_row *row)
{
    comparison *c = context;
    if (row->event >= 0) return 0;
    const double *x = c->x + c->row++ * c->columns;
    EXPECT(memcmp(x, row->q, (size_t)c->n * sizeof *x) == 0);
    EXPECT(memcmp(x + c->n, row->v, (size_t)c->n * sizeof *x) == 0);
    EXPECT(memcmp(x + 2 * c->n, row->a, (size_t)c->n * sizeof *x) == 0);
    EXPECT(memcmp(x + 3 * c->n, row->mu, (size_t)c->constraints * sizeof *x) == 0);
    return 0;
}

TEST(a_table_has_the_digits_of_the_rows)
{
    static const char *const models[] = {"five_bar", "hopper", "coulomb"};
    for (size_t m = 0; m < sizeof models / sizeof *models; m++) {
        scripted s = load_model(models[m]);
        simulate(&s, NULL);
        enum { TIMES = 101 };
        double times[TIMES];
        for (int i = 0; i < TIMES; i++) times[i] = s.info->t * (i + 0.123) / TIMES;
        double    *x = sample(&s, times, TIMES);
        comparison c = {x, s.size.coordinates, s.size.constraints, saltus_system_columns(s.system),
                        0};
        EXPECT(saltus_run_trajectory(s.run, times, TIMES, compare, &c, &s.err) == SALTUS_OK);
        EXPECT(c.row == TIMES);
        free(x);
        release(&s);
    }
}

/* The neighbours of an event's time are between rows of steps and of the event. */
TEST(no_time_around_events_is_left_out)
{
    static const char *const models[] = {"bouncing_ball", "five_bar", "tumbling_box", "coulomb"};
    for (size_t m = 0; m < sizeof models / sizeof *models; m++) {
        scripted s = load_model(models[m]);
        simulate(&s, NULL);
        const int events = s.info->events, columns = saltus_system_columns(s.system);
        double   *times = calloc(3 * (size_t)events + 1, sizeof *times);
        int       count = 0;
        EXPECT(events > 0);
        for (int i = 0; i < events; i++) {
            const double t = saltus_run_event(s.run, i).t, first = nextafter(t, -1.0);
            if (count > 0 && first < times[count - 1]) continue; /* of the same instant */
            times[count++] = first;
            times[count++] = t;
            if (t < s.info->t) times[count++] = nextafter(t, INFINITY);
        }
        double *x = sample(&s, times, count);
        for (int row = 0; row < count; row++)
            if (isnan(x[row * columns])) fail_msg("%s: no row at %.17g", models[m], times[row]);
        free(times);
        free(x);
        release(&s);
    }
}

TEST_MAIN(RUN(a_table_has_closed_forms_in_its_columns), RUN(a_table_has_the_digits_of_the_rows),
          RUN(no_time_around_events_is_left_out))

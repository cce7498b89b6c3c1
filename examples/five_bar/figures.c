/* The pictures: the mechanism, and those of the paper's section 4 from our numbers. */
#include <math.h>

#include "study.h"

/* ---- the mechanism -------------------------------------------------------------------------- */

enum { SCALE = 130, ORIGIN_X = 270, ORIGIN_Y = 40 };

static double px(double x) { return ORIGIN_X + SCALE * x; }
static double py(double y) { return ORIGIN_Y - SCALE * y; }

static void draw_bars(FILE *file, const double *q, const char *style)
{
    fprintf(file, "<polyline fill=\"none\" %s points=\"%.1f,%.1f", style, px(-0.5), py(0.0));
    for (int c = 0; c < COORDINATES; c += 2) fprintf(file, " %.1f,%.1f", px(q[c]), py(q[c + 1]));
    fprintf(file, " %.1f,%.1f\"/>\n", px(0.5), py(0.0));
}

/* A zigzag from one point to another. */
static void draw_spring(FILE *file, double x0, double y0, double x1, double y1)
{
    enum { TURNS = 24 };
    const double length = hypot(x1 - x0, y1 - y0);
    const double nx = -(y1 - y0) / length * 0.04, ny = (x1 - x0) / length * 0.04;
    fprintf(file, "<polyline fill=\"none\" stroke=\"#2a8a4a\" points=\"%.1f,%.1f", px(x0), py(y0));
    for (int i = 3; i <= TURNS - 3; i++) {
        const double at = (double)i / TURNS, side = i % 2 ? 1.0 : -1.0;
        fprintf(file, " %.1f,%.1f", px(x0 + at * (x1 - x0) + side * nx),
                py(y0 + at * (y1 - y0) + side * ny));
    }
    fprintf(file, " %.1f,%.1f\"/>\n", px(x1), py(y1));
}

static void draw_label(FILE *file, double x, double y, const char *text)
{
    fprintf(file, "<text x=\"%.1f\" y=\"%.1f\" text-anchor=\"middle\">%s</text>\n", px(x), py(y),
            text);
}

static void draw_joints(FILE *file, const double *q)
{
    const double x[] = {-0.5, q[P1_X], q[P2_X], q[P3_X], 0.5};
    const double y[] = {0.0, q[P1_Y], q[P2_Y], q[P3_Y], 0.0};
    for (int i = 0; i < 5; i++)
        fprintf(file, "<circle cx=\"%.1f\" cy=\"%.1f\" r=\"5\" fill=\"%s\" stroke=\"#333\"/>\n",
                px(x[i]), py(y[i]), i % 4 ? "#fff" : "#333");
    draw_label(file, -0.5, 0.12, "A");
    draw_label(file, 0.5, 0.12, "B");
    draw_label(file, q[P1_X] - 0.12, q[P1_Y], "1");
    draw_label(file, q[P2_X] + 0.14, q[P2_Y] - 0.08, "2");
    draw_label(file, q[P3_X] + 0.12, q[P3_Y], "3");
}

typedef struct start {
    double q[COORDINATES];
} start;

static int keep_start(void *context, const saltus_row *row)
{
    start *kept = context;
    for (int c = 0; c < COORDINATES; c++) kept->q[c] = row->q[c];
    return 1;
}

static void draw_mechanism(study *s, mechanism *m)
{
    const double zero = 0.0;
    start        at = {{0.0}};
    if (s->err.status) return;
    saltus_run_trajectory(m->run, &zero, 1, keep_start, &at, &s->err);
    FILE *file = study_file(s, "mechanism.svg");
    if (!file) return;
    fprintf(file, "<svg xmlns=\"http://www.w3.org/2000/svg\" viewBox=\"0 0 540 380\" width=\"540\" "
                  "height=\"380\" font-family=\"sans-serif\" font-size=\"14\">\n"
                  "<rect width=\"100%%\" height=\"100%%\" fill=\"#fff\"/>\n");
    fprintf(file, "<path d=\"M20 %.1fH520\" stroke=\"#c8501e\" stroke-width=\"2\"/>\n", py(-2.35));
    draw_label(file, -1.5, -2.49, "ground, y = -2.35 m");
    draw_bars(file, saltus_run_event(m->run, 0).q, "stroke=\"#ccc\" stroke-width=\"4\"");
    draw_spring(file, -0.5, 0.0, at.q[P3_X], at.q[P3_Y]);
    draw_spring(file, -0.5, 0.0, at.q[P2_X], at.q[P2_Y]);
    draw_label(file, 0.45, -0.3, "k1");
    draw_label(file, -0.42, -0.95, "k2");
    draw_bars(file, at.q, "stroke=\"#1f5fa8\" stroke-width=\"5\" stroke-linejoin=\"round\"");
    draw_joints(file, at.q);
    fprintf(file, "</svg>\n");
    study_close(s, file);
}

/* ---- those of the paper --------------------------------------------------------------------- */

static void plot_sensitivities(study *s, const mechanism *m, const series *direct, const series *fd)
{
    static const char *const title[COSTS] = {"sensitivities of ∫ ẏ₂", "sensitivities of ∫ ÿ₂",
                                             "sensitivities of ∫ ÿ₂² + ẏ₂²"};
    for (int k = 0; k < COSTS && !s->err.status; k++) {
        char file[96], l01[MAX_NAME], l02[MAX_NAME];
        snprintf(file, sizeof file, "sensitivity_%s.svg", m->cost_name[k]);
        snprintf(l01, sizeof l01, "d(%s)/d(L01)", m->cost_name[k]);
        snprintf(l02, sizeof l02, "d(%s)/d(L02)", m->cost_name[k]);
        const curve curves[] = {{direct, l01, "by L01", 0},
                                {direct, l02, "by L02", 0},
                                {fd, l01, "differences", 1},
                                {fd, l02, "differences", 1}};
        plot(s, file, title[k], 0, curves, 4);
    }
}

static void plot_motion(study *s, const series *motion, const series *penalty)
{
    plot(s, "position.svg", "y of point 2 [m]", 0, &(curve){motion, "P2.y", "y", 0}, 1);
    plot(s, "velocity.svg", "vertical velocity of point 2 [m/s]", 0,
         &(curve){motion, "dot(P2.y)", "velocity", 0}, 1);
    plot(s, "quadrature_int_yd2.svg", "∫ ẏ₂", 0, &(curve){motion, "int_yd2", "z", 0}, 1);
    plot(s, "quadrature_int_ydd2.svg", "∫ ÿ₂", 0, &(curve){motion, "int_ydd2", "z", 0}, 1);
    plot(s, "quadrature_int_ydd2sq_plus_yd2sq.svg", "∫ ÿ₂² + ẏ₂²", 0,
         &(curve){motion, "int_ydd2sq_plus_yd2sq", "z", 0}, 1);
    plot(s, "residuals.svg", "bar 1-2: residuals", 1,
         (curve[]){{motion, "phi(1-2)", "Φ index-1", 0},
                   {motion, "dot(phi(1-2))", "its rate", 0},
                   {penalty, "phi(1-2)", "Φ penalty", 0},
                   {penalty, "dot(phi(1-2))", "its rate", 0}},
         4);
}

void section_figures(study *s)
{
    series     motion, soft, direct, fd;
    mechanism *m = study_run(s, LONG), penalty;
    draw_mechanism(s, m);
    mechanism_open(&penalty, s, (variant){.seconds = 5.0, .tol = 1e-12, .alpha = 1e7});
    motion_series(&motion, s, m);
    motion_series(&soft, s, &penalty);
    sensitivity_series(&direct, s, m);
    difference_series(&fd, s, m);
    plot_motion(s, &motion, &soft);
    plot_sensitivities(s, m, &direct, &fd);
    series_free(&motion);
    series_free(&soft);
    series_free(&direct);
    series_free(&fd);
    mechanism_close(&penalty);
    heading(s, "The figures");
    say(s,
        "mechanism, position, velocity, quadrature_*, sensitivity_* and residuals, each\n"
        ".svg, in %s.\n"
        "\n",
        s->folder);
}

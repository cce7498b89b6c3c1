/* A small plotter: curves over time as an SVG file. */
#include <math.h>
#include <string.h>

#include "study.h"

enum { WIDTH = 640, HEIGHT = 280, LEFT = 70, RIGHT = 12, TOP = 30, BOTTOM = 34 };

static const char *const colours[] = {"#1f5fa8", "#c8501e", "#2a8a4a", "#7a4fa0"};

typedef struct frame {
    double t_end, low, high;
    int    log;
} frame;

static double ordinate(const frame *f, double value)
{
    if (!f->log) return value;
    return log10(fmax(fabs(value), pow(10.0, f->low)));
}

static double x_of(const frame *f, double t)
{
    return LEFT + (WIDTH - LEFT - RIGHT) * t / f->t_end;
}

static double y_of(const frame *f, double value)
{
    return HEIGHT - BOTTOM -
           (HEIGHT - TOP - BOTTOM) * (ordinate(f, value) - f->low) / (f->high - f->low);
}

/* A round step, 1, 2 or 5 times a power of ten, that divides the range in about five. */
static double round_step(double range)
{
    const double power = pow(10.0, floor(log10(range / 5.0))), left = range / 5.0 / power;
    return power * (left < 1.5 ? 1.0 : left < 3.5 ? 2.0 : left < 7.5 ? 5.0 : 10.0);
}

/* Widens the frame to what a column has. */
static void include(frame *f, const curve *c)
{
    const int column = series_find(c->of, c->column);
    for (int i = 0; i < c->of->rows && column >= 0; i++) {
        const double *row = c->of->cell + i * c->of->columns;
        f->t_end = fmax(f->t_end, row[0]);
        if (isnan(row[column]) || (f->log && row[column] == 0.0)) continue;
        const double value = f->log ? log10(fabs(row[column])) : row[column];
        f->low = fmin(f->low, value);
        f->high = fmax(f->high, value);
    }
}

/* Logarithmic frames have decades, and not more of them below than anyone wants to see. */
static void round_frame(frame *f)
{
    if (f->log) {
        f->high = ceil(f->high);
        f->low = fmax(floor(f->low), f->high - 14.0);
        return;
    }
    const double step = round_step(f->high - f->low), rounding = 1e-6;
    f->low = step * floor(f->low / step + rounding);
    f->high = step * ceil(f->high / step - rounding);
}

static void draw_axes(FILE *file, const frame *f)
{
    const double step = f->log ? 2.0 : round_step(f->high - f->low);
    for (double v = f->low; v < f->high + 0.5 * step; v += step) {
        const double shown = fabs(v) < 1e-9 * step ? 0.0 : v;
        const double y = y_of(f, f->log ? pow(10.0, v) : v);
        fprintf(file, "<path d=\"M%d %.1fH%d\" stroke=\"#ddd\"/>\n", LEFT, y, WIDTH - RIGHT);
        fprintf(file, "<text x=\"%d\" y=\"%.1f\" text-anchor=\"end\">%s%g</text>\n", LEFT - 6,
                y + 4.0, f->log ? "1e" : "", shown);
    }
    for (double t = 0.0; t < f->t_end + 1e-9; t += 1.0)
        fprintf(file, "<text x=\"%.1f\" y=\"%d\" text-anchor=\"middle\">%g</text>\n", x_of(f, t),
                HEIGHT - BOTTOM + 16, t);
    fprintf(file, "<text x=\"%d\" y=\"%d\" text-anchor=\"end\">t [s]</text>\n", WIDTH - RIGHT,
            HEIGHT - 4);
}

static void draw_curve(FILE *file, const frame *f, const curve *c, const char *colour)
{
    const int column = series_find(c->of, c->column);
    if (column < 0) return;
    fprintf(file, "<polyline fill=\"none\" stroke=\"%s\" stroke-width=\"%s\"%s points=\"", colour,
            c->dashed ? "2.2" : "1.4", c->dashed ? " stroke-dasharray=\"3 5\"" : "");
    for (int i = 0; i < c->of->rows; i++) {
        const double *row = c->of->cell + i * c->of->columns;
        if (isnan(row[column])) continue;
        /* an unlucky sample inside of a spike of differences stays on the page */
        const double y = fmin(fmax(y_of(f, row[column]), 0.0), (double)HEIGHT);
        fprintf(file, "%.1f,%.1f%s", x_of(f, row[0]), y, i % 8 == 7 ? "\n" : " ");
    }
    fprintf(file, "\"/>\n");
}

static void draw_legend(FILE *file, const curve *curves, int count)
{
    double x = WIDTH - RIGHT;
    for (int i = count - 1; i >= 0; i--) {
        x -= 34.0 + 6.6 * (double)strlen(curves[i].label);
        fprintf(file, "<path d=\"M%.1f 18h20\" stroke=\"%s\" stroke-width=\"2\"%s/>\n", x,
                colours[i % 4], curves[i].dashed ? " stroke-dasharray=\"3 5\"" : "");
        fprintf(file, "<text x=\"%.1f\" y=\"22\">%s</text>\n", x + 24.0, curves[i].label);
    }
}

void plot(study *s, const char *name, const char *title, int log, const curve *curves, int count)
{
    frame f = {.t_end = 0.0, .low = INFINITY, .high = -INFINITY, .log = log};
    for (int i = 0; i < count; i++)
        if (!curves[i].dashed) include(&f, &curves[i]);
    FILE *file = f.low < f.high ? study_file(s, name) : NULL;
    if (!file) return;
    round_frame(&f);
    fprintf(file,
            "<svg xmlns=\"http://www.w3.org/2000/svg\" viewBox=\"0 0 %d %d\" width=\"%d\" "
            "height=\"%d\" font-family=\"sans-serif\" font-size=\"12\">\n"
            "<rect width=\"100%%\" height=\"100%%\" fill=\"#fff\"/>\n"
            "<text x=\"%d\" y=\"20\" font-weight=\"bold\">%s</text>\n",
            WIDTH, HEIGHT, WIDTH, HEIGHT, LEFT, title);
    draw_axes(file, &f);
    for (int i = 0; i < count; i++) draw_curve(file, &f, &curves[i], colours[i % 4]);
    draw_legend(file, curves, count);
    fprintf(file, "</svg>\n");
    study_close(s, file);
}

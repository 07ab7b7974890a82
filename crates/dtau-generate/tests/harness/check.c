/* check data.bin TOLERANCE [exact]: every function, one state, side by side, many; against what the library gave. */
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

struct function {
    const char *name;
    int inputs, outputs;
    int in[8][2], out[8][2];
    int (*one)(real **x, real **y);
    int (*side)(real **x, real **y);
    int (*many)(real **x, real **y);
    int exact;
};

static double *read_all(FILE *file, size_t n)
{
    double *x = malloc((n + 1) * sizeof(double));
    if (!x || fread(x, sizeof(double), n, file) != n) {
        fprintf(stderr, "data.bin is too short\n");
        exit(2);
    }
    return x;
}

static double worst;
static long entries, different;

/* Entry by entry, relative to the largest of the row. */
static int compare(const struct function *f, const char *how, int s, const double *want, real **y, double tolerance, int exact)
{
    int bad = 0;
    for (int o = 0; o < f->outputs; o++) {
        const int rows = f->out[o][0], columns = f->out[o][1];
        for (int r = 0; r < rows; r++) {
            double scale = 0;
            for (int c = 0; c < (columns > 1 ? columns : rows); c++)
                scale = fmax(scale, fabs(columns > 1 ? want[c * rows + r] : want[c]));
            for (int c = 0; c < columns; c++) {
                const double w = want[c * rows + r], got = (double)y[o][c * rows + r];
                const double error = fabs(got - w) / (scale > 0 ? scale : 1);
                entries++;
                if (got != w) different++;
                if (!(error <= worst)) worst = error;
                if (!(error <= tolerance) || (exact && f->exact && got != w)) {
                    if (bad++ < 3)
                        fprintf(stderr, "%s, %s, state %d, output %d (%d, %d): got %.17g, want %.17g, error %g of the row\n",
                                f->name, how, s, o, r, c, got, w, error);
                }
            }
        }
        want += rows * columns;
    }
    return bad;
}

static int check(const struct function *functions, size_t count, int argc, char **argv)
{
    FILE *file = argc > 2 ? fopen(argv[1], "rb") : NULL;
    if (!file) {
        fprintf(stderr, "check data.bin TOLERANCE [exact]\n");
        return 2;
    }
    const double tolerance = atof(argv[2]);
    const int exact = argc > 3;
    int bad = 0;
    for (size_t k = 0; k < count; k++) {
        const struct function *f = &functions[k];
        size_t in = 0, out = 0;
        real *x[8], *y[8], *one_y[8];
        for (int i = 0; i < f->inputs; i++) in += (size_t)(f->in[i][0] * f->in[i][1]);
        for (int i = 0; i < f->outputs; i++) out += (size_t)(f->out[i][0] * f->out[i][1]);
        double *data = read_all(file, STATES * (in + out));
        const size_t all = STATES > WIDTH ? STATES : WIDTH;
        for (int i = 0; i < f->inputs; i++) x[i] = malloc(all * (size_t)(f->in[i][0] * f->in[i][1] + 1) * sizeof(real));
        for (int i = 0; i < f->outputs; i++) y[i] = malloc(all * (size_t)(f->out[i][0] * f->out[i][1] + 1) * sizeof(real));
        /* One by one. */
        for (int s = 0; s < STATES; s++) {
            const double *from = data + (size_t)s * (in + out);
            for (int i = 0; i < f->inputs; i++)
                for (int j = 0; j < f->in[i][0] * f->in[i][1]; j++) x[i][j] = (real)*from++;
            for (int i = 0; i < f->outputs; i++)
                for (int j = 0; j < f->out[i][0] * f->out[i][1]; j++) y[i][j] = (real)NAN;
            bad += f->one(x, y) != 0;
            bad += compare(f, "one", s, from, y, tolerance, exact);
        }
        if (f->many) {
            for (int s = 0; s < STATES; s++) {
                const double *from = data + (size_t)s * (in + out);
                for (int i = 0; i < f->inputs; i++) {
                    const int n = f->in[i][0] * f->in[i][1];
                    for (int j = 0; j < n; j++) x[i][s * n + j] = (real)*from++;
                }
            }
            bad += f->many(x, y) != 0;
            for (int s = 0; s < STATES; s++) {
                for (int i = 0; i < f->outputs; i++) one_y[i] = y[i] + (size_t)s * (size_t)(f->out[i][0] * f->out[i][1]);
                bad += compare(f, "many", s, data + (size_t)s * (in + out) + in, one_y, tolerance, exact);
            }
        }
        if (f->side) {
            for (int i = 0; i < f->outputs; i++)
                one_y[i] = malloc((size_t)(f->out[i][0] * f->out[i][1] + 1) * sizeof(real));
            for (int s = 0; s < WIDTH; s++) {
                const double *from = data + (size_t)s * (in + out);
                for (int i = 0; i < f->inputs; i++)
                    for (int j = 0; j < f->in[i][0] * f->in[i][1]; j++) x[i][WIDTH * j + s] = (real)*from++;
            }
            bad += f->side(x, y) != 0;
            for (int s = 0; s < WIDTH; s++) {
                for (int i = 0; i < f->outputs; i++)
                    for (int j = 0; j < f->out[i][0] * f->out[i][1]; j++) one_y[i][j] = y[i][WIDTH * j + s];
                bad += compare(f, "side by side", s, data + (size_t)s * (in + out) + in, one_y, tolerance, exact);
            }
            for (int i = 0; i < f->outputs; i++) free(one_y[i]);
        }
        for (int i = 0; i < f->inputs; i++) free(x[i]);
        for (int i = 0; i < f->outputs; i++) free(y[i]);
        free(data);
    }
    fclose(file);
    printf("%d functions, %ld numbers, %ld not the library's bits, largest error %.1e of the row\n", (int)count, entries, different,
           worst);
    return bad != 0;
}

/* Modes of touching contacts: closed forms, Painleve's rod, redundant contacts, random problems by
 * enumeration and by pivoting, and indifference to units. */
#include "test.h"

#include "contact/lemke.h"
#include "contact/set.h"

enum { MAX_CONTACTS = 40, ROWS = 2 * MAX_CONTACTS, DOFS = 120 };

static const double ROUNDING = 1e-9;

/* ---- material ------------------------------------------------------------------------------- */

/* Uniform in (-1, 1), the same on every machine. */
static double next_random(uint64_t *seed)
{
    *seed = *seed * 6364136223846793005u + 1442695040888963407u;
    return (double)(int64_t)(*seed >> 11) * 0x1p-52 - 1.0;
}

static double between(uint64_t *seed, double low, double high)
{
    return low + 0.5 * (high - low) * (next_random(seed) + 1.0);
}

/* Masses, directions, and contacts along them. */
typedef struct {
    int               dofs, rows, contacts;
    double            mass[DOFS], W[ROWS][DOFS], free[ROWS], D[ROWS * ROWS];
    sal_contact_touch contact[MAX_CONTACTS];
    const double     *size;
    bool              impact, pivoting;
} mechanism;

static mechanism       m; /* too large for some stacks */
static sal_arena       arena;
static sal_contact_set set;

static void start(int dofs)
{
    memset(&m, 0, sizeof m);
    m.dofs = dofs;
    for (int i = 0; i < dofs; i++) m.mass[i] = 1.0;
    if (set.mode) return;
    sal_arena_init(&arena, NULL);
    EXPECT(sal_contact_set_init(&set, MAX_CONTACTS, &arena));
}

/* A row with up to three numbers from the first column on. */
static int add_row(double free, double a, double b, double c)
{
    m.W[m.rows][0] = a, m.W[m.rows][1] = b, m.W[m.rows][2] = c;
    m.free[m.rows] = free;
    return m.rows++;
}

static sal_contact_touch *add_contact(int normal, int tangent, double mu_static, double mu_kinetic)
{
    m.contact[m.contacts] = (sal_contact_touch){.normal = normal,
                                                .tangent = tangent,
                                                .mu_static = mu_static,
                                                .mu_kinetic = mu_kinetic,
                                                .allowed = SAL_CONTACT_ANY};
    return &m.contact[m.contacts++];
}

/* D = W M^-1 W' */
static void make_D(void)
{
    for (int r = 0; r < m.rows; r++)
        for (int s = 0; s < m.rows; s++) {
            double sum = 0.0;
            for (int i = 0; i < m.dofs; i++) sum += m.W[r][i] * m.W[s][i] / m.mass[i];
            m.D[r * m.rows + s] = sum;
        }
}

static sal_contact_status solve_again(void)
{
    const sal_contact_problem problem = {.contacts = m.contacts,
                                         .rows = m.rows,
                                         .contact = m.contact,
                                         .D = m.D,
                                         .free_rates = m.free,
                                         .size = m.size,
                                         .impact = m.impact,
                                         .rounding = ROUNDING,
                                         .pivoting = m.pivoting};
    return sal_contact_set_solve(&set, &problem);
}

static sal_contact_status solve(void)
{
    make_D();
    return solve_again();
}

/* The change of a coordinate that the forces cause. */
static double response(int coordinate)
{
    double sum = 0.0;
    for (int r = 0; r < m.rows; r++) sum += m.W[r][coordinate] * set.best.force[r];
    return sum / m.mass[coordinate];
}

/* Solves by enumeration and by pivoting, and expects the same modes. */
static void expect_modes(sal_contact_mode first, sal_contact_mode second)
{
    for (int pivoting = 0; pivoting < 2; pivoting++) {
        m.pivoting = pivoting;
        assert_int_equal(solve(), SAL_CONTACT_FOUND);
        assert_int_equal(set.best.mode[0], first);
        if (m.contacts > 1) assert_int_equal(set.best.mode[1], second);
    }
}

/* ---- closed forms --------------------------------------------------------------------------- */

static const double G = 9.81;

/* A block of mass 2; the tangent points downhill. */
static void block_on_incline(double angle, double mu_static, double mu_kinetic, double slip)
{
    start(2);
    m.mass[0] = m.mass[1] = 2.0;
    const int normal = add_row(-G * cos(angle), 0.0, 1.0, 0.0);
    const int tangent = add_row(G * sin(angle), 1.0, 0.0, 0.0);
    add_contact(normal, tangent, mu_static, mu_kinetic)->slip = slip;
}

TEST(a_block_rests_on_an_incline)
{
    block_on_incline(0.4, 0.6, 0.6, 0.0);
    expect_modes(SAL_CONTACT_STICK, 0);
    EXPECT_NEAR(set.best.force[0], 2.0 * G * cos(0.4), 1e-13);
    EXPECT_NEAR(set.best.force[1], -2.0 * G * sin(0.4), 1e-13);
    EXPECT_NEAR(set.best.rate[1], 0.0, 0.0);
    assert_int_equal(set.best.tie, -1);
}

TEST(a_block_slides_as_it_moves)
{
    for (int s = -1; s <= 1; s += 2) {
        block_on_incline(0.4, 0.6, 0.5, 3.0 * s);
        expect_modes(s > 0 ? SAL_CONTACT_SLIDE_PLUS : SAL_CONTACT_SLIDE_MINUS, 0);
        EXPECT_NEAR(set.best.rate[1], G * (sin(0.4) - s * 0.5 * cos(0.4)), 1e-13);
    }
}

TEST(a_block_begins_to_slide_where_it_is_steep)
{
    block_on_incline(0.7, 0.6, 0.5, 0.0);
    expect_modes(SAL_CONTACT_SLIDE_PLUS, 0);
    EXPECT_NEAR(set.best.rate[1], G * (sin(0.7) - 0.5 * cos(0.7)), 1e-13);
    block_on_incline(-0.7, 0.6, 0.5, 0.0);
    expect_modes(SAL_CONTACT_SLIDE_MINUS, 0);
}

TEST(static_friction_holds_where_kinetic_friction_would_not)
{
    block_on_incline(0.4, 0.6, 0.3, 0.0);
    expect_modes(SAL_CONTACT_STICK, 0);
    m.contact[0].preferred = SAL_CONTACT_SLIDE_PLUS;
    expect_modes(SAL_CONTACT_STICK, 0);
    m.contact[0].allowed &= ~(unsigned)SAL_CONTACT_STICK;
    expect_modes(SAL_CONTACT_SLIDE_PLUS, 0);
    EXPECT_NEAR(set.best.rate[1], G * (sin(0.4) - 0.3 * cos(0.4)), 1e-13);
}

TEST(a_threshold_is_a_tie)
{
    block_on_incline(0.4, tan(0.4), tan(0.4), 0.0);
    assert_int_equal(solve(), SAL_CONTACT_FOUND);
    assert_int_equal(set.best.tie, 0);
    m.contact[0].preferred = SAL_CONTACT_SLIDE_PLUS;
    expect_modes(SAL_CONTACT_SLIDE_PLUS, 0);
    m.contact[0].preferred = SAL_CONTACT_STICK;
    assert_int_equal(solve(), SAL_CONTACT_FOUND);
    assert_int_equal(set.best.mode[0], SAL_CONTACT_STICK);
    block_on_incline(0.4, tan(0.4) * (1.0 + 1e-7), tan(0.4), 0.0);
    assert_int_equal(solve(), SAL_CONTACT_FOUND);
    assert_int_equal(set.best.tie, -1);
    /* Kinetic friction balances the weight: sticking is no tie, sliding would be. */
    block_on_incline(0.4, 0.6, tan(0.4), 0.0);
    m.contact[0].preferred = SAL_CONTACT_SLIDE_PLUS;
    assert_int_equal(solve(), SAL_CONTACT_FOUND);
    assert_int_equal(set.best.mode[0], SAL_CONTACT_STICK);
    assert_int_equal(set.best.tie, -1);
    /* A smooth contact without load. */
    start(1);
    add_contact(add_row(0.0, 1.0, 0.0, 0.0), -1, 0.0, 0.0)->preferred = SAL_CONTACT_CLOSED;
    assert_int_equal(solve(), SAL_CONTACT_FOUND);
    assert_int_equal(set.best.tie, 0);
    assert_int_equal(set.best.mode[0], SAL_CONTACT_CLOSED);
}

/* A box of half width b and half height h, pushed at its centre; corners left and right. */
static void box(double b, double h, double push, double mu)
{
    start(3);
    m.mass[2] = (b * b + h * h) / 3.0;
    for (int side = -1; side <= 1; side += 2) {
        const int normal = add_row(-G, 0.0, 1.0, side * b);
        const int tangent = mu > 0.0 ? add_row(push, 1.0, 0.0, h) : -1;
        add_contact(normal, tangent, mu, mu);
    }
}

TEST(two_corners_of_a_box_share_its_weight)
{
    box(0.1, 0.4, 0.0, 0.0);
    expect_modes(SAL_CONTACT_CLOSED, SAL_CONTACT_CLOSED);
    EXPECT_NEAR(set.best.force[0], 0.5 * G, 1e-12);
    EXPECT_NEAR(set.best.force[1], 0.5 * G, 1e-12);
    box(0.1, 0.4, 1.0, 0.5);
    expect_modes(SAL_CONTACT_STICK, SAL_CONTACT_STICK);
    EXPECT_NEAR(set.best.force[0], 0.5 * G - 2.0, 1e-12);
    EXPECT_NEAR(set.best.force[2], 0.5 * G + 2.0, 1e-12);
    EXPECT_NEAR(set.best.force[1] + set.best.force[3], -1.0, 1e-12);
    EXPECT(set.best.redundants == 1);
}

TEST(a_box_tips_or_slides)
{
    box(0.1, 0.4, 3.0, 0.5);
    expect_modes(SAL_CONTACT_OPEN, SAL_CONTACT_STICK);
    EXPECT(set.best.rate[0] > 0.1);
    box(0.4, 0.1, 6.0, 0.5);
    expect_modes(SAL_CONTACT_SLIDE_PLUS, SAL_CONTACT_SLIDE_PLUS);
    EXPECT_NEAR(set.best.rate[1], 6.0 - 0.5 * G, 1e-12);
}

TEST(housners_block_goes_on_with_its_speed)
{
    const double b = 0.1, h = 0.4, omega = -0.7;
    box(b, h, 0.0, 0.5);
    m.impact = true;
    const double before[3] = {-omega * h, omega * b, omega};
    for (int r = 0; r < m.rows; r++) {
        m.free[r] = 0.0;
        for (int i = 0; i < 3; i++) m.free[r] += m.W[r][i] * before[i];
    }
    m.free[0] = m.free[1] = 0.0; /* it turns about this corner */
    expect_modes(SAL_CONTACT_OPEN, SAL_CONTACT_STICK);
    const double ratio = 1.0 + response(2) / omega;
    EXPECT_NEAR(ratio * ratio, 0.83131487889273356401, 1e-14);
    EXPECT(set.best.rate[0] > 0.0);
}

TEST(moreaus_cradle)
{
    start(3);
    m.mass[1] = 1.5;
    m.impact = true;
    add_contact(add_row(-1.0, -1.0, 1.0, 0.0), -1, 0.0, 0.0)->restitution = 0.9;
    add_contact(add_row(0.0, 0.0, -1.0, 1.0), -1, 0.0, 0.0)->restitution = 0.9;
    expect_modes(SAL_CONTACT_CLOSED, SAL_CONTACT_CLOSED);
    EXPECT_NEAR(1.0 + response(0), -0.35714285714285714286, 1e-15);
    EXPECT_NEAR(response(1), 0.54285714285714285714, 1e-15);
    EXPECT_NEAR(response(2), 0.54285714285714285714, 1e-15);
}

/* A ball with radius 0.1, inertia 0.004 and spin 3 that falls obliquely onto a floor; e = 0.6. */
static void ball(double mu, double vx, double vy)
{
    start(3);
    m.mass[2] = 0.004;
    m.impact = true;
    const int normal = add_row(vy, 0.0, 1.0, 0.0), tangent = add_row(vx + 0.3, 1.0, 0.0, 0.1);
    add_contact(normal, tangent, mu, mu)->restitution = 0.6;
}

TEST(an_oblique_impact_sticks_or_slides)
{
    ball(0.4, 1.0, -2.0);
    expect_modes(SAL_CONTACT_STICK, 0);
    EXPECT_NEAR(1.0 + response(0), 0.62857142857142857143, 1e-15);
    EXPECT_NEAR(3.0 + response(2), -6.2857142857142857143, 1e-14);
    EXPECT_NEAR(-2.0 + response(1), 1.2, 1e-15);
    EXPECT_NEAR(set.best.rate[0], 1.2, 1e-15);
    ball(0.1, 1.0, -2.0); /* the cone ends at 0.32, sticking takes 0.371 */
    expect_modes(SAL_CONTACT_SLIDE_PLUS, 0);
    EXPECT_NEAR(1.0 + response(0), 0.68, 1e-15);
    ball(0.1, -1.6, -2.0);
    expect_modes(SAL_CONTACT_SLIDE_MINUS, 0);
    EXPECT_NEAR(response(0), 0.32, 1e-15);
    ball(0.4, 1.0, 2.0); /* separates by itself */
    expect_modes(SAL_CONTACT_OPEN, 0);
    EXPECT_NEAR(response(0), 0.0, 0.0);
}

TEST(dry_friction_on_a_coordinate)
{
    start(1);
    add_contact(-1, add_row(3.0, 1.0, 0.0, 0.0), 4.0, 2.5);
    expect_modes(SAL_CONTACT_STICK, 0);
    EXPECT_NEAR(set.best.force[0], -3.0, 1e-15);
    m.free[0] = -5.0;
    expect_modes(SAL_CONTACT_SLIDE_MINUS, 0);
    EXPECT_NEAR(set.best.rate[0], -2.5, 1e-15);
    m.contact[0].slip = 0.1;
    expect_modes(SAL_CONTACT_SLIDE_PLUS, 0);
    EXPECT_NEAR(set.best.rate[0], -7.5, 1e-15);
    m.impact = true;
    m.contact[0].preferred = SAL_CONTACT_STICK;
    expect_modes(SAL_CONTACT_STICK, 0);
    EXPECT_NEAR(set.best.force[0], 0.0, 0.0);
}

/* Two coordinates with dry friction of 1, or 0.2 when they move, that share a mass: sticking takes
 * 1.05 and 0.95. The second would hold if the friction of the first did not fall. */
TEST(one_contact_that_breaks_loose_loosens_another)
{
    start(3);
    m.W[0][0] = m.W[1][1] = m.W[0][2] = m.W[1][2] = sqrt(0.5);
    m.rows = 2;
    m.free[0] = 1.525, m.free[1] = 1.475;
    add_contact(-1, 0, 1.0, 0.2);
    add_contact(-1, 1, 1.0, 0.2);
    expect_modes(SAL_CONTACT_SLIDE_PLUS, SAL_CONTACT_SLIDE_PLUS);
    EXPECT_NEAR(set.best.rate[0], 1.225, 1e-14);
    m.contact[0].mu_kinetic = m.contact[1].mu_kinetic = 1.0;
    expect_modes(SAL_CONTACT_SLIDE_PLUS, SAL_CONTACT_STICK);
    EXPECT_NEAR(set.best.force[1], -0.975, 1e-14);
}

/* What holds a contact may also be a joint: D is zero then, and the free rate is rounding. */
TEST(a_contact_that_nothing_moves)
{
    for (int pivoting = 0; pivoting < 2; pivoting++) {
        start(1);
        add_contact(add_row(-1e-15, 0.0, 0.0, 0.0), -1, 0.0, 0.0);
        m.pivoting = pivoting;
        assert_int_equal(solve(), SAL_CONTACT_NONE);
        const double size = 1.0;
        m.size = &size;
        assert_int_equal(solve(), SAL_CONTACT_FOUND);
        assert_int_equal(set.best.mode[0], SAL_CONTACT_CLOSED);
        EXPECT(set.best.redundant[0] && set.best.force[0] == 0.0 && set.best.tie == -1);
    }
}

TEST(no_contact_has_an_answer_and_no_mode_has_none)
{
    for (int pivoting = 0; pivoting < 2; pivoting++) {
        start(1);
        m.pivoting = pivoting;
        assert_int_equal(solve(), SAL_CONTACT_FOUND);
        add_contact(add_row(-1.0, 1.0, 0.0, 0.0), -1, 0.0, 0.0)->allowed = SAL_CONTACT_STICK;
        assert_int_equal(solve(), SAL_CONTACT_NONE);
        m.contact[0].allowed = SAL_CONTACT_OPEN;
        EXPECT(solve() != SAL_CONTACT_FOUND);
    }
}

/* A rod of length 2 at an angle to the floor; its foot is on the right and slides to the right.
 * With c, s the cosine and sine of the angle, N acts on the gap with 1 + 3 c^2 - 3 mu s c. */
static void painleve(double angle, double mu, double spin_squared)
{
    start(3);
    m.mass[2] = 1.0 / 3.0;
    const double c = cos(angle), s = sin(angle);
    const int    normal = add_row(-G + s * spin_squared, 0.0, 1.0, c);
    const int    tangent = add_row(-c * spin_squared, 1.0, 0.0, s);
    add_contact(normal, tangent, mu, mu)->slip = 1.0;
}

TEST(painleves_rod_has_no_answer_or_several)
{
    const double c = cos(1.0), s = sin(1.0);
    painleve(1.0, 0.5, 0.0);
    expect_modes(SAL_CONTACT_SLIDE_PLUS, 0);
    EXPECT_NEAR(set.best.force[0], G / (1.0 + 3.0 * c * c - 1.5 * s * c), 1e-12);
    painleve(1.0, 2.5, 0.0);
    assert_int_equal(solve(), SAL_CONTACT_NONE);
    m.pivoting = true;
    assert_int_equal(solve(), SAL_CONTACT_NONE);
    painleve(1.0, 2.5, 20.0);
    assert_int_equal(solve(), SAL_CONTACT_SEVERAL);
    assert_int_equal(set.best.mode[0] | set.other.mode[0],
                     SAL_CONTACT_OPEN | SAL_CONTACT_SLIDE_PLUS);
    EXPECT_NEAR(fmax(set.best.rate[0], set.other.rate[0]), 20.0 * s - G, 1e-12);
    m.contact[0].allowed = SAL_CONTACT_SLIDE_PLUS;
    assert_int_equal(solve(), SAL_CONTACT_FOUND);
    EXPECT_NEAR(set.best.force[0], (G - 20.0 * s) / (1.0 + 3.0 * c * c - 7.5 * s * c), 1e-12);
    /* From rest, the same is no question of static friction. */
    painleve(1.0, 2.5, 0.0);
    m.contact[0].slip = 0.0;
    m.contact[0].mu_kinetic = 2.4;
    m.free[0] = 1.0, m.free[1] = 100.0;
    assert_int_equal(solve(), SAL_CONTACT_SEVERAL);
}

/* A plate of mass 1 on four legs at (+-1, +-1), loaded by its weight at (x, y). */
static void table(double x, double y, bool pivoting)
{
    start(3);
    m.pivoting = pivoting;
    for (int leg = 0; leg < 4; leg++) {
        const double lx = leg & 1 ? 1.0 : -1.0, ly = leg & 2 ? 1.0 : -1.0;
        add_contact(add_row(-G * (1.0 + x * lx + y * ly), 1.0, lx, ly), -1, 0.0, 0.0);
    }
    assert_int_equal(solve(), SAL_CONTACT_FOUND);
}

static void expect_that_it_stands(void)
{
    double sum = 0.0;
    for (int leg = 0; leg < 4; leg++) {
        assert_int_equal(set.best.mode[leg], SAL_CONTACT_CLOSED);
        EXPECT(set.best.force[leg] >= 0.0);
        sum += set.best.force[leg];
    }
    EXPECT_NEAR(sum, G, 1e-12);
    assert_int_equal(set.best.tie, -1);
    assert_int_equal(set.best.redundants, 1);
}

TEST(a_table_stands_on_four_legs)
{
    for (int pivoting = 0; pivoting < 2; pivoting++) {
        table(0.0, 0.0, pivoting);
        expect_that_it_stands();
        for (int leg = 0; leg < 4; leg++) EXPECT_NEAR(set.best.force[leg], G / 4.0, 1e-12);
        for (int corner = 0; corner < 4; corner++) { /* forces of least norm would pull at a leg */
            table(corner & 1 ? 0.7 : -0.7, corner & 2 ? 0.6 : -0.6, pivoting);
            expect_that_it_stands();
        }
        table(1.2, 0.0, pivoting); /* outside of its legs it tips */
        assert_int_equal(set.best.mode[0], SAL_CONTACT_OPEN);
        assert_int_equal(set.best.mode[1], SAL_CONTACT_CLOSED);
        assert_int_equal(set.best.mode[2], SAL_CONTACT_OPEN);
        assert_int_equal(set.best.mode[3], SAL_CONTACT_CLOSED);
        table(1.0, 0.2, pivoting); /* on the line between two legs the others carry nothing */
        EXPECT(set.best.tie >= 0);
    }
}

/* ---- random problems ------------------------------------------------------------------------ */

/* How far the answer is from fulfilling the conditions of contact c, relative to the terms. */
static double violation_of(const sal_contact_answer *answer, int c)
{
    const sal_contact_touch *touch = &m.contact[c];
    double                   rate[2] = {0, 0}, size[2] = {0, 0}, force[2] = {0, 0}, D[2] = {1, 1};
    for (int k = 0; k < 2; k++) {
        const int r = k ? touch->tangent : touch->normal;
        if (r < 0) continue;
        rate[k] = m.free[r], size[k] = fabs(m.free[r]);
        for (int s = 0; s < m.rows; s++) {
            rate[k] += m.D[r * m.rows + s] * answer->force[s];
            size[k] += fabs(m.D[r * m.rows + s] * answer->force[s]);
        }
        if (fabs(rate[k] - answer->rate[r]) > 1e-9 * size[k]) return INFINITY;
        force[k] = answer->force[r];
        D[k] = m.D[r * m.rows + r];
    }
    const double e = m.impact ? touch->restitution : 0.0;
    const double gap = touch->normal < 0 ? 0.0 : rate[0] + e * m.free[touch->normal];
    const double big = size[0] / D[0] + size[1] / D[1] + 1e-300;
    const double scale = size[0] + 1e-300, scale_T = size[1] + 1e-300;
    const double base = touch->normal < 0 ? 1.0 : force[0];
    const double s = answer->mode[c] == SAL_CONTACT_SLIDE_PLUS ? 1.0 : -1.0;
    double       worst = fmax(0.0, touch->normal < 0 ? 0.0 : -force[0] * D[0] / scale);
    if (!(answer->mode[c] & touch->allowed)) return INFINITY;
    switch (answer->mode[c]) {
    case SAL_CONTACT_OPEN:
        worst = fmax(worst, fabs(force[0]) + fabs(force[1]));
        return fmax(worst, -gap / scale);
    case SAL_CONTACT_CLOSED: return fmax(worst, fabs(gap) / scale);
    case SAL_CONTACT_STICK:
        if (!m.impact && touch->slip != 0.0) return INFINITY;
        worst = fmax(worst, fmax(fabs(gap) / scale, fabs(rate[1]) / scale_T));
        return fmax(worst, (fabs(force[1]) - touch->mu_static * base) / big);
    case SAL_CONTACT_SLIDE_PLUS:
    case SAL_CONTACT_SLIDE_MINUS:
        worst = fmax(worst, fabs(gap) / scale);
        worst = fmax(worst, fabs(force[1] + s * touch->mu_kinetic * base) / big);
        if (!m.impact && touch->slip != 0.0) return touch->slip * s > 0.0 ? worst : INFINITY;
        return fmax(worst, -s * rate[1] / scale_T);
    default: return INFINITY;
    }
}

static double violation(const sal_contact_answer *answer)
{
    double worst = 0.0;
    for (int c = 0; c < m.contacts; c++) worst = fmax(worst, violation_of(answer, c));
    return worst;
}

/* Free rates of a motion that exists: those of rows that depend on each other do, too. */
static void make_free_rates_possible(uint64_t *seed)
{
    double motion[DOFS];
    for (int i = 0; i < m.dofs; i++) motion[i] = next_random(seed);
    for (int r = 0; r < m.rows; r++) {
        m.free[r] = 0.0;
        for (int i = 0; i < m.dofs; i++) m.free[r] += m.W[r][i] * motion[i];
    }
    for (int c = 0; c < m.contacts; c++) m.contact[c].restitution = m.impact ? 0.5 : 0.0;
}

/* Contacts in random directions; some slide already, some have two coefficients. */
static void random_mechanism(uint64_t *seed, int dofs, int frictional, int smooth, double most_mu)
{
    start(dofs);
    m.impact = next_random(seed) > 0.3;
    for (int i = 0; i < dofs; i++) m.mass[i] = exp(1.5 * next_random(seed));
    for (int c = 0; c < frictional + smooth; c++) {
        const bool         rubs = c < frictional;
        const double       mu = between(seed, 0.05, most_mu);
        const int          normal = m.rows++, tangent = rubs ? m.rows++ : -1;
        const double       less = next_random(seed) > 0.0 ? 1.0 : 0.7;
        sal_contact_touch *touch = add_contact(normal, tangent, mu, mu * less);
        touch->restitution = m.impact ? between(seed, 0.0, 0.9) : 0.0;
        if (next_random(seed) > 0.4) touch->slip = next_random(seed);
        m.free[normal] = next_random(seed) - 0.5;
        if (rubs) m.free[tangent] = next_random(seed);
    }
    for (int r = 0; r < m.rows; r++)
        for (int i = 0; i < dofs; i++) m.W[r][i] = next_random(seed);
    if (m.rows > dofs) make_free_rates_possible(seed);
}

typedef struct {
    int found, none, several, undecided;
} tally;

static void count(tally *t, sal_contact_status status)
{
    t->found += status == SAL_CONTACT_FOUND;
    t->none += status == SAL_CONTACT_NONE;
    t->several += status == SAL_CONTACT_SEVERAL;
    t->undecided += status == SAL_CONTACT_UNDECIDED;
}

TEST(random_answers_fulfil_all_conditions)
{
    tally t = {0};
    for (int i = 0; i < (SANITIZED ? 500 : 4000); i++) {
        uint64_t  seed = 1000003u * (uint64_t)i + 17u;
        const int contacts = 1 + i % 4;
        random_mechanism(&seed, 2 * contacts + i / 4 % 5, contacts, 0, i % 3 == 0 ? 3.0 : 0.6);
        const sal_contact_status status = solve();
        count(&t, status);
        if (status == SAL_CONTACT_NONE) continue;
        if (violation(&set.best) > 1e-8) fail_msg("problem %d: off by %g", i, violation(&set.best));
        if (status == SAL_CONTACT_SEVERAL && violation(&set.other) > 1e-8)
            fail_msg("problem %d: the other is off by %g", i, violation(&set.other));
    }
    print_message("enumeration: %d found, %d none, %d several\n", t.found, t.none, t.several);
    EXPECT(t.found > 9 * (t.none + t.several));
}

TEST(pivoting_agrees_with_enumeration)
{
    tally few = {0}, many = {0};
    int   missed = 0;
    for (int i = 0; i < (SANITIZED ? 200 : 2000); i++) {
        uint64_t  seed = 7000003u * (uint64_t)i + 5u;
        const int frictional = i % 5, smooth = i / 5 % (frictional > 2 ? 4 : 9);
        if (frictional + smooth == 0) continue;
        random_mechanism(&seed, 2 * frictional + smooth + i % 4, frictional, smooth, 0.8);
        double                   rate[ROWS];
        const sal_contact_status first = solve();
        memcpy(rate, set.best.rate, sizeof(double) * (size_t)m.rows);
        m.pivoting = true;
        const sal_contact_status second = solve_again();
        count(&few, first);
        count(&many, second);
        if (second == SAL_CONTACT_FOUND && violation(&set.best) > 1e-8)
            fail_msg("problem %d: off by %g", i, violation(&set.best));
        if (second == SAL_CONTACT_FOUND) EXPECT(first != SAL_CONTACT_NONE);
        missed += first == SAL_CONTACT_FOUND && second != SAL_CONTACT_FOUND;
        if (first != SAL_CONTACT_FOUND || second != SAL_CONTACT_FOUND) continue;
        for (int r = 0; r < m.rows; r++)
            if (!(fabs(rate[r] - set.best.rate[r]) <= 1e-7))
                fail_msg("problem %d, row %d: %g, by pivoting %g", i, r, rate[r], set.best.rate[r]);
    }
    print_message("enumeration: %d found, %d none, %d several; pivoting: %d found, %d none, %d "
                  "undecided, %d missed\n",
                  few.found, few.none, few.several, many.found, many.none, many.undecided, missed);
    assert_int_equal(missed, 0);
    EXPECT(few.several <= 1 && few.none <= 1);
}

/* Directions and motion of whole numbers: forces and rates are often zero, or rows dependent. */
static void integer_mechanism(uint64_t *seed, int dofs, int frictional, int smooth)
{
    random_mechanism(seed, dofs, frictional, smooth, 0.5);
    for (int c = 0; c < m.contacts; c++) {
        m.contact[c].mu_static = m.contact[c].mu_kinetic = 0.5;
        m.contact[c].restitution = 0.0;
    }
    for (int i = 0; i < dofs; i++) m.mass[i] = 1.0;
    for (int r = 0; r < m.rows; r++) {
        m.free[r] = 0.0;
        for (int i = 0; i < dofs; i++) m.W[r][i] = round(1.5 * next_random(seed));
        m.W[r][r % dofs] = 1.0;
        for (int i = 0; i < dofs; i++) m.free[r] += m.W[r][i] * (i % 3 - 1);
    }
}

TEST(ties_do_not_confuse)
{
    int ties = 0;
    for (int i = 0; i < (SANITIZED ? 200 : 2000); i++) {
        uint64_t  seed = 910007u * (uint64_t)i + 1u;
        const int contacts = 1 + i % 4;
        integer_mechanism(&seed, i % 8 < 4 ? 3 : 2 * contacts, i % 3 ? 0 : contacts,
                          i % 3 ? contacts : 0);
        double                   rate[ROWS];
        const sal_contact_status first = solve();
        if (i % 3 && first != SAL_CONTACT_FOUND) fail_msg("problem %d: status %d", i, first);
        if (first != SAL_CONTACT_FOUND) continue;
        if (violation(&set.best) > 1e-8) fail_msg("problem %d: off by %g", i, violation(&set.best));
        ties += set.best.tie >= 0;
        memcpy(rate, set.best.rate, sizeof(double) * (size_t)m.rows);
        m.pivoting = true;
        const sal_contact_status second = solve_again();
        if (second != SAL_CONTACT_FOUND) fail_msg("problem %d: pivoting, %d", i, second);
        if (violation(&set.best) > 1e-8) fail_msg("problem %d: off by %g", i, violation(&set.best));
        for (int r = 0; r < m.rows; r++) EXPECT_NEAR(set.best.rate[r], rate[r], 1e-8);
    }
    print_message("whole numbers: %d ties\n", ties);
    EXPECT(ties > 10);
}

/* A body in the plane has three degrees of freedom: most of these contacts are redundant, and may
 * jam, so that several answers are right. */
TEST(redundant_contacts_fulfil_all_conditions)
{
    tally few = {0}, many = {0};
    for (int i = 0; i < (SANITIZED ? 200 : 2000); i++) {
        uint64_t seed = 4000037u * (uint64_t)i + 9u;
        random_mechanism(&seed, 3, 2 + i % 3, i % 2, 0.5);
        const sal_contact_status first = solve();
        count(&few, first);
        if (first != SAL_CONTACT_NONE && violation(&set.best) > 1e-8)
            fail_msg("problem %d: off by %g", i, violation(&set.best));
        if (first == SAL_CONTACT_SEVERAL && violation(&set.other) > 1e-8)
            fail_msg("problem %d: the other is off by %g", i, violation(&set.other));
        m.pivoting = true;
        const sal_contact_status second = solve_again();
        count(&many, second);
        if (second == SAL_CONTACT_FOUND && violation(&set.best) > 1e-8)
            fail_msg("problem %d by pivoting: off by %g", i, violation(&set.best));
        if (second == SAL_CONTACT_FOUND) EXPECT(first != SAL_CONTACT_NONE);
    }
    print_message("enumeration: %d found, %d none, %d several; pivoting: %d found, %d none, %d "
                  "undecided\n",
                  few.found, few.none, few.several, many.found, many.none, many.undecided);
    EXPECT(few.none + few.several < few.found / 5);
    EXPECT(many.none + many.undecided <= few.none + few.found / 100);
}

TEST(forty_contacts_fulfil_all_conditions)
{
    tally t = {0};
    for (int i = 0; i < (SANITIZED ? 4 : 40); i++) {
        uint64_t seed = 900001u * (uint64_t)i + 3u;
        random_mechanism(&seed, i % 2 ? 90 : 30, 40, 0, 0.5);
        const sal_contact_status status = solve();
        count(&t, status);
        if (status != SAL_CONTACT_FOUND) continue;
        if (violation(&set.best) > 1e-8) fail_msg("problem %d: off by %g", i, violation(&set.best));
    }
    print_message("forty: %d found, %d none, %d undecided\n", t.found, t.none, t.undecided);
    EXPECT(t.none + t.undecided == 0);
}

/* ---- units ---------------------------------------------------------------------------------- */

/* w_1 + w_2 = q_1 + q_2, whatever z is: there is a solution unless that is negative, and rounding
 * makes it so where it should be zero. */
TEST(rows_that_contradict_each_other_by_rounding_have_a_solution)
{
    static const double matrix[] = {1.0, -1.0, -1.0, 1.0}, by[] = {1e-12, 5e-10, 1e-6};
    start(1);
    sal_lemke *lemke = set.lemke;
    for (int k = 0; k < 3; k++) {
        memcpy(lemke->M, matrix, sizeof matrix);
        lemke->q[0] = -1.0, lemke->q[1] = 1.0 - by[k];
        lemke->cover[0] = lemke->cover[1] = 1.0;
        assert_int_equal(sal_lemke_solve(lemke, 2), k < 2 ? SAL_LEMKE_SOLVED : SAL_LEMKE_RAY);
    }
    lemke->q[1] = 1.0 - 1e-12;
    assert_int_equal(sal_lemke_solve(lemke, 2), SAL_LEMKE_SOLVED);
    EXPECT_NEAR(lemke->z[0], 1.0, 1e-11);
    EXPECT_NEAR(lemke->z[1], 0.0, 1e-11);
}

TEST(answers_do_not_depend_on_units)
{
    static const double factor[] = {1e-9, 1.0, 1e9};
    for (int i = 0; i < 27 * 20; i++) {
        const double mass = factor[i % 3], length = factor[i / 3 % 3], time = factor[i / 9 % 3];
        uint64_t     seed = 31u * (uint64_t)(i / 27) + 11u;
        random_mechanism(&seed, 8, 3, 2, 0.6);
        m.pivoting = i / 27 % 2;
        const sal_contact_status before = solve();
        double                   force[ROWS];
        sal_contact_mode         mode[MAX_CONTACTS];
        memcpy(force, set.best.force, sizeof force[0] * (size_t)m.rows);
        memcpy(mode, set.best.mode, sizeof mode[0] * (size_t)m.contacts);
        const double rate = length / time / (m.impact ? 1.0 : time);
        for (int r = 0; r < m.rows; r++) m.free[r] *= rate;
        for (int r = 0; r < m.rows * m.rows; r++) m.D[r] /= mass;
        for (int c = 0; c < m.contacts; c++) m.contact[c].slip *= length / time;
        assert_int_equal(solve_again(), before);
        if (before != SAL_CONTACT_FOUND) continue;
        for (int c = 0; c < m.contacts; c++) assert_int_equal(set.best.mode[c], mode[c]);
        for (int r = 0; r < m.rows; r++)
            EXPECT_NEAR(set.best.force[r] / (mass * rate), force[r], 1e-9 * (1.0 + fabs(force[r])));
    }
}

TEST_MAIN(RUN(a_block_rests_on_an_incline), RUN(a_block_slides_as_it_moves),
          RUN(a_block_begins_to_slide_where_it_is_steep),
          RUN(static_friction_holds_where_kinetic_friction_would_not), RUN(a_threshold_is_a_tie),
          RUN(two_corners_of_a_box_share_its_weight), RUN(a_box_tips_or_slides),
          RUN(housners_block_goes_on_with_its_speed), RUN(moreaus_cradle),
          RUN(an_oblique_impact_sticks_or_slides), RUN(dry_friction_on_a_coordinate),
          RUN(one_contact_that_breaks_loose_loosens_another), RUN(a_contact_that_nothing_moves),
          RUN(no_contact_has_an_answer_and_no_mode_has_none),
          RUN(painleves_rod_has_no_answer_or_several), RUN(a_table_stands_on_four_legs),
          RUN(random_answers_fulfil_all_conditions), RUN(pivoting_agrees_with_enumeration),
          RUN(ties_do_not_confuse), RUN(redundant_contacts_fulfil_all_conditions),
          RUN(forty_contacts_fulfil_all_conditions),
          RUN(rows_that_contradict_each_other_by_rounding_have_a_solution),
          RUN(answers_do_not_depend_on_units))

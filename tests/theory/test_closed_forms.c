/* Random models with answers in closed form: values, events, event times and gradients. */
#include "closed_contacts.h"
#include "closed_flights.h"
#include "closed_grazing.h"
#include "closed_grids.h"
#include "closed_kinks.h"
#include "closed_order.h"
#include "closed_poles.h"
#include "closed_ranges.h"
#include "closed_roots.h"

enum { EACH = SANITIZED ? 10 : 100, MUTATED = SANITIZED ? 2 : 10 };

TEST(grids_of_switches_and_kinks) { CHECK_FAMILIES(grids, EACH); }

TEST(guards_with_known_roots) { CHECK_FAMILIES(root_families, EACH); }

TEST(flights_and_pairs) { CHECK_FAMILIES(flight_families, EACH); }

TEST(grazing_at_all_depths) { CHECK_FAMILIES(grazing_families, EACH); }

TEST(contacts_that_open_and_close) { CHECK_FAMILIES(contact_families, EACH); }

TEST(ranges_and_poles) { CHECK_FAMILIES(range_families, EACH); }

TEST(poles_long_after_time_began) { CHECK_FAMILIES(pole_families, EACH); }

TEST(guards_that_do_not_fire_and_others_that_do) { CHECK_FAMILIES(order_families, EACH); }

TEST(kinks_and_powers) { CHECK_FAMILIES(kink_families, EACH); }

#define COUNT(list) (int)(sizeof(list) / sizeof((list)[0]))

static const struct {
    const family *list;
    int           count;
} all[] = {{grids, COUNT(grids)},
           {root_families, COUNT(root_families)},
           {flight_families, COUNT(flight_families)},
           {grazing_families, COUNT(grazing_families)},
           {contact_families, COUNT(contact_families)},
           {range_families, COUNT(range_families)},
           {pole_families, COUNT(pole_families)},
           {kink_families, COUNT(kink_families)},
           {order_families, COUNT(order_families)}};

/* Rare cases, found among many more seeds than are tried here. */
TEST(seeds_that_came_out_wrong_once)
{
    static const struct {
        const char *family;
        uint64_t    seed;
    } once[] = {{"roots-product", 5015}, {"roots-product", 5070}, {"roots-product", 5201},
                {"graze-peaks", 5046},   {"graze-peaks", 5092},   {"kink-nest", 5090},
                {"contact-hop", 5139},   {"contact-hop", 5143},   {"contact-hop", 8239},
                {"contact-hop", 8418},   {"roots-flat", 385},     {"roots-flat", 449},
                {"graze-touch", 6197},   {"kink-nest", 6173},     {"graze-touch", 10898},
                {"graze-touch", 11429},  {"kink-nest", 12223}};
    int failed = 0, tried = 0;
    if (getenv("SEEDS")) skip();
    for (int s = 0; s < COUNT(once); s++)
        for (int i = 0; i < COUNT(all); i++)
            for (int k = 0; k < all[i].count; k++) {
                if (strcmp(all[i].list[k].name, once[s].family)) continue;
                failed += check_seeds(&all[i].list[k], once[s].seed, 1);
                tried++;
            }
    assert_int_equal(tried, COUNT(once));
    assert_int_equal(failed, 0);
}

TEST(a_lost_event_and_an_error_of_1e_6_are_noticed)
{
    int unnoticed = 0, tried = 0;
    if (getenv("SEEDS")) skip();
    for (int i = 0; i < COUNT(all); i++)
        for (int k = 0; k < all[i].count; k++)
            for (uint64_t seed = 1; seed <= MUTATED; seed++)
                unnoticed += count_unnoticed(&all[i].list[k], seed, &tried);
    EXPECT(tried > (SANITIZED ? 50 : 300));
    assert_int_equal(unnoticed, 0);
}

TEST_MAIN(RUN(seeds_that_came_out_wrong_once), RUN(a_lost_event_and_an_error_of_1e_6_are_noticed),
          RUN(grids_of_switches_and_kinks), RUN(guards_with_known_roots), RUN(flights_and_pairs),
          RUN(grazing_at_all_depths), RUN(contacts_that_open_and_close), RUN(ranges_and_poles),
          RUN(kinks_and_powers), RUN(poles_long_after_time_began),
          RUN(guards_that_do_not_fire_and_others_that_do))

/* Random models with answers in closed form: values, events, event times and gradients. */
#include "closed_contacts.h"
#include "closed_flights.h"
#include "closed_grazing.h"
#include "closed_grids.h"
#include "closed_kinks.h"
#include "closed_ranges.h"
#include "closed_roots.h"

enum { EACH = 60 };

TEST(grids_of_switches_and_kinks)
{
    UNUSED_STATE;
    CHECK_FAMILIES(grids, EACH);
}

TEST(guards_with_known_roots)
{
    UNUSED_STATE;
    CHECK_FAMILIES(root_families, EACH);
}

TEST(flights_and_pairs)
{
    UNUSED_STATE;
    CHECK_FAMILIES(flight_families, EACH);
}

TEST(grazing_at_all_depths)
{
    UNUSED_STATE;
    CHECK_FAMILIES(grazing_families, EACH);
}

TEST(contacts_that_open_and_close)
{
    UNUSED_STATE;
    CHECK_FAMILIES(contact_families, EACH);
}

TEST(ranges_and_poles)
{
    UNUSED_STATE;
    CHECK_FAMILIES(range_families, EACH);
}

TEST(kinks_and_powers)
{
    UNUSED_STATE;
    CHECK_FAMILIES(kink_families, EACH);
}

TEST_MAIN(RUN(grids_of_switches_and_kinks), RUN(guards_with_known_roots), RUN(flights_and_pairs),
          RUN(grazing_at_all_depths), RUN(contacts_that_open_and_close), RUN(ranges_and_poles),
          RUN(kinks_and_powers))
